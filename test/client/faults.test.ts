import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { run } from '../support/client/program.ts'
import { type Asked, json, platformOf } from '../support/client/server.ts'

let folder: string
test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-faults-'))
})
test.after.always(() => rm(folder, { recursive: true, force: true }))

const DID = { did: 'did:key:z', registrationStatus: 'COMPLETED' }
const problem = (response: ServerResponse, status: number, code = 'keys.unavailable', headers = {}) =>
  json(response, { type: `/problems#${code}`, title: 'T', status, detail: 'D', errors: [] }, status, headers)
const cut = (response: ServerResponse) => response.destroy()
const keysOf = (asked: Asked[]) => asked.map(({ headers }) => String(headers['idempotency-key']))

for (const [command, args, input, answer] of [
  ['did create', ['did', 'create'], '', DID],
  ['sign', ['sign', '-'], '{}', { id: 'a', credential: {} }],
  ['sign with a template', ['sign', '-', '--template', 't'], '{}', { id: 'a', credential: {} }],
  ['sign of an SD-JWT VC', ['sign', '-', '--format', 'sd-jwt-vc'], '{}', { id: 'a', encoded: 'a.b.c~' }],
] as const)
  test(`${command} is repeated once with its key after a broken connection, and takes the key of --key`, async (t) => {
    const { asked, env } = await platformOf(t, (_request, response) =>
      asked.length % 2 === 1 ? cut(response) : json(response, answer),
    )
    const { code, stderr } = await run([...args], { env, input })
    t.is(code, 0, stderr)
    await run([...args, '--key', 'order-7'], { env, input })
    const [first, second, ...own] = keysOf(asked)
    t.regex(first ?? '', /^[0-9a-f-]{36}$/)
    t.is(second, first)
    t.deepEqual(own, ['order-7', 'order-7'])
    t.is(new Set(asked.map(({ body }) => body)).size, 1)
  })

test('where nobody knows whether a write was done, its key is told; where it was refused it is not', async (t) => {
  let answer = cut as (response: ServerResponse) => unknown
  const { asked, env } = await platformOf(t, (_request, response) => answer(response))
  const broken = await run(['did', 'create'], { env })
  t.is(broken.code, 1)
  const [first, second, ...others] = keysOf(asked)
  t.deepEqual([second, others], [first, []])
  t.true(broken.stderr.includes(`--key ${first} `), broken.stderr)
  answer = (response) => problem(response, 500, 'server.error')
  t.regex((await run(['did', 'create', '--key', 'k'], { env })).stderr, /--key k /)
  answer = (response) => problem(response, 409, 'did.too_many')
  t.notRegex((await run(['did', 'create', '--key', 'k'], { env })).stderr, /--key/)
  t.is((await run(['did', 'create', '--key', 'two words'], { env })).code, 2)
  t.is(asked.length, 4)
})

test('a write whose first request is still processed waits for its answer', async (t) => {
  const answers = [cut, (response: ServerResponse) => problem(response, 409, 'idempotency.in_flight')]
  const { asked, env } = await platformOf(t, (_request, response) =>
    (answers.shift() ?? ((r) => json(r, DID)))(response),
  )
  t.like(await run(['did', 'create'], { env }), { code: 0, stdout: 'did:key:z\n' })
  t.is(new Set(keysOf(asked)).size, 1)
  t.is(asked.length, 3)
})

const BATCH = { id: 'b1', status: 'PROCESSING', total: 1, signed: 0, failed: 0 }
const ENDED = { ...BATCH, status: 'COMPLETED', signed: 1 }
const RESULTS = '{"row":1}\n'

/** A platform with a batch whose first answers are faults. */
const batchOf = (t: Parameters<typeof platformOf>[0], faults: ((response: ServerResponse) => unknown)[]) =>
  platformOf(t, (request, response) => {
    if (request.method === 'POST') return json(response, BATCH, 201)
    const fault = faults.shift()
    if (fault) return fault(response)
    if (request.url?.endsWith('/results'))
      return response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(RESULTS)
    return json(response, ENDED)
  })

const half = (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/x-ndjson', 'content-length': '100' })
  response.write('{"row":', () => response.destroy())
}

test('batch waits out faults while it looks and reads, and writes a file anew after half an answer', async (t) => {
  const out = join(folder, 'faults.jsonl')
  const faults = [
    cut,
    (response: ServerResponse) => problem(response, 503, 'keys.unavailable', { 'retry-after': '1' }),
    (response: ServerResponse) => json(response, ENDED),
    half,
  ]
  const { env } = await batchOf(t, faults)
  const { code, stderr } = await run(['batch', '-', '--template', 't', '--out', out], { env, input: 'id\n1\n' })
  t.is(code, 0, stderr)
  t.is(await readFile(out, 'utf8'), RESULTS)
})

test('a refusal is not waited out', async (t) => {
  const { asked, env } = await batchOf(t, [(response) => problem(response, 404, 'batch.not_found')])
  t.is((await run(['batch', '--id', 'b1'], { env })).code, 1)
  t.is(asked.length, 1)
})

test('batch --id waits for a batch that was uploaded, and prints its credentials', async (t) => {
  const { asked, env } = await batchOf(t, [(response) => json(response, BATCH)])
  t.like(await run(['batch', '--id', 'b1'], { env }), { code: 0, stdout: RESULTS })
  t.deepEqual(
    asked.map(({ method, url }) => [method, url]),
    [...Array(2).fill(['GET', '/v1/credentials/batches/b1']), ['GET', '/v1/credentials/batches/b1/results']],
  )
  for (const wrong of [['batch'], ['batch', '-', '--id', 'b1'], ['batch', '--id', 'b1', '--jsonl']])
    t.is((await run(wrong, { env })).code, 2, wrong.join(' '))
})

test('--out is a file for its owner alone, also one that was there; what cannot be written is known before the upload', async (t) => {
  const { asked, env } = await batchOf(t, [])
  const batch = (out: string) => run(['batch', '-', '--template', 't', '--out', out], { env, input: 'id\n1\n' })
  const open = join(folder, 'open.jsonl')
  await writeFile(open, 'much more than the results have', { mode: 0o644 })
  for (const out of [open, join(folder, 'new.jsonl')]) {
    t.is((await batch(out)).code, 0)
    t.is((await stat(out)).mode & 0o777, 0o600)
    t.is(await readFile(out, 'utf8'), RESULTS)
  }
  const before = asked.length
  t.is((await batch(join(folder, 'nowhere', 'out.jsonl'))).code, 2)
  t.is(asked.length, before)
  t.is((await batch('/dev/null')).code, 0)
  t.is((await stat('/dev/null')).mode & 0o777, 0o666)
})
