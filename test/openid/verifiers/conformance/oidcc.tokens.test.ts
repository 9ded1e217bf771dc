import test from 'ava'
import { NONCE, openRequests, type Requests } from '../../../support/openid/requesting.ts'
import { openWorld, type World } from '../../../support/world.ts'

// one test for each module of oidcc-basic-certification-test-plan about sessions and tokens (docs/conformance-openid.md)

let world: World
let party: Requests
test.before(async () => {
  world = await openWorld()
  party = await openRequests(world)
})
test.after.always(() => world?.close())

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

test('oidcc-server: the ID token is of this provider, for this client and this request, with a published key', async (t) => {
  const { claims, header, headers, tokens } = await party.signIn()
  t.is(claims.nonce, NONCE)
  t.is(tokens.token_type, 'Bearer')
  t.is(headers.get('cache-control'), 'no-store')
  t.like(header, { alg: 'ES256' })
  t.regex(header.kid ?? '', /./)
  const { iat = 0, exp = 0 } = claims
  t.true(Math.abs(iat - Date.now() / 1000) < 60 && exp > iat)
  t.like(await party.metadata(), { issuer: claims.iss, subject_types_supported: ['pairwise'] })
})

test(`oidcc-server-client-secret-post: a client that sends its secret in the form gets tokens, and another client gets none for it`, async (t) => {
  const { claims, client, tokens } = await party.signIn({}, { client: party.other })
  t.is(claims.aud, client.id)
  t.regex(tokens.access_token, /./)
  const { back } = await party.authorize({}, { client })
  const form = { grant_type: 'authorization_code', redirect_uri: client.redirectUris[0], code: back.get('code') ?? '' }
  t.is((await party.exchange(form, party.at.client)).status, 400, 'nor does another client')
})

const ASKED: Record<string, (token: string) => RequestInit> = {
  'oidcc-userinfo-get': (token) => ({ headers: bearer(token) }),
  'oidcc-userinfo-post-header': (token) => ({ method: 'POST', headers: bearer(token) }),
  'oidcc-userinfo-post-body': (token) => ({ method: 'POST', body: new URLSearchParams({ access_token: token }) }),
}

for (const [module, ask] of Object.entries(ASKED))
  test(`${module}: UserInfo answers with the sub of the ID token`, async (t) => {
    const { claims, tokens } = await party.signIn()
    const response = await party.userInfo(ask(tokens.access_token))
    t.is(response.status, 200)
    t.regex(response.headers.get('content-type') ?? '', /^application\/json/)
    t.like((await response.json()) as object, { sub: claims.sub, course: 'CS-101' })
    t.is((await party.userInfo(ask('another'))).status, 401)
  })

test('oidcc-prompt-login: the person is asked again, and auth_time moves', async (t) => {
  const first = await party.signIn({ max_age: '10000' })
  await new Promise((resolve) => setTimeout(resolve, 1_100))
  const second = await party.signIn({ max_age: '10000', prompt: 'login' }, { browser: first.browser })
  t.true(second.wasAsked)
  t.is(second.claims.sub, first.claims.sub)
  t.true(Number(second.claims.auth_time) > Number(first.claims.auth_time))
})

test('oidcc-prompt-none-not-logged-in: login_required, without a page', async (t) => {
  const { back, wasAsked } = await party.authorize({ prompt: 'none' })
  t.deepEqual([back.get('error'), wasAsked], ['login_required', false])
})

test('oidcc-prompt-none-logged-in: the session is enough, and is of the same person and time', async (t) => {
  const first = await party.signIn({ max_age: '10000' })
  const second = await party.signIn({ max_age: '10000', prompt: 'none' }, { browser: first.browser })
  t.false(second.wasAsked)
  const { sub, auth_time: at } = second.claims
  t.deepEqual([sub, at], [first.claims.sub, first.claims.auth_time])
})

test('oidcc-id-token-hint: with the hint of the person of the session no page is shown', async (t) => {
  const first = await party.signIn()
  const hint = { prompt: 'none', id_token_hint: first.tokens.id_token }
  const second = await party.signIn(hint, { browser: first.browser })
  t.deepEqual([second.wasAsked, second.claims.sub], [false, first.claims.sub])
})

test('oidcc-max-age-1: a session that is older is asked again', async (t) => {
  const first = await party.signIn()
  await new Promise((resolve) => setTimeout(resolve, 2_100))
  const second = await party.signIn({ max_age: '1' }, { browser: first.browser })
  t.true(second.wasAsked)
  t.true(Number(second.claims.auth_time) > Date.now() / 1000 - 60)
})

test('oidcc-max-age-10000: a younger session is not, and the ID token says when it began', async (t) => {
  const first = await party.signIn({ max_age: '10000' })
  const second = await party.signIn({ max_age: '10000' }, { browser: first.browser })
  t.false(second.wasAsked)
  t.is(typeof second.claims.auth_time, 'number')
  t.is(second.claims.auth_time, first.claims.auth_time)
})

test('oidcc-codereuse, oidcc-codereuse-30seconds: a code works once, and its second use ends the access token', async (t) => {
  const { back, tokens } = await party.signIn()
  const again = await party.exchangeCode(back.get('code'))
  t.deepEqual([again.status, again.tokens.error], [400, 'invalid_grant'])
  t.is((await party.userInfo({ headers: bearer(tokens.access_token) })).status, 401)
})

test('oidcc-refresh-token: it is of the client, and its ID token of the same person and issuer', async (t) => {
  const { claims, tokens } = await party.signIn({ scope: 'openid offline_access' })
  const { refresh_token: token = '' } = tokens
  const form = { grant_type: 'refresh_token', refresh_token: token }
  const stolen = await party.exchange(form, party.other)
  t.deepEqual([stolen.status, stolen.tokens.error], [400, 'invalid_grant'])
  const refreshed = await party.exchange(form)
  t.is(refreshed.status, 200)
  const { payload } = await party.claimsOf(refreshed.tokens.id_token)
  t.deepEqual([payload.sub, payload.iss, payload.aud], [claims.sub, claims.iss, claims.aud])
  t.is((await party.userInfo({ headers: bearer(refreshed.tokens.access_token) })).status, 200)
})
