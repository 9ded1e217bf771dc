import test from 'ava'
import pg from 'pg'
import { createCompactTemplate } from '../../support/credentials/compact.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { until } from '../../support/credentials/dids.ts'
import { AT_WALLET, NOT_TRUSTED, WALLET } from '../../support/openid/authorization.cases.ts'
import {
  type Authorization,
  CALLBACK,
  errorOf,
  openAuthorization,
  parametersFor,
  pkce,
  queryOf,
} from '../../support/openid/authorization.ts'
import { PROVIDERS } from '../../support/openid/logins.ts'
import { playProvider } from '../../support/openid/provider.ts'
import { sessionsOf } from '../../support/openid/wallet.ts'

let authorization: Authorization
let template: string
test.before(async () => {
  authorization = await openAuthorization()
  const { world } = authorization
  await createDid(world, 'ed25519', world.token, true)
  const mapping = { given_name: { map_from: 'claims.given_name', required: true } }
  template = (await createCompactTemplate(world, { credential_mappings: mapping })).id
})
test.after.always(() => authorization?.close())

/** From an offer to the code, with what the token request of its wallet has. */
async function coded(more: Record<string, string | undefined> = {}) {
  const { authorizeUrl, browser, offered } = authorization
  const { id, issuerState } = await offered([template])
  const { verifier, challenge } = pkce()
  const shown = await browser().follow(authorizeUrl(parametersFor(challenge, issuerState, more)), CALLBACK)
  const answer = queryOf(shown.location)
  const members = { code: answer.code ?? '', code_verifier: verifier, redirect_uri: CALLBACK, client_id: 'wallet' }
  return { id, issuerState, answer, members }
}

const askCredential = (token: string) =>
  authorization.world.ask('/v1/openid/credential', { token, body: { credential_configuration_id: template } })

test('a code works once; a second use revokes the token that it gave (RFC 6749, section 4.1.2)', async (t) => {
  const { exchange, world } = authorization
  const { id, members, answer } = await coded()
  t.is(answer.iss, authorization.base)
  t.is(answer.state, 'state-of-the-wallet')
  const first = await exchange(members)
  t.is(first.status, 200, first.text)
  t.is(first.headers.get('cache-control'), 'no-store')
  const { access_token: token } = first.json<{ access_token: string }>()
  t.not(errorOf(await askCredential(token)), '401 invalid_token')
  t.is(errorOf(await exchange(members)), '400 invalid_grant')
  t.is(errorOf(await askCredential(token)), '401 invalid_token')
  const session = await sessionsOf(world).read(id)
  t.like(session, { state: 'FAILED', failure: { code: 'openid_session.code_reused' } })
  t.is(session.steps.filter(({ step }) => step === 'CODE_REUSED').length, 1)
})

test('of twenty exchanges at once one gets a token', async (t) => {
  const { members } = await coded()
  const replies = await Promise.all(Array.from({ length: 20 }, () => authorization.exchange(members)))
  t.is(replies.filter(({ status }) => status === 200).length, 1)
  t.deepEqual([...new Set(replies.filter(({ status }) => status !== 200).map(errorOf))], ['400 invalid_grant'])
})

test('a code with another verifier, address or client gives nothing, and stays good for its own', async (t) => {
  const { exchange } = authorization
  const { members } = await coded()
  const changes: [Record<string, string>, string][] = [
    [{ code_verifier: pkce().verifier }, '400 invalid_grant'],
    [{ code_verifier: members.code_verifier.slice(0, 42) }, '400 invalid_request'],
    [{ redirect_uri: `${CALLBACK}/` }, '400 invalid_grant'],
    [{ redirect_uri: 'http://127.0.0.1:1/callback' }, '400 invalid_grant'],
    [{ client_id: 'other' }, '400 invalid_grant'],
    [{ client_id: '' }, '400 invalid_request'],
    [{ code: 'x'.repeat(43) }, '400 invalid_grant'],
    [{ code: '' }, '400 invalid_request'],
    [{ code_verifier: '' }, '400 invalid_request'],
    [{ redirect_uri: '' }, '400 invalid_request'],
  ]
  for (const [change, expected] of changes)
    t.is(errorOf(await exchange({ ...members, ...change })), expected, JSON.stringify(change))
  t.is((await exchange(members)).status, 200)
})

