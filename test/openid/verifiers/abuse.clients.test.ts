import { randomUUID } from 'node:crypto'
import { get } from 'node:http'
import test from 'ava'
import * as openid from 'openid-client'
import { createProvider } from '../../../api/openid/verifiers/provider.ts'
import { makeHolder } from '../../support/credentials/holders.ts'
import { openBrowser } from '../../support/openid/browser.verifiers.ts'
import { post, presentJsonLd, wallet } from '../../support/openid/presenting.ts'
import { openSignIns, type SignIns } from '../../support/openid/signing-in.ts'
import {
  createVerifier,
  createVerifierClient,
  REDIRECT,
  VERIFIERS,
  type VerifierClient,
} from '../../support/openid/verifiers.ts'
import { openWorld, type World } from '../../support/world.ts'

type ProviderParts = Parameters<typeof createProvider>[0]

let world: World
let at: SignIns
test.before(async () => {
  world = await openWorld()
  at = await openSignIns(world)
})
test.after.always(() => world?.close())

const tokenOf = (form: Record<string, string>, { id, secret }: VerifierClient = at.client) =>
  post(`${at.verifier.issuer}/token`, {
    client_id: id,
    grant_type: 'authorization_code',
    redirect_uri: REDIRECT,
    ...(secret !== undefined && { client_secret: secret }),
    ...form,
  })

const basic = ({ id, secret }: VerifierClient) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`

const exchange = (url: URL, codeVerifier: string, authorization = basic(at.client)) =>
  fetch(`${at.verifier.issuer}/token`, {
    method: 'POST',
    headers: { authorization },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      redirect_uri: REDIRECT,
      code: url.searchParams.get('code') ?? '',
      code_verifier: codeVerifier,
    }),
  })

test('a code works once, and its second use ends what the first one gave (RFC 6749, section 4.1.2)', async (t) => {
  const { begun, back } = await at.signedIn()
  const tokens = await at.party.grant(back, begun)
  await t.throwsAsync(at.party.grant(back, begun), { code: 'OAUTH_RESPONSE_BODY_ERROR' })
  await t.throwsAsync(openid.fetchUserInfo(at.party.config, tokens.access_token, openid.skipSubjectCheck))
  await t.throwsAsync(openid.refreshTokenGrant(at.party.config, tokens.refresh_token ?? ''))
})

test('of twenty exchanges of one code at once, and of twenty uses of one refresh token, one succeeds at most', async (t) => {
  const { begun, back } = await at.signedIn()
  const { pkceCodeVerifier } = begun.checks
  const replies = await Promise.all(Array.from({ length: 20 }, () => exchange(back, pkceCodeVerifier)))
  const statuses = replies.map(({ status }) => status)
  t.is(statuses.filter((status) => status === 200).length, 1, statuses.join())
  t.true(statuses.every((status) => status === 200 || status === 400))
  const won = await replies.find(({ ok }) => ok)?.json()
  const isOver = async ({ access_token, refresh_token }: Record<'access_token' | 'refresh_token', string>) => {
    await t.throwsAsync(openid.fetchUserInfo(at.party.config, access_token, openid.skipSubjectCheck))
    await t.throwsAsync(openid.refreshTokenGrant(at.party.config, refresh_token))
  }
  await isOver(won as Record<'access_token' | 'refresh_token', string>)
  const again = await at.signedIn()
  const { refresh_token: token = '' } = await at.party.grant(again.back, again.begun)
  const uses = await Promise.allSettled(
    Array.from({ length: 20 }, () => openid.refreshTokenGrant(at.party.config, token)),
  )
  const refreshed = uses.flatMap((use) => (use.status === 'fulfilled' ? [use.value] : []))
  t.true(refreshed.length <= 1)
  for (const { access_token, refresh_token = '' } of refreshed) await isOver({ access_token, refresh_token })
})

test('of two uses of a code at once, the one that comes second ends what the first one gets, also later', async (t) => {
  const revoked: string[] = []
  const removed: string[][] = []
  const rows = {
    find: async () => ({ grantId: 'the-grant' }),
    findByUid: async () => undefined,
    save: async () => undefined,
    consume: async () => false, // the other one was faster
    revoke: async (grantId: string) => void revoked.push(grantId),
  }
  const facts = {
    ...{ tenantId: randomUUID(), verifierId: randomUUID(), issuer: 'https://a.example/v1/oidc/verifiers/1' },
    ...{ claims: [], includePresentation: false, keys: [], cookieKey: 'a key', revision: '1' },
  }
  const oidcPayloads = (_owner: unknown, kind: string) => ({
    ...rows,
    remove: async (name: string) => void removed.push([kind, name]),
  })
  const parts = { oidcPayloads, oidcProviderFacts: {}, signIns: {} } as unknown as ProviderParts
  const provider = createProvider(parts, facts)
  const client = { clientId: 'a client' } as ConstructorParameters<typeof provider.AuthorizationCode>[0]['client']
  const code = new provider.AuthorizationCode({
    client,
    accountId: 'a.b',
    grantId: 'the-grant',
    scope: 'openid',
    gty: '',
  })
  await t.throwsAsync(code.consume(), { message: 'invalid_grant' })
  t.deepEqual(revoked, ['the-grant'])
  t.deepEqual(removed, [['Grant', 'the-grant']], 'without its grant a token that is saved after this is worth nothing')
})

test('PKCE cannot be left out, weakened or exchanged (RFC 9700, section 2.1.1)', async (t) => {
  const { begun, back } = await at.signedIn()
  for (const verifierOfCode of ['', 'x'.repeat(43), 'x'.repeat(42)])
    t.is((await exchange(back, verifierOfCode)).status, 400, verifierOfCode)
  const plain = await at.party.begin(undefined, { code_challenge_method: 'plain' })
  t.is(new URL(plain.page.location ?? '').searchParams.get('error'), 'invalid_request')
  const url = new URL(openid.buildAuthorizationUrl(at.party.config, { redirect_uri: REDIRECT, scope: 'openid' }))
  const open = await createVerifierClient(world, at.verifier.id, { tokenEndpointAuthMethod: 'none' })
  url.searchParams.set('client_id', open.id)
  url.searchParams.set('nonce', 'a-nonce')
  const ofPublic = await openBrowser().open(url.href)
  t.is(new URL(ofPublic.location ?? '').searchParams.get('error'), 'invalid_request', 'a public client has PKCE alone')
  t.is((await exchange(back, begun.checks.pkceCodeVerifier)).status, 200)
})

test('a redirect URI is compared as a text, and another one is never redirected to', async (t) => {
  const tricks = [
    `${REDIRECT}/`,
    `${REDIRECT}?next=https://evil.example`,
    `${REDIRECT}#fragment`,
    REDIRECT.replace('callback', 'Callback'),
    REDIRECT.replace('callback', '../callback'),
    REDIRECT.replace('callback', '%63allback'),
    REDIRECT.replace('https://', 'https://evil.example@'),
    REDIRECT.replace('.example/', '.example:443/'),
    REDIRECT.replace('.example/', '.example.evil.example/'),
    'https://evil.example/callback',
    'javascript:alert(1)',
    '//evil.example/callback',
    '',
  ]
  for (const trick of tricks) {
    const { page } = await at.party.begin(undefined, { redirect_uri: trick })
    t.is(page.status, 400, trick)
    t.is(page.location, undefined, trick)
    t.regex(page.headers.get('content-security-policy') ?? '', /default-src 'none'.*frame-ancestors 'none'/)
    t.false(page.text.includes('<script'), trick)
  }
  const unknown = await at.party.begin(undefined, { client_id: '00000000-0000-4000-8000-000000000000' })
  t.deepEqual([unknown.page.status, unknown.page.location], [400, undefined])
  const { begun, back } = await at.signedIn()
  const reply = await tokenOf({
    code: back.searchParams.get('code') ?? '',
    code_verifier: begun.checks.pkceCodeVerifier,
    redirect_uri: `${REDIRECT}/`,
  })
  t.is(reply.status, 400)
  t.regex(reply.text, /"error":"invalid_grant"/)
})

