import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { jsonOf, memberOf } from '../../client/cli/json.ts'
import { run } from '../support/client/program.ts'
import { json, platformOf } from '../support/client/server.ts'

let folder: string
test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-faithful-'))
})
test.after.always(() => rm(folder, { recursive: true, force: true }))

/** What parsers disagree about: a repeated name, digits that no double holds, an escape, a number's form, white space. */
const ODD =
  '{ "@context": [], "a": 1, "a": 2, "n": 12345678901234567890, "e": "\\u00e4}\\"", "f": 1.0, "x": {"y": [1e2]} }'

const SIGNED = { id: 'an-id', credential: {}, encoded: 'a.b.c~' }
const VERDICT = { verified: false, reason: [], warnings: [] }

for (const [what, args, wanted] of [
  ['sign', ['sign'], `{"payload":${ODD},"proofType":"eddsa-rdfc-2022","revocable":false}`],
  ['sign with a template', ['sign', '--template', 't', '--tag', 'x'], `{"claims":${ODD},"tag":"x"}`],
  [
    'sign of an SD-JWT VC',
    ['sign', '--format', 'sd-jwt-vc', '--issuer', 'did:key:a', '--selectively', '[["a"], ["a"]]'],
    `{"payload":${ODD},"revocable":false,"issuer_did":"did:key:a","selectively":[["a"], ["a"]]}`,
  ],
  [
    'sign of an SD-JWT VC from a template',
    ['sign', '--format', 'sd-jwt-vc', '--template', 't', '--issuer', 'did:key:a'],
    `{"claims":${ODD},"issuer_did":"did:key:a"}`,
  ],
  ['verify', ['verify'], `{"payload":${ODD}}`],
] as const)
  test(`${what} sends the file as it is written`, async (t) => {
    const { asked, env } = await platformOf(t, (_request, response, { url }) =>
      json(response, url.endsWith('/verify') ? VERDICT : SIGNED),
    )
    await run([...args, '-'], { env, input: ODD })
    const file = join(folder, `${what}.json`)
    await writeFile(file, ODD)
    await run([...args, file], { env })
    t.deepEqual(
      asked.map(({ body }) => body),
      [wanted, wanted],
    )
  })

test('a key of the holder is sent as it is written', async (t) => {
  const { asked, env } = await platformOf(t, (_request, response) => json(response, SIGNED))
  const file = join(folder, 'holder.json')
  await writeFile(file, '{"kty": "OKP", "kty": "EC"}')
  await run(['sign', '-', '--format', 'sd-jwt-vc', '--holder-key', file], { env, input: '{}' })
  t.is(asked[0]?.body, '{"payload":{},"revocable":false,"holder_key":{"kty": "OKP", "kty": "EC"}}')
})

test('verify takes the credential out of an answer of sign, as it is written there, and nothing out of a credential', async (t) => {
  const { asked, env } = await platformOf(t, (_request, response) => json(response, VERDICT))
  await run(['verify', '-'], { env, input: `{ "id": "}", "list": [{"credential": 1}], "credential" : ${ODD} }` })
  t.is(asked[0]?.body, `{"payload":${ODD}}`)
  const around = `{"@context": [], "encoded": "a.b.c~", "credential": ${ODD}}`
  await run(['verify', '-'], { env, input: around })
  t.is(asked[1]?.body, `{"payload":${around}}`)
  for (const input of [
    `{"credential": {"a": 1}, "credential": ${ODD}}`,
    `{"credential": {"a": 1}, "\\u0063redential": ${ODD}}`,
    '{"encoded": "a.b.c~", "encoded": "d.e.f~"}',
  ])
    t.like(await run(['verify', '-'], { env, input }), { code: 2, stdout: '' }, input)
  t.is(asked.length, 2)
})

test('what is not UTF-8 is exit code 2 and not sent, since it would be signed as other characters', async (t) => {
  const { asked, env } = await platformOf(t, (_request, response) => json(response, SIGNED))
  const input = Buffer.from('{"name":"Zoë"}', 'latin1')
  const file = join(folder, 'latin1.json')
  await writeFile(file, input)
  for (const args of [
    ['sign', '-'],
    ['sign', file],
    ['verify', '-'],
    ['verify', file],
    ['sign', '-', '--format', 'sd-jwt-vc'],
  ]) {
    const { code, stderr } = await run(args, { env, input })
    t.is(code, 2)
    t.regex(stderr, /is not UTF-8/)
  }
  t.deepEqual(asked, [])
})

test('batch uploads the bytes of standard input, as CSV or with --jsonl as JSON lines', async (t) => {
  const { asked, env } = await platformOf(t, (_request, response) => json(response, {}, 400))
  const input = Buffer.from('id,name\n1,Zoë\n', 'latin1')
  await run(['batch', '-', '--template', 't'], { env, input })
  await run(['batch', '-', '--template', 't', '--jsonl'], { env, input })
  t.deepEqual(
    asked.map(({ headers, bytes }) => [headers['content-type'], bytes.equals(input)]),
    [
      ['text/csv', true],
      ['application/x-ndjson', true],
    ],
  )
})

test('members are found by their names alone, whatever their values hold', (t) => {
  const values = ['{}', '[]', '""', '"\\\\"', '"\\"}"', '[[], {"b": "]"}]', '-1.50e3', 'null', `${ODD}`]
  for (const value of values) {
    const object = `{"a":${value} , "b": 1, "c" :\n${value}}`
    t.is(memberOf('f', object, 'a').text, value)
    t.is(memberOf('f', object, 'c').text, value)
    t.is(jsonOf({ x: memberOf('f', object, 'c'), y: undefined, z: 'ä"' }), `{"x":${value},"z":"ä\\""}`)
  }
  t.throws(() => memberOf('f', '{}', 'a'))
})