for (const [name, change, error] of AT_WALLET)
  test(`authorization request with ${name}: the wallet is told ${error} (RFC 6749, section 4.1.2.1)`, async (t) => {
    const { authorizeUrl, base, browser, offered } = authorization
    const { id, issuerState } = await offered([template])
    const shown = await browser().open(authorizeUrl(parametersFor(pkce().challenge, issuerState, change)))
    t.is(shown.status, 302, shown.text)
    t.true(shown.location?.startsWith(`${CALLBACK}?`))
    t.like(queryOf(shown.location), { error, state: 'state-of-the-wallet', iss: base })
    t.is((await sessionsOf(authorization.world).read(id)).state, 'OFFERED')
  })

test.serial('addresses that are not the wallet’s get no redirect, neither with a code nor with an error', async (t) => {
  const { authorizeUrl, browser, offered, world } = authorization
  const body = { name: 'Wallet', clientId: 'registered', redirectUris: [WALLET, 'http://127.0.0.1/own', 'wallet:/cb'] }
  const wallet = await world.ask('/v1/openid/wallets', { token: world.token, body })
  t.is(wallet.status, 201, wallet.text)
  const { issuerState } = await offered([template])
  t.true(NOT_TRUSTED.length >= 40)
  for (const [name, change] of NOT_TRUSTED) {
    const shown = await browser().open(authorizeUrl(parametersFor(pkce().challenge, issuerState, change)))
    t.is(shown.status, 400, name)
    t.is(shown.location, undefined, name)
    t.is(shown.headers['set-cookie'], undefined, name)
    t.regex(String(shown.headers['content-type']), /^text\/html/)
    t.regex(String(shown.headers['content-security-policy']), /frame-ancestors 'none'/, name)
    t.is(shown.headers['x-frame-options'], 'DENY')
    t.notRegex(shown.text, /<script(?! nonce)/, name)
  }
  const twice = `${authorizeUrl(parametersFor(pkce().challenge, issuerState))}&redirect_uri=https://evil.example`
  t.is((await browser().open(twice)).status, 400)
  const good = [WALLET, 'http://127.0.0.1:54321/own', 'wallet:/cb']
  for (const uri of good) {
    const change = { client_id: 'registered', redirect_uri: uri, response_type: 'x' }
    const shown = await browser().open(authorizeUrl(parametersFor(pkce().challenge, issuerState, change)))
    t.true(shown.location?.startsWith(uri), uri)
  }
  const reverse = { redirect_uri: 'com.example.wallet:/cb?x=1', response_type: 'x' }
  const shown = await browser().open(authorizeUrl(parametersFor(pkce().challenge, issuerState, reverse)))
  t.true(shown.location?.startsWith('com.example.wallet:/cb?x=1&error='), shown.location)
})

test('a login that another browser began is refused, and its code is not exchanged (session fixation, CSRF)', async (t) => {
  const { authorizeUrl, base, browser, offered, world } = authorization
  const { id, issuerState } = await offered([template])
  const attacker = browser()
  const url = authorizeUrl(parametersFor(pkce().challenge, issuerState))
  const back = await attacker.follow(url, `${base}/v1/oauth/authentication/callback`)
  const victim = browser()
  const shown = await victim.open(back.location ?? '')
  t.is(shown.status, 400)
  t.is(shown.location, undefined)
  t.regex(shown.text, /another browser/)
  t.is((await attacker.open(back.location ?? '')).status, 400, 'its state is used up')
  t.deepEqual(
    (await sessionsOf(world).read(id)).steps.map(({ step }) => step),
    ['OFFER_CREATED', 'LOGIN_BEGUN'],
  )
  const stolen = browser()
  const own = await stolen.open(url)
  const [[name = '', cookie] = []] = [...stolen.cookies(new URL(base).hostname)]
  t.regex(cookie?.attributes ?? '', /HttpOnly/)
  t.regex(cookie?.attributes ?? '', /SameSite=Lax/)
  t.is(own.status, 302)
  const planted = browser()
  planted.cookies(new URL(base).hostname).set(name, { value: 'x'.repeat(43), attributes: '' })
  const returned = await stolen.follow(own.location ?? '', `${base}/v1/oauth/authentication/callback`)
  t.is((await planted.open(returned.location ?? '')).status, 400)
})