test('a page belongs to the browser that opened it: nobody else sees, ends or finishes it (session fixation)', async (t) => {
  const { begun, request } = await at.asked()
  const holder = makeHolder()
  await wallet.answer(request, await presentJsonLd(holder, (await at.credentialFor(holder)).credential, request))
  const stranger = openBrowser()
  const own = begun.browser.cookies.find(({ name }) => name === 'verifier_sign_in')
  const [, uid = ''] = /sign-in\/([^/]+)$/.exec(begun.page.url) ?? []
  t.is(own?.value, uid)
  for (const cookies of [
    [],
    [`verifier_sign_in=${uid}`],
    [`verifier_sign_in=${uid}`, `verifier_sign_in.sig=${'A'.repeat(27)}`],
  ])
    for (const path of ['', '/state', '/done']) {
      const page = await stranger.open(`${begun.page.url}${path}`, undefined, { cookie: cookies.join('; ') })
      t.is(page.status, 400, path)
      t.is(page.location, undefined)
    }
  t.is((await stranger.open(`${begun.page.url}/cancel`, {})).status, 400)
  const resumed = await stranger.open(`${at.verifier.issuer}/authorize/${uid}`)
  t.deepEqual([resumed.status, resumed.location], [400, undefined])
  const other = await at.party.begin()
  const swapped = await begun.browser.open(other.page.url)
  t.is(swapped.status, 400, 'nor the page of another sign-in')
  t.truthy((await at.party.back(begun, begun.page.url)).searchParams.get('code'))
})

