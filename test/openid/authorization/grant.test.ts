import test from 'ava'
import { jwtVerify, SignJWT } from 'jose'
import { createDid } from '../../support/credentials/credentials.ts'
import { makeIaca, makeSigner } from '../../support/credentials/mobile.ts'
import {
  type Authorization,
  CALLBACK,
  openAuthorization,
  parametersFor,
  pkce,
} from '../../support/openid/authorization.ts'
import { formIn } from '../../support/openid/browser.ts'
import { collectAfterLogin, type Way } from '../../support/openid/collecting.ts'
import { createTemplates, createWalletKey, sessionsOf } from '../../support/openid/wallet.ts'

let authorization: Authorization
let templates: Awaited<ReturnType<typeof createTemplates>>
test.before(async () => {
  authorization = await openAuthorization({ workflows: true })
  const { world } = authorization
  await createDid(world, 'ed25519', world.token, true)
  await makeIaca(world)
  await makeSigner(world, { active: true })
  templates = await createTemplates(world)
})
test.after.always(() => authorization?.close())

const FORMATS = ['ldp_vc', 'cwt', 'cwt_vc', 'mso_mdoc'] as const

const stepsOf = async (id: string) => (await sessionsOf(authorization.world).read(id)).steps.map(({ step }) => step)

const STEPS = [
  ...['OFFER_CREATED', 'LOGIN_BEGUN', 'HOLDER_IDENTIFIED', 'CODE_ISSUED', 'TOKEN_ISSUED'],
  ...['CREDENTIAL_REQUESTED', 'CREDENTIAL_ISSUED'],
]

const collect = (format: (typeof FORMATS)[number], way: Way) => collectAfterLogin(authorization, templates[format], way)

for (const format of FORMATS)
  test(`${format}: a foreign wallet collects it after a login at a real provider (OpenID4VCI 1.0, section 3.4)`, async (t) => {
    const { id, answer, accessTokenResponse, credentials } = await collect(format, 'plain')
    t.is(answer.iss, authorization.base, 'RFC 9207')
    t.is(answer.state, 'of the wallet')
    t.is(accessTokenResponse.token_type, 'Bearer')
    t.is(credentials.length, 1)
    if (format === 'ldp_vc') t.regex(JSON.stringify(credentials), /"given_name":"grace"/)
    t.deepEqual(await stepsOf(id), STEPS)
    t.false(JSON.stringify(await sessionsOf(authorization.world).read(id)).includes('grace'))
  })

for (const way of ['par', 'dpop', 'par and dpop'] as const)
  for (const format of way === 'par and dpop' ? FORMATS : (['mso_mdoc'] as const))
    test(`${format} with ${way}: the foreign wallet does it by itself (RFC 9126, RFC 9449)`, async (t) => {
      const { begun, accessTokenResponse, credentials } = await collect(format, way)
      t.is(new URL(begun.authorizationRequestUrl).searchParams.has('request_uri'), way.includes('par'))
      t.is(accessTokenResponse.token_type, way.includes('dpop') ? 'DPoP' : 'Bearer')
      t.is((accessTokenResponse.expires_in ?? 0) > 300, way.includes('dpop'), 'D-1195')
      t.is(credentials.length, 1)
    })

test('authorization_details are answered with credential_identifiers, and narrow what the session gives', async (t) => {
  const { authorizeUrl, browser, exchange, offered, world } = authorization
  const { id, issuerState } = await offered([templates.cwt, templates.cwt_vc])
  const { verifier, challenge } = pkce()
  const details = JSON.stringify([{ type: 'openid_credential', credential_configuration_id: templates.cwt }])
  const url = authorizeUrl(parametersFor(challenge, issuerState, { authorization_details: details }))
  const { location = '' } = await browser().follow(url, CALLBACK)
  const code = new URL(location).searchParams.get('code') ?? ''
  const reply = await exchange({ code, code_verifier: verifier, redirect_uri: CALLBACK, client_id: 'wallet' })
  type Token = { access_token: string; authorization_details: Record<string, unknown>[] }
  const { access_token: token, authorization_details: granted } = reply.json<Token>()
  t.is(granted.length, 1)
  t.is(granted[0]?.credential_configuration_id, templates.cwt)
  const [identifier] = granted[0]?.credential_identifiers as string[]
  const credential = await world.ask('/v1/openid/credential', { token, body: { credential_identifier: identifier } })
  t.is(credential.status, 200, credential.text)
  const session = await sessionsOf(world).read(id)
  t.is(session.issuances.length, 1)
  t.is(session.state, 'ISSUED')
})

