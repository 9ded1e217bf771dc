import { readFileSync } from 'node:fs'
import test from 'ava'
import { contentOf } from '../../client/content.ts'
import { answering, token } from '../support/client/answering.ts'
import { operations } from '../support/frame/openapi.ts'

const BYTES = Uint8Array.from([0x89, 0x50, 0xff, 0x00])
const answerOf = (type: string, body: string | Uint8Array<ArrayBuffer>) => () =>
  new Response(body, type ? { headers: { 'content-type': type } } : {})

test('an answer is read by its media type, without an option of the caller', async (t) => {
  const body = { payload: 'CSC:/1/AAAA', width: 100 }
  const png = await answering(token('a'), answerOf('image/png', BYTES)).client.post('/v1/credentials/compact/qrcode', {
    body,
  })
  t.true(png instanceof Blob)
  t.deepEqual(new Uint8Array(await (png as Blob).arrayBuffer()), BYTES)
  const lines = answering(token('a'), answerOf('application/x-ndjson; charset=utf-8', '{"row":1}\n')).client
  t.is(await lines.get('/v1/credentials/batches/{id}/results', { params: { path: { id: 'b' } } }), '{"row":1}\n')
  for (const type of [
    'application/json',
    'application/problem+json;charset=utf-8',
    'Application/JSON',
    'application/vc',
  ])
    t.deepEqual(await contentOf(answerOf(type, '{"a":1}')()), { a: 1 }, type)
  t.is(await contentOf(answerOf('application/json', '')()), undefined)
})

test('what the caller asks for is what it gets', async (t) => {
  const { client } = answering(token('a'), answerOf('application/json', '{"dids":[]}'))
  t.is(await client.get('/v1/dids', { parseAs: 'text' }), '{"dids":[]}')
})

test('every answer of the document that is bytes is read as bytes, and has that type', async (t) => {
  const types = readFileSync(new URL('../../client/api.ts', import.meta.url), 'utf8')
  const binary = new Set<string>()
  for (const { operationId, responses } of operations)
    for (const [status, { content = {} }] of Object.entries(responses))
      for (const [type, { schema }] of Object.entries(content)) {
        if (!status.startsWith('2') || type === 'text/html' || /json$|\/vc$/.test(type)) continue
        const isBlob = (await contentOf(answerOf(type, 'x')())) instanceof Blob
        t.is(isBlob, schema?.format === 'binary', `${operationId} ${type}`)
        if (isBlob) binary.add(type)
      }
  for (const type of binary) {
    t.true(types.includes(`"${type}": Blob;`), type)
    t.false(types.includes(`"${type}": string;`), type)
  }
  t.true(binary.size >= 7)
})

for (const [what, type, body] of [
  ['the page of a proxy', 'text/html; charset=utf-8', '<h1>Log in</h1>'],
  ['half of an answer', 'application/json', '{"dids":['],
  ['no JSON', '', '<h1>'],
] as const)
  test(`${what} in place of an answer is an error that says who answered`, async (t) => {
    const { client } = answering(token('a'), () =>
      Object.defineProperty(answerOf(type, new TextEncoder().encode(body))(), 'url', {
        value: 'https://id.example/v1/dids',
      }),
    )
    const { message } = (await t.throwsAsync(client.get('/v1/dids'))) ?? {}
    t.regex(String(message), /^200 from https:\/\/id\.example\/v1\/dids: the answer is not of a Countersign platform/)
  })
