import test from 'ava'
import { register } from 'prom-client'
import { isFresh } from '../../../protocol/etag.ts'
import { createDid, sign } from '../../support/credentials/credentials.ts'
import { openTarget, type Target } from '../../support/frame/hostile.ts'
import { document } from '../../support/frame/openapi.ts'

let target: Target
test.before(async () => {
  target = await openTarget()
})
test.after.always(() => target?.close())

test('a published list is asked for again by its tag, in every form a cache sends it (RFC 9110 section 13.1.2)', async (t) => {
  const path = `/v1/revocation-lists/${target.sample.listId}`
  const first = await target.client.ask({ path })
  t.is(first.status, 200)
  const etag = String(first.headers.etag)
  t.regex(etag, /^"[\w-]{43}"$/)
  t.regex(String(first.headers['cache-control']), /^public, max-age=\d+$/)
  for (const given of [etag, `W/${etag}`, `"x", ${etag}`, `"x",W/${etag}`, '*'])
    t.is((await target.client.ask({ path, headers: { 'if-none-match': given } })).status, 304, given)
  for (const given of ['"x"', etag.slice(1), ''])
    t.is((await target.client.ask({ path, headers: { 'if-none-match': given } })).status, 200, given)
  t.false(isFresh(undefined, etag))
})

test('what is public is read by browsers of any origin, in its exact media type (Fetch standard, CORS protocol)', async (t) => {
  const { sample, client } = target
  for (const [path, type] of [
    [`/v1/revocation-lists/${sample.listId}`, 'application/vc'],
    [`/v1/presentation-requests/${sample.presentationRequestId}`, 'application/jose'],
    ['/.well-known/jwks.json', 'application/json; charset=utf-8'],
  ] as const) {
    const { status, headers } = await client.ask({ path })
    t.deepEqual([status, headers['content-type'], headers['access-control-allow-origin']], [200, type, '*'], path)
  }
})

test('a hundred first looks at a list make one signature', async (t) => {
  const { world, client } = target
  // every BBS signature is another one, so that two would show
  const did = await createDid(world, 'bls12381g2')
  const { credential } = await sign(world, did, { proofType: 'bbs-2023', revocable: true })
  const { statusListCredential } = credential.credentialStatus as { statusListCredential: string }
  const path = new URL(statusListCredential).pathname
  const looks = await Promise.all(Array.from({ length: 100 }, () => client.ask({ path })))
  t.deepEqual(new Set(looks.map(({ status }) => status)), new Set([200]))
  t.is(new Set(looks.map(({ headers }) => headers.etag)).size, 1)
})

test('absolute addresses come from the configuration, whatever host a request names (RFC 9110, section 7.2)', async (t) => {
  const hosts: Record<string, string>[] = [
    { host: 'evil.example' },
    { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
  ]
  for (const headers of hosts)
    for (const path of [
      '/openapi.json',
      '/docs',
      '/problems',
      '/.well-known/jwks.json',
      '/.well-known/did.json',
      '/.well-known/did-configuration',
      `/v1/revocation-lists/${target.sample.listId}`,
      '/nothing',
    ]) {
      const reply = await target.client.ask({ path, headers })
      t.false((reply.text + JSON.stringify(reply.headers)).includes('evil.example'), path)
    }
})

test('metrics know routes by their template alone: no path, id or tenant becomes a label (Prometheus, metric and label naming)', async (t) => {
  for (let nth = 0; nth < 50; nth++) {
    for (const path of [
      `/random-${nth}`,
      `/v1/dids/did:example:${nth}`,
      `/v1/nothing/${nth}`,
      `/x${nth}/did.json`,
      `/core/v1/dids/${nth}`,
    ])
      await target.client.ask({ path, token: target.sample.token })
    await target.client.ask({ path: '/v1/dids', token: `x${nth}` })
  }
  const { values } = (await register.getMetricsAsJSON()).find(
    ({ name }) => name === 'countersign_http_request_seconds',
  ) ?? { values: [] }
  const routes = new Set(values.map(({ labels }) => String((labels as { route?: string }).route)))
  const known = new Set([...Object.keys(document.paths), 'none'])
  t.deepEqual(
    [...routes].filter(
      (route) =>
        !known.has(route) && !/^\/(docs|problems|openapi\.json|\.well-known\/did\.json|\*path\/did\.json)/.test(route),
    ),
    [],
  )
  const text = await register.metrics()
  for (const secret of [target.sample.client.tenantId, target.sample.client.clientId, 'did:', 'random-'])
    t.false(text.includes(secret), secret)
})

test('answers of the API are stored by no cache, and no browser guesses at them', async (t) => {
  for (const path of ['/v1/dids', '/v1/credentials/web-semantic', '/v1/nothing']) {
    const { headers } = await target.client.ask({ path, token: target.sample.token })
    t.is(headers['cache-control'], 'no-store', path)
    t.is(headers['x-content-type-options'], 'nosniff')
    t.is(headers['x-powered-by'], undefined)
    t.is(headers.server, undefined)
  }
})
