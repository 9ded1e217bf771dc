import { randomUUID } from 'node:crypto'
import { get } from 'node:http'
import test from 'ava'
import * as openid from 'openid-client'
import { createDid, sign } from '../../support/credentials/credentials.ts'
import { makeHolder } from '../../support/credentials/holders.ts'
import { makeIaca, makeSigner } from '../../support/credentials/mobile.ts'
import { openBrowser } from '../../support/openid/browser.verifiers.ts'
import {
  DOC_TYPE,
  NAMESPACE,
  openMdoc,
  post,
  presentJsonLd,
  type WalletRequest,
  wallet,
} from '../../support/openid/presenting.ts'
import {
  courseQuery,
  createTemplate,
  createVerifier,
  createVerifierClient,
  openRelyingParty,
  qrLink,
  REDIRECT,
  sameDeviceLink,
  VERIFIERS,
  type Verifier,
  type VerifierClient,
} from '../../support/openid/verifiers.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let issuer: string
let verifier: Verifier
let client: VerifierClient
let party: Awaited<ReturnType<typeof openRelyingParty>>
test.before(async () => {
  world = await openWorld()
  issuer = await createDid(world, 'ed25519', world.token, true)
  verifier = await createVerifier(world, {
    presentation_template_id: await createTemplate(world, courseQuery({ trustedIssuer: [{ required: true, issuer }] })),
  })
  client = await createVerifierClient(world, verifier.id)
  party = await openRelyingParty(verifier, client)
})
test.after.always(() => world?.close())

const credentialFor = async (holder: ReturnType<typeof makeHolder>, by = issuer, revocable = false) =>
  sign(world, by, { revocable, more: { credentialSubject: { id: holder.did, course: 'CS-101' } } })

async function asked() {
  const begun = await party.begin()
  return { begun, request: await wallet.readRequest(qrLink(begun.page)) }
}

async function signedIn() {
  const { begun, request } = await asked()
  const holder = makeHolder()
  const { credential } = await credentialFor(holder)
  await wallet.answer(request, await presentJsonLd(holder, credential, request))
  return { begun, back: await party.back(begun, begun.page.url) }
}

const tokenOf = (form: Record<string, string>, { id, secret }: VerifierClient = client) =>
  post(`${verifier.issuer}/token`, {
    client_id: id,
    grant_type: 'authorization_code',
    redirect_uri: REDIRECT,
    ...(secret !== undefined && { client_secret: secret }),
    ...form,
  })