test('nobody frames a page; it runs its own script alone; and addresses are those of the platform', async (t) => {
  const { begun } = await at.asked()
  const { headers, text } = begun.page
  const policy = headers.get('content-security-policy') ?? ''
  t.regex(policy, /default-src 'none'/)
  t.regex(policy, /script-src 'sha256-[^']+'/)
  t.regex(policy, /frame-ancestors 'none'/)
  t.false(policy.includes('unsafe'))
  t.is(headers.get('x-frame-options'), 'DENY')
  t.is(headers.get('referrer-policy'), 'no-referrer')
  t.is(headers.get('cache-control'), 'no-store')
  t.regex(text, /<html lang="en">/)
  t.regex(text, /<noscript><meta http-equiv="refresh"/)
  const cookie = begun.browser.cookies.find(({ name }) => name === 'verifier_sign_in')
  t.true(begun.page.url.endsWith(cookie?.path ?? 'none'), 'the cookie is for the page alone')
  const forged = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }
  const metadata = await world.ask(`${VERIFIERS}/${at.verifier.id}/.well-known/openid-configuration`, {
    headers: forged,
  })
  t.false(metadata.text.includes('evil.example'))
  t.like(metadata.json(), { issuer: at.verifier.issuer, id_token_signing_alg_values_supported: ['ES256', 'EdDSA'] })
  const { page } = await at.party.begin(undefined, { state: '"><script>alert(1)</script>', login_hint: '<b>' })
  t.false(page.text.includes('alert(1)'))
})

/** The status of an answer at a host that has no address here. */
const statusAt = (host: string, path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const { port } = new URL(at.verifier.issuer)
    get({ host: 'localhost', port, path, headers: { host } }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0))
    }).on('error', reject)
  })

test('verifiers, clients and requests of others are as missing ones', async (t) => {
  const another = await createVerifier(world)
  const foreign = await createVerifierClient(world, another.id)
  const unknown = await at.party.begin(undefined, { client_id: foreign.id })
  t.deepEqual([unknown.page.status, unknown.page.location], [400, undefined])
  const { begun, back } = await at.signedIn()
  t.is((await exchange(back, begun.checks.pkceCodeVerifier, basic(foreign))).status, 401)
  t.is((await exchange(back, begun.checks.pkceCodeVerifier, basic({ ...at.client, secret: 'wrong' }))).status, 401)
  const { request } = await at.asked()
  const moved = request.response_uri.replace(at.verifier.id, another.id)
  t.is((await post(moved, { vp_token: '{}' })).status, 400)
  const { host: own } = new URL(at.verifier.issuer)
  const { subdomain } = await world.addTenant()
  const path = new URL(at.verifier.issuer).pathname
  t.is(await statusAt(own, `${path}/jwks`), 200)
  t.is(await statusAt(`${subdomain}.${own}`, `${path}/jwks`), 404, 'at the host of another tenant')
  t.is(await statusAt(own, `${path.replace(at.verifier.id, randomUUID())}/jwks`), 404)
  t.is(await statusAt(own, `${path.replace(at.verifier.id, 'x')}/jwks`), 404)
})

test('a method that a path of an issuer does not have is 405 with Allow, as everywhere (RFC 9110, section 15.5.6)', async (t) => {
  const { issuer } = at.verifier
  for (const [path, method, allow] of [
    ['/authorize', 'PUT', 'GET, HEAD, POST'],
    ['/authorize', 'OPTIONS', 'GET, HEAD, POST'],
    ['/jwks', 'POST', 'GET, HEAD, OPTIONS'],
    ['/.well-known/openid-configuration', 'DELETE', 'GET, HEAD, OPTIONS'],
    ['/userinfo', 'PATCH', 'GET, HEAD, POST, OPTIONS'],
    ['/revoke', 'GET', 'POST, OPTIONS'],
  ] as const) {
    const reply = await fetch(`${issuer}${path}`, { method, headers: { origin: 'https://other.example' } })
    t.deepEqual([reply.status, reply.headers.get('allow')], [405, allow], `${method} ${path}`)
    t.is(((await reply.json()) as { type: string }).type, '/problems#request.method_not_allowed')
  }
  const asked = await fetch(`${issuer}/authorize?client_id=${at.client.id}`, { headers: { origin: REDIRECT } })
  t.is(asked.headers.get('access-control-allow-origin'), null, 'no script reads it (RFC 9700, section 2.6)')
})

test('a name of a request that is not encoded as it should be is told so', async (t) => {
  const reply = await fetch(`${at.verifier.issuer}/requests/%ff`)
  t.is(reply.status, 400)
  t.regex(((await reply.json()) as { error_description: string }).error_description, /path/)
})