test('a callback that nobody began, twice, or with a code of another login, is refused without a redirect', async (t) => {
  const { authorizeUrl, base, browser, offered } = authorization
  const at = `${base}/v1/oauth/authentication/callback`
  for (const query of [
    '',
    '?state=x',
    '?code=x&state=x',
    '?state=x&state=y',
    `?state=${'x'.repeat(5_000)}`,
    '?error=x',
  ])
    t.is((await browser().open(`${at}${query}`)).status, 400, query)
  const { issuerState } = await offered([template])
  const holder = browser()
  const back = await holder.follow(authorizeUrl(parametersFor(pkce().challenge, issuerState)), at)
  const done = await holder.open(back.location ?? '')
  t.true(done.location?.startsWith(CALLBACK))
  t.is((await holder.open(back.location ?? '')).status, 400)
})

test('a login that the provider refuses, or that is mixed up with another issuer, is told to the wallet', async (t) => {
  const { authorizeUrl, base, browser, offered, world } = authorization
  const at = `${base}/v1/oauth/authentication/callback`
  const { id, issuerState } = await offered([template], { requestedParameters: { loginHint: 'nobody' } })
  const refused = await browser().follow(authorizeUrl(parametersFor(pkce().challenge, issuerState)), CALLBACK)
  t.like(queryOf(refused.location), { error: 'access_denied', state: 'state-of-the-wallet', iss: base })
  t.false((refused.location ?? '').includes('%3Cscript'))
  const session = await sessionsOf(world).read(id)
  t.like(session.steps.at(-1), { step: 'LOGIN_FAILED', code: 'authentication.refused' })
  const { issuerState: other } = await offered([template])
  const holder = browser()
  const back = new URL((await holder.follow(authorizeUrl(parametersFor(pkce().challenge, other)), at)).location ?? '')
  back.searchParams.set('iss', 'https://other.example')
  const mixed = await holder.open(back.href)
  t.like(queryOf(mixed.location), { error: 'server_error', iss: base })
  const text = `select 1 from logs where type = 'OPENID_LOGIN_FAIL' and data -> 'error' ->> 'type' = $1`
  await until('the log entry with the cause', async () => {
    const values = ['authentication.invalid_answer']
    return (await world.dependencies.systemSql.query({ text, values })).rows.length > 0
  })
})

test('a provider that is away is told as temporarily_unavailable, and the offer works once it is back (RFC 6749)', async (t) => {
  const { authorizeUrl, base, browser, offered, providers, world } = authorization
  const metadata = await playProvider(providers)
  const body = { url: providers.rogueIssuer, client_id: 'x', client_secret: 'y', scope: ['openid'] }
  const created = await world.ask(PROVIDERS, { token: world.token, body })
  t.is(created.status, 200, created.text)
  const { id, issuerState } = await offered([template], {
    authenticationProviderId: created.json<{ id: string }>().id,
  })
  const url = authorizeUrl(parametersFor(pkce().challenge, issuerState))
  providers.rogue.set('/.well-known/openid-configuration', () => new Response('', { status: 503 }))
  const away = await browser().open(url)
  t.regex(queryOf(away.location).error ?? '', /^(temporarily_unavailable|server_error)$/)
  t.is(queryOf(away.location).iss, base)
  const session = await sessionsOf(world).read(id)
  t.is(session.steps.at(-1)?.step, 'LOGIN_FAILED')
  t.is(session.waitsFor, 'wallet')
  providers.rogue.set('/.well-known/openid-configuration', () => metadata.metadata)
  const back = await browser().open(url)
  t.true(back.location?.startsWith(`${providers.rogueIssuer}/authorize?`), back.location)
})