const basic = ({ id, secret }: VerifierClient) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`

const exchange = (url: URL, codeVerifier: string, authorization = basic(client)) =>
  fetch(`${verifier.issuer}/token`, {
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
  const { begun, back } = await signedIn()
  const tokens = await party.grant(back, begun)
  await t.throwsAsync(party.grant(back, begun), { code: 'OAUTH_RESPONSE_BODY_ERROR' })
  await t.throwsAsync(openid.fetchUserInfo(party.config, tokens.access_token, openid.skipSubjectCheck))
  await t.throwsAsync(openid.refreshTokenGrant(party.config, tokens.refresh_token ?? ''))
})

test('of twenty exchanges of one code at once, and of twenty uses of one refresh token, one succeeds at most', async (t) => {
  const { begun, back } = await signedIn()
  const { pkceCodeVerifier } = begun.checks
  const replies = await Promise.all(Array.from({ length: 20 }, () => exchange(back, pkceCodeVerifier)))
  const statuses = replies.map(({ status }) => status)
  t.is(statuses.filter((status) => status === 200).length, 1, statuses.join())
  t.true(statuses.every((status) => status === 200 || status === 400))
  const again = await signedIn()
  const { refresh_token: token = '' } = await party.grant(again.back, again.begun)
  const uses = await Promise.allSettled(Array.from({ length: 20 }, () => openid.refreshTokenGrant(party.config, token)))
  t.true(uses.filter(({ status }) => status === 'fulfilled').length <= 1)
})

test('PKCE cannot be left out, weakened or exchanged (RFC 9700, section 2.1.1)', async (t) => {
  const { begun, back } = await signedIn()
  for (const verifierOfCode of ['', 'x'.repeat(43), 'x'.repeat(42)])
    t.is((await exchange(back, verifierOfCode)).status, 400, verifierOfCode)
  const plain = await party.begin(undefined, { code_challenge_method: 'plain' })
  t.is(new URL(plain.page.location ?? '').searchParams.get('error'), 'invalid_request')
  const url = new URL(openid.buildAuthorizationUrl(party.config, { redirect_uri: REDIRECT, scope: 'openid' }))
  const without = await openBrowser().open(url.href)
  t.is(new URL(without.location ?? '').searchParams.get('error'), 'invalid_request', 'neither PKCE nor a nonce')
  const open = await createVerifierClient(world, verifier.id, { tokenEndpointAuthMethod: 'none' })
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
    const { page } = await party.begin(undefined, { redirect_uri: trick })
    t.is(page.status, 400, trick)
    t.is(page.location, undefined, trick)
    t.regex(page.headers.get('content-security-policy') ?? '', /default-src 'none'.*frame-ancestors 'none'/)
    t.false(page.text.includes('<script'), trick)
  }
  const unknown = await party.begin(undefined, { client_id: '00000000-0000-4000-8000-000000000000' })
  t.deepEqual([unknown.page.status, unknown.page.location], [400, undefined])
  const { begun, back } = await signedIn()
  const reply = await tokenOf({
    code: back.searchParams.get('code') ?? '',
    code_verifier: begun.checks.pkceCodeVerifier,
    redirect_uri: `${REDIRECT}/`,
  })
  t.is(reply.status, 400)
  t.regex(reply.text, /"error":"invalid_grant"/)
})

test('a presentation for one request answers no other one: of another sign-in, or of the other device', async (t) => {
  const holder = makeHolder()
  const { credential } = await credentialFor(holder)
  const [first, second] = [await asked(), await asked()]
  const vpToken = await presentJsonLd(holder, credential, first.request)
  const answered = (to: WalletRequest, token = vpToken) => post(to.response_uri, { vp_token: JSON.stringify(token) })
  const replayed = await answered(second.request)
  t.is(replayed.status, 400)
  t.regex(replayed.text, /challenge/)
  const same = await wallet.readRequest(sameDeviceLink(first.begun.page))
  t.not(same.nonce, first.request.nonce)
  t.is((await answered(same)).status, 400)
  const elsewhere = await holder.present([credential], { challenge: second.request.nonce, domain: 'another.example' })
  t.regex((await answered(second.request, { credential_0: [elsewhere] })).text, /domain/)
  t.is((await answered(first.request)).status, 200)
  t.is((await answered(first.request)).status, 400, 'once')
  t.is((await answered(same)).status, 400, 'nor by the other device then')
  t.is((await fetch(first.request.response_uri.replace('answers', 'requests'))).status, 400)
})

test('a person is not signed in by a revoked, a foreign, or somebody else’s credential; five failures end it', async (t) => {
  const { begun, request } = await asked()
  const holder = makeHolder()
  const answer = async (credential: unknown, by = holder) =>
    wallet.answer(request, await presentJsonLd(by, credential, request))
  const revoked = await credentialFor(holder, issuer, true)
  const path = `/v1/credentials/web-semantic/${revoked.id}/revocation-status`
  await world.ask(path, { token: world.token, body: { is_revoked: true } })
  const foreign = await credentialFor(holder, await createDid(world))
  const { credential } = await credentialFor(holder)
  const changed = { ...credential, credentialSubject: { id: holder.did, course: 'CS-999' } }
  const cases: [unknown, RegExp, ReturnType<typeof makeHolder>?][] = [
    [revoked.credential, /credentialStatus: Revoked/],
    [foreign.credential, /query/],
    [credential, /holderBinding/, makeHolder()],
    [changed, /credentialProof/],
    [{ ...credential, proof: undefined }, /credential/],
  ]
  for (const [presented, reason, by] of cases) {
    const { status, body } = await answer(presented, by)
    t.is(status, 400)
    t.is(body.error, 'invalid_request')
    t.regex(String(body.error_description), reason)
  }
  t.is((await answer(credential)).status, 400, 'the sign-in is over')
  const page = await begun.browser.open(begun.page.url)
  t.regex(page.text, /You are not signed in/)
  const back = await begun.browser.open(`${begun.page.url}/cancel`, {})
  const end = await begun.browser.follow(back.location ?? '', REDIRECT)
  t.is(new URL(end.location ?? '').searchParams.get('error'), 'access_denied')
  const { rows } = await world.dependencies.systemSql.query<{ metadata: string }>({
    text: `select metadata::text from logs where type = 'OIDC_VERIFIER_AUTH_FAIL'`,
    values: [],
  })
  const logged = rows.map(({ metadata }) => metadata).join()
  t.regex(logged, /"reason":"credentialStatus"/)
  t.false(logged.includes(holder.did), 'the log names nobody')
})

test('a page belongs to the browser that opened it: nobody else sees, ends or finishes it (session fixation)', async (t) => {
  const { begun, request } = await asked()
  const holder = makeHolder()
  await wallet.answer(request, await presentJsonLd(holder, (await credentialFor(holder)).credential, request))
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
  const resumed = await stranger.open(`${verifier.issuer}/authorize/${uid}`)
  t.deepEqual([resumed.status, resumed.location], [400, undefined])
  const other = await party.begin()
  const swapped = await begun.browser.open(other.page.url)
  t.is(swapped.status, 400, 'nor the page of another sign-in')
  t.truthy((await party.back(begun, begun.page.url)).searchParams.get('code'))
})

test('nobody frames a page; it runs its own script alone; and addresses are those of the platform', async (t) => {
  const { begun } = await asked()
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
  const metadata = await world.ask(`${VERIFIERS}/${verifier.id}/.well-known/openid-configuration`, { headers: forged })
  t.false(metadata.text.includes('evil.example'))
  t.like(metadata.json(), { issuer: verifier.issuer, id_token_signing_alg_values_supported: ['ES256', 'EdDSA'] })
  const { page } = await party.begin(undefined, { state: '"><script>alert(1)</script>', login_hint: '<b>' })
  t.false(page.text.includes('alert(1)'))
})

/** The status of an answer at a host that has no address here. */
const statusAt = (host: string, path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const { port } = new URL(verifier.issuer)
    get({ host: 'localhost', port, path, headers: { host } }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0))
    }).on('error', reject)
  })

test('verifiers, clients and requests of others are as missing ones', async (t) => {
  const another = await createVerifier(world)
  const foreign = await createVerifierClient(world, another.id)
  const unknown = await party.begin(undefined, { client_id: foreign.id })
  t.deepEqual([unknown.page.status, unknown.page.location], [400, undefined])
  const { begun, back } = await signedIn()
  t.is((await exchange(back, begun.checks.pkceCodeVerifier, basic(foreign))).status, 401)
  t.is((await exchange(back, begun.checks.pkceCodeVerifier, basic({ ...client, secret: 'wrong' }))).status, 401)
  const { request } = await asked()
  const moved = request.response_uri.replace(verifier.id, another.id)
  t.is((await post(moved, { vp_token: '{}' })).status, 400)
  const { host: own } = new URL(verifier.issuer)
  const { subdomain } = await world.addTenant()
  const path = new URL(verifier.issuer).pathname
  t.is(await statusAt(own, `${path}/jwks`), 200)
  t.is(await statusAt(`${subdomain}.${own}`, `${path}/jwks`), 404, 'at the host of another tenant')
  t.is(await statusAt(own, `${path.replace(verifier.id, randomUUID())}/jwks`), 404)
  t.is(await statusAt(own, `${path.replace(verifier.id, 'x')}/jwks`), 404)
})

test('an answer that is huge, deep or no answer is refused, and nothing is a fault of the server', async (t) => {
  const { request } = await asked()
  const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`
  const bodies: [string, number][] = [
    ['', 400],
    ['vp_token=', 400],
    ['vp_token=x', 400],
    ['vp_token=null', 400],
    ['vp_token=1', 400],
    ['vp_token=[]', 400],
    ['vp_token={}', 400],
    ['vp_token={"credential_0":[]}', 400],
    ['vp_token={"credential_0":[{}]}', 400],
    ['vp_token={"credential_0":["text"]}', 400],
    ['vp_token={"credential_0":[{},{}]}', 400],
    ['vp_token={"credential_0":[{"__proto__":{}}]}', 400],
    ['vp_token={"other":[{}]}', 400],
    ['vp_token={"__proto__":[{}]}', 400],
    ['vp_token={"credential_0":[{}],"credential_0":[{}]}', 400],
    [`vp_token=${deep}`, 400],
    [`vp_token={"credential_0":[{"a":${deep}}]}`, 400],
    ['vp_token={}&vp_token={}', 400],
    ['vp_token={}&error=access_denied', 400],
    ['vp_token=%ff%fe', 400],
    [`vp_token=${'x'.repeat(2_000_000)}`, 413],
    [Array.from({ length: 50 }, (_, nth) => `p${nth}=1`).join('&'), 400],
  ]
  for (const [body, status] of bodies) {
    const { request: fresh } = await asked()
    const reply = await fetch(fresh.response_uri, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body,
    })
    t.is(reply.status, status, body.slice(0, 60))
    t.is(((await reply.json()) as Record<string, string>).error, 'invalid_request')
  }
  const json = await fetch(request.response_uri, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  t.is(json.status, 400)
  t.is((await post(request.response_uri, { error: 'access_denied' })).status, 200, 'a wallet may decline')
  t.is((await post(request.response_uri, { error: 'access_denied' })).status, 400)
})