test('scope and authorization_details of one request each name credentials (OpenID4VCI 1.0, section 5.1.2)', async (t) => {
  const { authorizeUrl, browser, exchange, offered, world } = authorization
  const { id, issuerState } = await offered([templates.cwt, templates.cwt_vc, templates.ldp_vc])
  const { verifier, challenge } = pkce()
  const metadata = (await world.ask('/.well-known/openid-credential-issuer')).json<{
    credential_configurations_supported: Record<string, { scope: string }>
  }>()
  const scope = metadata.credential_configurations_supported[templates.cwt_vc]?.scope ?? ''
  const details = JSON.stringify([{ type: 'openid_credential', credential_configuration_id: templates.cwt }])
  const asked = { authorization_details: details, scope: `openid ${scope}` }
  const { location = '' } = await browser().follow(authorizeUrl(parametersFor(challenge, issuerState, asked)), CALLBACK)
  const code = new URL(location).searchParams.get('code') ?? ''
  const reply = await exchange({ code, code_verifier: verifier, redirect_uri: CALLBACK, client_id: 'wallet' })
  type Detail = { credential_configuration_id: string; credential_identifiers: string[] }
  const token = reply.json<{ access_token: string; scope: string; authorization_details: Detail[] }>()
  t.is(token.scope, scope)
  t.deepEqual(
    token.authorization_details.map((each) => each.credential_configuration_id),
    [templates.cwt, templates.cwt_vc],
  )
  t.is((await sessionsOf(world).read(id)).issuances.length, 2)
  for (const { credential_identifiers } of token.authorization_details) {
    const body = { credential_identifier: credential_identifiers[0] }
    const credential = await world.ask('/v1/openid/credential', { token: token.access_token, body })
    t.true([200, 202].includes(credential.status), credential.text)
  }
})

test('the casing of the specification: exchangeCredentials with clientId and codeVerifier, and a scope', async (t) => {
  const { authorizeUrl, browser, offered, world } = authorization
  const { issuerState } = await offered([templates.cwt], {
    requestedParameters: { loginHint: 'mary', prompt: 'login' },
  })
  const { verifier, challenge } = pkce()
  const metadata = (await world.ask('/v1/openid/metadata')).json<{ credentialsSupported: Record<string, string>[] }>()
  const scope = metadata.credentialsSupported.find(({ id }) => id === templates.cwt)?.scope ?? ''
  const holder = browser()
  const { location = '' } = await holder.follow(
    authorizeUrl(parametersFor(challenge, issuerState, { scope })),
    CALLBACK,
  )
  const body = {
    ...{ grantType: 'authorization_code', clientId: 'wallet', codeVerifier: verifier, redirectUri: CALLBACK },
    code: new URL(location).searchParams.get('code'),
  }
  const reply = await world.ask('/v1/oauth/token', { body })
  t.like(reply.json(), { tokenType: 'Bearer', scope }, reply.text)
  t.is(typeof reply.json<{ accessToken: string }>().accessToken, 'string')
})

test('requestedParameters of an offer reach the provider; without a grantType they make it one with a login (D-506, D-508)', async (t) => {
  const { authorizeUrl, browser, world } = authorization
  const body = { credentials: [templates.cwt], requestedParameters: { loginHint: 'mary', prompt: { Text: 'login' } } }
  const reply = await world.ask('/v1/openid/offers', { token: world.token, body })
  const offer = new URL(reply.json<string>()).searchParams.get('credential_offer') ?? ''
  const { issuer_state: issuerState } = JSON.parse(offer).grants.authorization_code
  const begun = await browser().open(
    authorizeUrl(parametersFor(pkce().challenge, issuerState, { login_hint: 'of the wallet', other: 'x' })),
  )
  t.is(begun.status, 302)
  const sent = Object.fromEntries(new URL(begun.location ?? '').searchParams)
  t.like(sent, { login_hint: 'mary', prompt: 'login', code_challenge_method: 'S256', other: undefined })
})

