import { createHash } from 'node:crypto'
import test from 'ava'
import { createCompactTemplate } from '../../support/credentials/compact.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import {
  type Authorization,
  CALLBACK,
  dpopProof,
  errorOf,
  openAuthorization,
  parametersFor,
  pkce,
  queryOf,
} from '../../support/openid/authorization.ts'
import { createWalletKey } from '../../support/openid/wallet.ts'

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

test.serial(
  'who sends no token is told what to send, and no error (RFC 6750, section 3.1; RFC 9449, section 7.1)',
  async (t) => {
    const { setPolicy, world } = authorization
    const challenge = async () =>
      (await world.ask('/v1/openid/credential', { body: {} })).headers.get('www-authenticate')
    t.is(await challenge(), 'DPoP algs="ES256 ES384 EdDSA", Bearer')
    await setPolicy({ requiresDpop: true })
    try {
      t.is(await challenge(), 'DPoP algs="ES256 ES384 EdDSA"')
    } finally {
      await setPolicy({ requiresDpop: false })
    }
  },
)

test('a token that is bound to a key gives nothing without a new proof of it (RFC 9449, section 7)', async (t) => {
  const { authorizeUrl, base, browser, exchange, offered, world } = authorization
  const { issuerState } = await offered([template])
  const { verifier, challenge } = pkce()
  const { location = '' } = await browser().follow(authorizeUrl(parametersFor(challenge, issuerState)), CALLBACK)
  const code = new URL(location).searchParams.get('code') ?? ''
  const key = await createWalletKey()
  const members = { code, code_verifier: verifier, redirect_uri: CALLBACK, client_id: 'wallet' }
  const htu = `${base}/v1/oauth/token`
  const first = await exchange(members, { dpop: await dpopProof(key, { htu }) })
  t.like(first.json(), { error: 'use_dpop_nonce' })
  const nonce = first.headers.get('dpop-nonce') ?? ''
  const proof = await dpopProof(key, { htu, nonce })
  const replied = await exchange(members, { dpop: proof })
  t.like(replied.json(), { token_type: 'DPoP' }, replied.text)
  t.like((await exchange(members, { dpop: proof })).json(), { error: 'invalid_dpop_proof' }, 'its jti was used')
  const { access_token: token } = replied.json<{ access_token: string }>()
  const ath = createHash('sha256').update(token).digest('base64url')
  const at = `${base}/v1/openid/credential`
  const ask = async (authorizationHeader: string, dpop?: string) =>
    world.ask('/v1/openid/credential', {
      body: { credential_configuration_id: template },
      headers: { authorization: authorizationHeader, ...(dpop && { dpop }) },
    })
  const other = await createWalletKey()
  const cases: [string, string | undefined, string, RegExp][] = [
    [`Bearer ${token}`, undefined, 'invalid_token', /^Bearer error="invalid_token"/],
    [`DPoP ${token}`, undefined, 'invalid_dpop_proof', /^DPoP error="invalid_dpop_proof", algs="ES256 ES384 EdDSA"$/],
    [`DPoP ${token}`, await dpopProof(key, { htu: at, ath }), 'use_dpop_nonce', /^DPoP error="use_dpop_nonce"/],
    [`DPoP ${token}`, await dpopProof(other, { htu: at, ath, nonce }), 'invalid_token', /^DPoP/],
    [`DPoP ${token}`, await dpopProof(key, { htu: at, nonce }), 'invalid_dpop_proof', /^DPoP/],
    [`DPoP ${token}`, await dpopProof(key, { htu, ath, nonce }), 'invalid_dpop_proof', /^DPoP/],
    [`DPoP ${token}`, await dpopProof(key, { htu: at, ath, nonce, htm: 'GET' }), 'invalid_dpop_proof', /^DPoP/],
    [`DPoP ${token}`, await dpopProof(key, { htu: at, ath, nonce, iat: 1 }), 'invalid_dpop_proof', /^DPoP/],
    [`DPoP ${token}`, await dpopProof(key, { htu: at, ath, nonce }, { typ: 'jwt' }), 'invalid_dpop_proof', /^DPoP/],
  ]
  for (const [header, dpop, error, challengeOf] of cases) {
    const reply = await ask(header, dpop)
    t.is(reply.status, 401, error)
    t.like(reply.json(), { error })
    t.regex(reply.headers.get('www-authenticate') ?? '', challengeOf)
  }
  const good = await ask(`DPoP ${token}`, await dpopProof(key, { htu: at, ath, nonce }))
  t.is(good.status, 202, 'it is accepted, and there is no worker')
})

test('a pushed request with a DPoP proof binds its code to that key (RFC 9449, section 10.1)', async (t) => {
  const { authorizeUrl, base, browser, exchange, form, offered } = authorization
  const { issuerState } = await offered([template])
  const { verifier, challenge } = pkce()
  const [own, other] = [await createWalletKey(), await createWalletKey('EdDSA')]
  const parameters = parametersFor(challenge, issuerState) as Record<string, string>
  const par = `${base}/v1/oauth/par`
  const first = await form('/v1/oauth/par', parameters, { dpop: await dpopProof(own, { htu: par }) })
  t.is(errorOf(first), '400 use_dpop_nonce')
  const nonce = first.headers.get('dpop-nonce') ?? ''
  const bound = { ...parameters, dpop_jkt: 'x'.repeat(43) }
  const mismatch = await form('/v1/oauth/par', bound, { dpop: await dpopProof(own, { htu: par, nonce }) })
  t.is(errorOf(mismatch), '400 invalid_request')
  const pushed = await form('/v1/oauth/par', parameters, { dpop: await dpopProof(own, { htu: par, nonce }) })
  const { request_uri: requestUri } = pushed.json<{ request_uri: string }>()
  const { location } = await browser().follow(authorizeUrl({ client_id: 'wallet', request_uri: requestUri }), CALLBACK)
  const code = queryOf(location).code ?? ''
  const members = { code, code_verifier: verifier, redirect_uri: CALLBACK, client_id: 'wallet' }
  const htu = `${base}/v1/oauth/token`
  t.is(errorOf(await exchange(members)), '400 invalid_grant', 'without a proof')
  const wrong = await exchange(members, { dpop: await dpopProof(other, { htu, nonce }) })
  t.is(errorOf(wrong), '400 invalid_grant', 'with another key')
  const right = await exchange(members, { dpop: await dpopProof(own, { htu, nonce }) })
  t.like(right.json(), { token_type: 'DPoP' }, right.text)
})