test('a mobile credential is accepted from its own device alone, with the elements that were asked for', async (t) => {
  await makeIaca(world)
  await makeSigner(world, { active: true })
  const claims = [{ path: [NAMESPACE, 'family_name'] }, { path: [NAMESPACE, 'age_over_18'], values: [true] }]
  const credentialQuery = [{ format: 'mso_mdoc', meta: { doctype_value: DOC_TYPE }, claims }]
  const mobile = await createVerifier(world, {
    presentation_template_id: await createTemplate(world, [{ type: 'DCQL', credentialQuery }]),
    claim_mappings: [],
  })
  const relying = await openRelyingParty(mobile, await createVerifierClient(world, mobile.id))
  const begun = await relying.begin()
  const request = await wallet.readRequest(qrLink(begun.page))
  const mdoc = await openMdoc(world)
  const names = ['family_name', 'age_over_18']
  const cases: [Record<string, unknown[]>, RegExp][] = [
    [mdoc.copy(request), /Device/],
    [await mdoc.present({ ...request, nonce: 'another' }, names), /Device/],
    [await mdoc.present({ ...request, client_id: 'another' }, names), /Device/],
    [await mdoc.present(request, ['family_name']), /does not disclose age_over_18/],
  ]
  for (const [vpToken, reason] of cases) {
    const { status, body } = await wallet.answer(request, vpToken)
    t.is(status, 400)
    t.regex(String(body.error_description), reason)
  }
  t.is((await wallet.answer(request, await mdoc.present(request, names))).status, 200)
})
