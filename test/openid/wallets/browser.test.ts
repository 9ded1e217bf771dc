import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import anyTest from 'ava'
import { createCompactTemplate } from '../../support/credentials/compact.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { dpopProof } from '../../support/openid/authorization.ts'
import { createWalletKey, offerIn, sessionsOf } from '../../support/openid/wallet.ts'
import { openChromium } from '../../support/parts/chromium.ts'
import { needs } from '../../support/parts.ts'
import { openWorld, type World } from '../../support/world.ts'

const test = anyTest
const inChromium = needs('Chromium', anyTest)

/** The origin of a wallet that is a web page. */
const ORIGIN = 'https://wallet.example'

let world: World
let template: string
test.before(async () => {
  world = await openWorld({ workflows: true, env: { PUBLIC_RATE_LIMIT_PER_MINUTE: '1000' } })
  await createDid(world, 'ed25519', world.token, true)
  const mapping = { given_name: { map_from: 'claims.given_name', required: true } }
  template = (await createCompactTemplate(world, { credential_mappings: mapping })).id
})
test.after.always(() => world?.close())

const READ = [
  '/.well-known/openid-credential-issuer',
  '/.well-known/oauth-authorization-server',
  '/v1/openid/metadata',
] as const
const POSTED = [
  '/v1/oauth/par',
  '/v1/oauth/token',
  '/v1/oauth/challenge',
  '/v1/openid/nonce',
  '/v1/openid/credential',
  '/v1/openid/deferred-credential',
  '/v1/openid/notification',
] as const

const preflight = (path: string, method: string, headers = 'authorization,content-type,dpop') =>
  world.ask(path, {
    method: 'OPTIONS',
    headers: {
      origin: ORIGIN,
      'access-control-request-method': method,
      'access-control-request-headers': headers,
    },
  })

const listed = (value: string | null) => (value ?? '').toLowerCase().split(/, */)

for (const [path, method] of [...READ.map((each) => [each, 'GET']), ...POSTED.map((each) => [each, 'POST'])] as [
  string,
  string,
][])
  test(`${path}: a page of another origin may call it, without cookies (Fetch Standard; RFC 9700, section 2.6)`, async (t) => {
    const { status, headers, text } = await preflight(path, method)
    t.deepEqual([status, text], [204, ''])
    t.is(headers.get('access-control-allow-origin'), '*')
    t.true(listed(headers.get('access-control-allow-methods')).includes(method.toLowerCase()))
    const attested = ['oauth-client-attestation', 'oauth-client-attestation-pop']
    for (const name of ['authorization', 'content-type', 'dpop', ...attested])
      t.true(listed(headers.get('access-control-allow-headers')).includes(name), name)
    t.is(headers.get('access-control-allow-credentials'), null, 'never with cookies')
    const asked = method === 'GET' ? {} : { body: {} }
    const reply = await world.ask(path, { method, ...asked, headers: { origin: ORIGIN } })
    t.is(reply.headers.get('access-control-allow-origin'), '*', `${reply.status}, an error too`)
    t.is(reply.headers.get('access-control-allow-credentials'), null)
    t.true(reply.status < 500)
    if (method === 'GET') return
    for (const name of ['dpop-nonce', 'oauth-client-attestation-challenge', 'www-authenticate', 'retry-after'])
      t.true(listed(reply.headers.get('access-control-expose-headers')).includes(name), name)
  })

for (const path of [
  '/v1/oauth/authorize',
  '/v1/oauth/authentication/callback',
  '/v1/oauth/interaction',
  '/v1/openid/sessions',
  '/v1/openid/wallets',
  '/v1/auth/token',
])
  test(`${path}: no page of another origin may call it by script (RFC 9700, section 2.6)`, async (t) => {
    const asked = await preflight(path, 'POST')
    const reply = await world.ask(path, { headers: { origin: ORIGIN } })
    for (const { headers } of [asked, reply]) t.is(headers.get('access-control-allow-origin'), null)
  })

test('OPTIONS without the headers of a preflight request is answered as everywhere: by Allow (RFC 9110, section 9.3.7)', async (t) => {
  const { status, headers } = await world.ask('/v1/oauth/token', { method: 'OPTIONS' })
  t.deepEqual([status, headers.get('allow')], [204, 'POST, OPTIONS'])
})

inChromium('a wallet that is a web page collects a credential in a real browser, with DPoP', async (t) => {
  const page = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>A wallet</title>')
  })
  await new Promise<void>((resolve) => void page.listen(0, '127.0.0.1', resolve))
  const chromium = await openChromium()
  try {
    const { uri } = await sessionsOf(world).offer({ credentials: [template], claims: { given_name: 'Ada' } })
    const { credential_issuer: issuer, grants } = offerIn(uri)
    const [grant_type = '', grant] = Object.entries(grants)[0] ?? []
    const tab = await chromium.newPage()
    await tab.goto(`http://127.0.0.1:${(page.address() as AddressInfo).port}/`)
    type Shown = { status: number; nonce: string | null; json: Record<string, unknown> }
    // what runs in the browser is text: the tests have no types of a browser
    const fetched = (url: string, options: object = {}): Promise<Shown> =>
      tab.evaluate(`fetch(${JSON.stringify(url)}, ${JSON.stringify(options)}).then(async (reply) => ({
        status: reply.status, nonce: reply.headers.get('dpop-nonce'), json: await reply.json() }))`)
    const { json: metadata } = await fetched(`${issuer}/.well-known/openid-credential-issuer`)
    const { json: server } = await fetched(`${issuer}/.well-known/oauth-authorization-server`)
    const key = await createWalletKey()
    const htu = String(server.token_endpoint)
    const exchange = async (nonce?: string) =>
      fetched(htu, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          dpop: await dpopProof(key, { htu, ...(nonce && { nonce }) }),
        },
        body: new URLSearchParams({ grant_type, ...grant }).toString(),
      })
    const first = await exchange()
    t.like(first, { status: 400, json: { error: 'use_dpop_nonce' } })
    const token = await exchange(first.nonce ?? '')
    t.like(token, { status: 200, json: { token_type: 'DPoP' } })
    const accessToken = String(token.json.access_token)
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(accessToken)))
    const at = String(metadata.credential_endpoint)
    const dpop = await dpopProof(key, {
      htu: at,
      nonce: token.nonce ?? '',
      ath: Buffer.from(digest).toString('base64url'),
    })
    const credential = await fetched(at, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `DPoP ${accessToken}`, dpop },
      body: JSON.stringify({ credential_configuration_id: template }),
    })
    t.is(credential.status, 200, JSON.stringify(credential.json))
    t.is((credential.json.credentials as object[]).length, 1)
    await t.throwsAsync(fetched(`${issuer}/v1/openid/sessions`), { message: /Failed to fetch/ })
  } finally {
    await chromium.close()
    page.close()
  }
})