test.serial(
  'the hook is asked once, by a form; its claims are in the credential, and its answer works once',
  async (t) => {
    const { authorizeUrl, base, browser, exchange, offered, world } = authorization
    const url = 'https://hook.university.example/interaction'
    const hook = { url, claims: ['given_name', 'email'], disabled: false, session_timeout_in_sec: 600 }
    const set = await world.ask('/v1/openid/configuration', { method: 'PUT', token: world.token, body: hook })
    const key = Buffer.from(set.json<{ secret: string }>().secret, 'base64')
    try {
      const { id, issuerState } = await offered([templates.ldp_vc])
      const { verifier, challenge } = pkce()
      const holder = browser()
      const shown = await holder.follow(authorizeUrl(parametersFor(challenge, issuerState)), CALLBACK)
      t.is(shown.status, 200)
      t.regex(String(shown.headers['content-security-policy']), /frame-ancestors 'none'/)
      t.is(shown.headers['x-frame-options'], 'DENY')
      const { action, fields } = formIn(shown.text)
      t.is(action, url)
      const rules = { algorithms: ['HS256'], typ: 'interaction+jwt', issuer: base, audience: url }
      const { payload: question } = await jwtVerify(fields.session_token ?? '', key, rules)
      t.deepEqual(question.claims, { given_name: 'ada', email: 'ada@university.example' })
      t.is((await sessionsOf(world).read(id)).waitsFor, 'holder')
      const answer = await new SignJWT({ claims: { given_name: 'Ada of the hook' } })
        .setProtectedHeader({ alg: 'HS256', typ: 'interaction-answer+jwt' })
        .setIssuer(url)
        .setAudience(base)
        .setJti(String(question.jti))
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign(key)
      const form = { session_token: answer }
      const to = String(question.redirect_url)
      const early = await holder.open(`${to}?login=${question.jti}`)
      t.is(early.status, 400, 'the hook has not answered')
      const received = await holder.open(to, { form, crossSite: true })
      t.is(received.status, 303)
      t.is((await holder.open(to, { form, crossSite: true })).status, 400, 'an answer counts once')
      t.is((await browser().open(received.location ?? '')).status, 400, 'of another browser')
      const { location = '' } = await holder.open(received.location ?? '')
      t.true(location.startsWith(CALLBACK), location)
      t.is((await holder.open(received.location ?? '')).status, 400, 'the code is given once')
      const code = new URL(location).searchParams.get('code') ?? ''
      const reply = await exchange({ code, code_verifier: verifier, redirect_uri: CALLBACK, client_id: 'wallet' })
      const { access_token: token } = reply.json<{ access_token: string }>()
      const { c_nonce: nonce } = (await world.ask('/v1/openid/nonce', { method: 'POST' })).json<{ c_nonce: string }>()
      const walletKey = await createWalletKey('EdDSA')
      const iat = Math.floor(Date.now() / 1000)
      const header = { typ: 'openid4vci-proof+jwt', jwk: walletKey.publicJwk }
      const jwt = await walletKey.sign(header, { aud: base, iat, nonce, iss: 'wallet' })
      const body = { credential_configuration_id: templates.ldp_vc, proofs: { jwt: [jwt] } }
      const credential = await world.ask('/v1/openid/credential', { token, body })
      t.regex(credential.text, /"given_name":"Ada of the hook"/)
      t.deepEqual((await stepsOf(id)).slice(2, 6), ['HOLDER_IDENTIFIED', 'HOOK_ASKED', 'HOOK_ANSWERED', 'CODE_ISSUED'])
      const { rows } = await world.dependencies.systemSql.query<{ content: Buffer }>({
        text: 'select content from openid_wallet_logins where id = $1',
        values: [question.jti],
      })
      t.is(rows.length, 1)
      t.false(rows[0]?.content.includes('Ada'))
    } finally {
      const body = { ...hook, disabled: true }
      await world.ask('/v1/openid/configuration', { method: 'PUT', token: world.token, body })
    }
  },
)

test.serial(
  'without an offer: refused, until the tenant allows it; then a session begins with the login',
  async (t) => {
    const { authorizeUrl, browser, exchange, setPolicy, world } = authorization
    const { verifier, challenge } = pkce()
    const details = JSON.stringify([{ type: 'openid_credential', credential_configuration_id: templates.cwt }])
    const parameters = parametersFor(challenge, '', { issuer_state: undefined, authorization_details: details })
    const refused = await browser().open(authorizeUrl(parameters))
    t.is(new URL(refused.location ?? '').searchParams.get('error'), 'access_denied')
    await setPolicy({ allowsWalletInitiated: true })
    try {
      const { location = '' } = await browser().follow(authorizeUrl(parameters), CALLBACK)
      const code = new URL(location).searchParams.get('code') ?? ''
      const reply = await exchange({ code, code_verifier: verifier, redirect_uri: CALLBACK, client_id: 'wallet' })
      type Token = { access_token: string; authorization_details: { credential_identifiers: string[] }[] }
      const { access_token: token, authorization_details: granted } = reply.json<Token>()
      const body = { credential_identifier: granted[0]?.credential_identifiers[0] }
      const credential = await world.ask('/v1/openid/credential', { token, body })
      t.is(credential.status, 200, credential.text)
    } finally {
      await setPolicy({ allowsWalletInitiated: false })
    }
  },
)

test('scope is what was granted, and no scope is answered that counted for nothing (RFC 6749, section 5.1)', async (t) => {
  const { authorizeUrl, browser, exchange, offered, world } = authorization
  const metadata = (await world.ask('/v1/openid/metadata')).json<{ credentialsSupported: Record<string, string>[] }>()
  const known = metadata.credentialsSupported.find(({ id }) => id === templates.cwt)?.scope ?? ''
  const details = JSON.stringify([{ type: 'openid_credential', credential_configuration_id: templates.cwt }])
  for (const [more, expected] of [
    [{ scope: `openid ${known} unknown` }, known],
    [{ scope: known, authorization_details: details }, known],
    [{ scope: 'openid unknown', authorization_details: details }, undefined],
  ] as const) {
    const { issuerState } = await offered([templates.cwt, templates.cwt_vc])
    const { verifier, challenge } = pkce()
    const url = authorizeUrl(parametersFor(challenge, issuerState, more))
    const { location = '' } = await browser().follow(url, CALLBACK)
    const code = new URL(location).searchParams.get('code') ?? ''
    const reply = await exchange({ code, code_verifier: verifier, redirect_uri: CALLBACK, client_id: 'wallet' })
    t.is(reply.status, 200, reply.text)
    t.is(reply.json<{ scope?: string }>().scope, expected)
  }
})
