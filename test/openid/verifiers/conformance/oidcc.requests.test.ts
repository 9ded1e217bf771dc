import test from 'ava'
import { calculatePKCECodeChallenge, randomPKCECodeVerifier } from 'openid-client'
import { NONCE, openRequests, type Parameters, type Requests, STATE } from '../../../support/openid/requesting.ts'
import { REDIRECT } from '../../../support/openid/verifiers.ts'
import { openWorld, type World } from '../../../support/world.ts'

// one test for each module of oidcc-basic-certification-test-plan about authorization requests (docs/conformance-openid.md)

let world: World
let party: Requests
test.before(async () => {
  world = await openWorld()
  party = await openRequests(world)
})
test.after.always(() => world?.close())

test('oidcc-response-type-missing: the client gets the error and its state', async (t) => {
  const { back, wasAsked } = await party.authorize({ response_type: undefined })
  t.false(wasAsked)
  t.deepEqual([back.get('error'), back.get('state'), back.get('code')], ['invalid_request', STATE, null])
})

test('oidcc-ensure-request-without-nonce-succeeds-for-code-flow: its ID token has no nonce', async (t) => {
  const { claims } = await party.signIn({ nonce: undefined })
  t.false('nonce' in claims)
})

const JWT = (claims: object) =>
  [{ alg: 'none' }, claims].map((part) => `${Buffer.from(JSON.stringify(part)).toString('base64url')}.`).join('')

const UNDERSTOOD_OR_NOT: Record<string, Parameters> = {
  'oidcc-display-page': { display: 'page' },
  'oidcc-display-popup': { display: 'popup' },
  'oidcc-ensure-request-with-unknown-parameter-succeeds': { extra: 'foobar' },
  'oidcc-login-hint': { login_hint: 'buffy@suite.example' },
  'oidcc-ui-locales': { ui_locales: 'se' },
  'oidcc-claims-locales': { claims_locales: 'se' },
  'oidcc-ensure-request-with-acr-values-succeeds': { acr_values: '1 2' },
  'oidcc-claims-essential': { claims: JSON.stringify({ userinfo: { name: { essential: true } } }) },
}

for (const [module, parameters] of Object.entries(UNDERSTOOD_OR_NOT))
  test(`${module}: the person signs in all the same`, async (t) => {
    const { claims, back, wasAsked } = await party.signIn(parameters)
    t.true(wasAsked)
    t.is(back.get('state'), STATE)
    t.like(claims, { nonce: NONCE, course: 'CS-101' })
    t.false('acr' in claims, 'the platform names no class of authentication')
  })

for (const scope of ['profile', 'email', 'address', 'phone'])
  test(`oidcc-scope-${scope}: the metadata does not promise it, and a request with it brings nothing`, async (t) => {
    t.deepEqual((await party.metadata()).scopes_supported, ['openid', 'offline_access'])
    const { claims } = await party.signIn({ scope: `openid ${scope}` })
    t.is(claims.course, 'CS-101')
    for (const name of ['name', 'email', 'address', 'phone_number']) t.false(name in claims, name)
  })

test('oidcc-scope-all: all of them at once bring nothing', async (t) => {
  const { claims } = await party.signIn({ scope: 'openid profile email address phone' })
  const own = ['at_hash', 'aud', 'auth_time', 'course', 'exp', 'iat', 'iss', 'nonce', 'sub']
  t.deepEqual(
    Object.keys(claims).filter((name) => !own.includes(name)),
    [],
  )
})

test('oidcc-alternate-happy-flow: neither the order of scopes nor that of parameters counts', async (t) => {
  const { at } = party
  const turned = { nonce: NONCE, state: STATE, scope: 'offline_access openid', response_type: 'code' }
  const { claims } = await party.signIn({ ...turned, redirect_uri: REDIRECT, client_id: at.client.id })
  t.is(claims.course, 'CS-101')
})

test('oidcc-ensure-registered-redirect-uri: a person gets a page, and nobody a redirect', async (t) => {
  const { page } = await party.authorize({ redirect_uri: `${REDIRECT}/another` })
  t.deepEqual([page.status, page.location], [400, undefined])
  t.regex(page.text, /redirect_uri/)
})

test('oidcc-ensure-post-request-succeeds: a form is as good as a query (OpenID Connect Core 1.0, section 3.1.2.1)', async (t) => {
  const { claims, browser } = await party.signIn({}, { byPost: true })
  t.is(claims.nonce, NONCE)
  const again = await party.signIn({ prompt: 'none' }, { byPost: true, browser })
  t.false(again.wasAsked, 'the session counts, whose cookie no post of another site has')
  const { page } = await party.authorize({ redirect_uri: 'https://evil.example/' }, { byPost: true })
  t.deepEqual([page.status, page.location], [400, undefined])
  const { issuer } = party.at.verifier
  const twice = await fetch(`${issuer}/authorize`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'scope=openid&scope=profile&next=//evil.example',
  })
  t.is(
    twice.headers.get('location'),
    `${new URL(issuer).pathname}/authorize?scope=openid&scope=profile&next=%2F%2Fevil.example`,
    'nothing is lost, and it stays here',
  )
  const huge = await fetch(`${issuer}/authorize`, {
    method: 'POST',
    body: new URLSearchParams({ state: 'x'.repeat(10_000) }),
  })
  t.is(huge.status, 413)
  const unknown = issuer.replace(/[^/]+$/, '00000000-0000-4000-8000-000000000000')
  t.is((await fetch(`${unknown}/authorize`, { method: 'POST' })).status, 404)
})

test('oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported: it is refused by its error', async (t) => {
  const { back } = await party.authorize({ request: JWT({ redirect_uri: REDIRECT, nonce: 'another' }) })
  t.deepEqual([back.get('error'), back.get('state')], ['request_not_supported', STATE])
})

test('oidcc-ensure-request-object-with-redirect-uri: what is in a request object leads nowhere', async (t) => {
  const { page } = await party.authorize({
    redirect_uri: `${REDIRECT}/another`,
    request: JWT({ redirect_uri: REDIRECT }),
  })
  t.deepEqual([page.status, page.location], [400, undefined])
})

test('oidcc-ensure-request-with-valid-pkce-succeeds: and then no other verifier will do', async (t) => {
  const verifier = randomPKCECodeVerifier()
  const challenge = { code_challenge: await calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' }
  const { back } = await party.authorize(challenge)
  const code = back.get('code') ?? ''
  const form = { grant_type: 'authorization_code', redirect_uri: REDIRECT, code }
  t.is((await party.exchange(form)).status, 400)
  t.is((await party.exchange({ ...form, code_verifier: randomPKCECodeVerifier() })).status, 400)
  t.is((await party.exchange({ ...form, code_verifier: verifier })).status, 200)
})
