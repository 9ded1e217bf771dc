import type { IncomingMessage, ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'
import test from 'ava'
import { openOutput, showable } from '../../client/cli/output.ts'
import { connect } from '../../client/index.ts'
import { run } from '../support/client/program.ts'
import { environmentAt, isTokenRequest, json, serverOf, TOKEN } from '../support/client/server.ts'

const client = (baseUrl: string) => connect({ baseUrl, clientId: 'a', clientSecret: 'the-secret' })

for (const status of [301, 302, 303, 307, 308])
  test(`a ${status} takes neither the secret nor the token nor a body to another address`, async (t) => {
    const thief = await serverOf(t, (_request, response) => json(response, TOKEN))
    const away = (request: IncomingMessage, response: ServerResponse) =>
      response.writeHead(status, { location: `${thief.url}${request.url}` }).end()
    const first = await serverOf(t, away)
    await t.throwsAsync(client(first.url).token())
    const later = await serverOf(t, (request, response) =>
      isTokenRequest(request) ? json(response, TOKEN) : away(request, response),
    )
    await t.throwsAsync(client(later.url).post('/v1/dids', { body: { method: 'KEY', options: {} } }))
    await t.throwsAsync(client(later.url).get('/v1/dids'))
    t.deepEqual(thief.asked, [])
    t.is(later.asked.length, 4)
  })

test('the command line says that it follows no redirect', async (t) => {
  const { url } = await serverOf(t, (_request, response) => response.writeHead(307, { location: 'http://x/' }).end())
  const { code, stderr } = await run(['token'], { env: environmentAt(url) })
  t.is(code, 1)
  t.regex(stderr, /^The platform answers with a redirect, which is not followed\./)
})

/** Sets a title, fills the clipboard, and clears the screen, in C0 and in C1. */
const HOSTILE = '\u001b]0;t\u0007\u001b]52;c;ZXZpbA==\u0007\u001b[2J\u009b2J\u009d0;t\u009c\u0008\u007f\r'
/** What reaches a terminal and is neither a text nor the end of a line. */
const ACTS = /[^\P{Cc}\n\t]/u

test('no control character of the platform’s reaches the terminal: refusals, rows and JSON', async (t) => {
  const problem = {
    type: `/problems#${HOSTILE}`,
    title: HOSTILE,
    detail: `no ${HOSTILE}`,
    errors: [],
    instance: HOSTILE,
  }
  const { url } = await serverOf(t, (request, response) => {
    if (isTokenRequest(request)) json(response, TOKEN)
    else if (request.url?.startsWith('/v1/dids?'))
      json(response, { data: [{ did: `did:x${HOSTILE}`, registrationStatus: HOSTILE }], totalPages: 1, totalCount: 1 })
    else json(response, problem, 404)
  })
  const refused = await run(['did', 'resolve', 'did:key:a'], { env: environmentAt(url) })
  t.is(refused.code, 1)
  t.true(refused.stderr.includes('\\u001b]0;t\\u0007'), refused.stderr)
  const lines = await run(['did', 'list'], { env: environmentAt(url) })
  t.true(lines.stdout.startsWith('did:x\\u001b]0;t'), lines.stderr)
  const inJson = await run(['did', 'list', '--json'], { env: environmentAt(url) })
  t.like(JSON.parse(inJson.stdout), { did: `did:x${HOSTILE}` }, 'programs get the same text')
  for (const { stdout, stderr } of [refused, lines, inJson]) t.notRegex(stdout + stderr, ACTS)
})

test('a file of results is shown on a terminal without what would act there, and goes elsewhere as it is', async (t) => {
  const text = `{"a":"ä\u009b2J"}\n\u001b[2J`
  const bytes = Buffer.from(text)
  const parts = Array.from(bytes, (byte) => Uint8Array.of(byte))
  for (const isTTY of [true, false]) {
    const [stdout, stderr] = [Object.assign(new PassThrough(), { isTTY }), new PassThrough()]
    const output = openOutput({ stdout, stderr }, false, () => 0)
    for (const part of parts) await output.raw(part)
    t.is(String(stdout.read()), isTTY ? showable(text) : text)
  }
  t.is(showable('a\tb\n\u0000ä\u202e'), 'a\tb\n\\u0000ä\u202e')
})

const answerOf = (page: unknown) => (typeof page === 'object' && page !== null ? { totalCount: 1, ...page } : page)

for (const [what, page, error] of [
  ['a number of pages without end', () => ({ data: [{ did: 'a' }], totalPages: 1e308 }), /number of pages/],
  ['more pages than any list has', () => ({ data: [{ did: 'a' }], totalPages: 1e9 }), /number of pages/],
  ['a number of pages that is none', () => ({ data: [{ did: 'a' }], totalPages: 'many' }), /number of pages/],
  [
    'the same page again and again',
    () => ({ data: [{ did: 'a' }], totalPages: 1e6 }),
    /page 2 of the list is page 1 again/,
  ],
  [
    'the same page of a list that grows for a while',
    (nth: number) => ({ data: [{ did: 'a' }], totalCount: Math.min(nth, 5), totalPages: 1e6 }),
    /page 6 of the list is page 5 again/,
  ],
  ['no answer', () => null, /number of pages/],
  ['a text', () => 'page', /number of pages/],
  ['empty pages', () => ({ data: [], totalPages: 1e6 }), undefined],
  ['pages that become empty', (nth: number) => ({ data: nth < 3 ? [{ did: nth }] : [], totalPages: 1e6 }), undefined],
] as const)
  test(`a list of ${what} ends`, async (t) => {
    let asked = 0
    const { url } = await serverOf(t, (request, response) =>
      json(response, isTokenRequest(request) ? TOKEN : answerOf(page(++asked))),
    )
    const list = async () => {
      for await (const _row of client(url).each('/v1/dids')) if (asked > 10) t.fail('it goes on')
    }
    if (error) t.regex((await t.throwsAsync(list()))?.message ?? '', error)
    else await t.notThrowsAsync(list())
    t.true(asked <= 6)
  })

test('rows that are added while a list is read make a page come again, which is passed over', async (t) => {
  const rows = Array.from({ length: 10 }, (_, nth) => ({ did: String(nth) }))
  let asked = 0
  const { url } = await serverOf(t, (request, response) => {
    if (isTokenRequest(request)) return json(response, TOKEN)
    const { searchParams } = new URL(request.url ?? '', 'http://x')
    const [page, limit] = [Number(searchParams.get('page')), Number(searchParams.get('limit'))]
    // a batch commits as many rows as a page has, which are the first ones now
    if (++asked === 2) rows.unshift(...Array.from({ length: limit }, (_, nth) => ({ did: `new ${nth}` })))
    const dids = rows.slice((page - 1) * limit, page * limit)
    json(response, { dids, totalCount: rows.length, totalPages: Math.ceil(rows.length / limit), limit, page })
  })
  const seen: string[] = []
  for await (const { did } of client(url).each('/v1/dids', { query: { limit: 4 } })) seen.push(did)
  t.deepEqual(
    seen,
    rows.slice(4).map(({ did }) => did),
  )
  t.is(asked, 4)
})