test('an issuer_state gives a code until one was exchanged, and the newest code alone counts', async (t) => {
  const { authorizeUrl, browser, exchange } = authorization
  const { issuerState, members } = await coded()
  const { verifier, challenge } = pkce()
  const url = authorizeUrl(parametersFor(challenge, issuerState))
  const again = await browser().follow(url, CALLBACK)
  t.is(errorOf(await exchange(members)), '400 invalid_grant', 'a later login took its place')
  const code = queryOf(again.location).code ?? ''
  t.is((await exchange({ ...members, code, code_verifier: verifier })).status, 200)
  const replayed = await browser().open(url)
  t.is(queryOf(replayed.location).error, 'invalid_request')
  const pre = { grant_type: 'urn:ietf:params:oauth:grant-type:pre-authorized_code', 'pre-authorized_code': issuerState }
  t.is(errorOf(await authorization.form('/v1/oauth/token', pre)), '400 invalid_grant', 'it is no pre-authorized code')
})

test('codes, tokens, issuer_states and request_uris of one tenant are nothing at another one', async (t) => {
  const { authorizeUrl, browser, exchange, form, offered, ofTenant, world } = authorization
  const other = await world.addTenant('other')
  t.truthy(other.tenantId)
  const { id: sessionId, members } = await coded()
  const there = (path: string, body?: string, more?: Record<string, string>) => ofTenant('other', path, body, more)
  const asForm = (given: Record<string, string>) => new URLSearchParams(given).toString()
  const token = asForm({ grant_type: 'authorization_code', ...members })
  t.regex((await there('/v1/oauth/token', token)).text, /invalid_grant/)
  const own = await exchange(members)
  const { access_token: accessToken } = own.json<{ access_token: string }>()
  const body = JSON.stringify({ credential_configuration_id: template })
  const refused = await there('/v1/openid/credential', body, {
    'content-type': 'application/json',
    authorization: `Bearer ${accessToken}`,
  })
  t.is(refused.status, 401)
  const { issuerState } = await offered([template])
  const parameters = parametersFor(pkce().challenge, issuerState) as Record<string, string>
  const asked = await there(`/v1/oauth/authorize?${asForm(parameters)}`)
  t.is(queryOf(asked.location).error, 'invalid_request')
  const pushed = await form('/v1/oauth/par', parameters)
  const { request_uri: requestUri } = pushed.json<{ request_uri: string }>()
  const path = `/v1/oauth/authorize?${asForm({ client_id: 'wallet', request_uri: requestUri })}`
  t.is((await there(path)).status, 400)
  const kept = await browser().open(authorizeUrl({ client_id: 'wallet', request_uri: requestUri }))
  t.is(kept.status, 302, 'it is still good where it belongs')
  t.is((await sessionsOf(world).read(sessionId)).state, 'AUTHORIZED')
})

test('a code ends after 60 seconds, and with its session', async (t) => {
  const { exchange, world } = authorization
  const late = await coded()
  const sql = world.dependencies.systemSql
  const owner = new pg.Client(world.superuserUrl)
  await owner.connect()
  try {
    const { rows } = await owner.query<{ seconds: number }>(
      `select extract(epoch from expires_at - now())::int as seconds from openid_wallet_logins where session_id = $1`,
      [late.id],
    )
    t.true((rows[0]?.seconds ?? 99) <= 60)
    await owner.query(`update openid_wallet_logins set expires_at = now() where session_id = $1`, [late.id])
  } finally {
    await owner.end()
  }
  t.is(errorOf(await exchange(late.members)), '400 invalid_grant')
  const cancelled = await coded()
  t.is((await sessionsOf(world).post(cancelled.id, 'cancel')).status, 200)
  t.is(errorOf(await exchange(cancelled.members)), '400 invalid_grant')
  const { rows } = await sql.query<{ content: string }>({
    text: `select encode(content, 'escape') as content from openid_wallet_logins where session_id = $1`,
    values: [cancelled.id],
  })
  t.false(JSON.stringify(rows).includes('wallet'), 'what a login keeps is encrypted')
})
