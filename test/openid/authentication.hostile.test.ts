import { createHash } from 'node:crypto'
import test from 'ava'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { createPlatform } from '../../activities/index.ts'
import { Refusal, Unavailable } from '../../protocol/errors.ts'
import { type Logins, openLogins, refusalOf } from '../support/openid/logins.ts'
import { playProvider } from '../support/openid/provider.ts'

let logins: Logins
test.before(async () => {
  logins = await openLogins()
})
test.after.always(() => logins?.close())

const { stringify } = JSON
const INVALID = 'authentication.invalid_answer'
const SECRET = 'a-client-secret-of-forty-characters-0001'

type Token = (claims: JWTPayload) => Promise<string> | string

const seconds = () => Math.floor(Date.now() / 1000)
const encode = (text: string) => Buffer.from(text).toString('base64url')

/** A provider at rogue.test, and logins at it whose ID token a test makes. */
async function playLogins({ platform = logins.platform, lists = {} as object } = {}) {
  const { providers, created, call, world } = logins
  const { rogue, rogueIssuer: iss } = providers
  const played = await playProvider(providers)
  Object.assign(played.metadata, lists)
  const { id } = await created({ url: iss, client_id: 'us', client_secret: SECRET })
  const begin = async () => new URL((await platform.authentication.beginAuthentication(call(), { providerId: id })).url)
  const finish = (parameters: URLSearchParams) =>
    platform.authentication.finishAuthentication(world.first.tenantId, parameters)
  const answerTo = (url: URL) => new URLSearchParams({ code: 'c', state: url.searchParams.get('state') ?? '' })
  const claimsFor = (url: URL): JWTPayload => {
    const nonce = url.searchParams.get('nonce') ?? ''
    return { iss, aud: 'us', sub: 'eve', nonce, iat: seconds(), exp: seconds() + 60 }
  }
  const attempt = async (token: Token, more: object = {}) => {
    const url = await begin()
    const idToken = await token(claimsFor(url))
    rogue.set('/token', () => ({ access_token: 'a', token_type: 'bearer', id_token: idToken, ...more }))
    return { idToken, work: finish(answerTo(url)) }
  }
  return {
    ...played,
    id,
    iss,
    begin,
    finish,
    answerTo,
    claimsFor,
    /** The code of the refusal, which says nothing of the token; or the subject. */
    async outcome(token: Token, more: object = {}): Promise<string> {
      const { idToken, work } = await attempt(token, more)
      try {
        return (await work).subjectId
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        const [, payload = ''] = idToken.split('.')
        const shown = [error.message, stringify(error.errors), String(error.cause), error.stack].join(' ')
        if ((payload.length > 1 && shown.includes(payload)) || shown.includes(SECRET))
          throw new Error(`it is told: ${shown}`)
        return error.code
      }
    },
  }
}

test.serial('tokens that the provider did not sign, or not for us, identify nobody (abuse case 21)', async (t) => {
  const { providers, platform, world } = logins
  const lists = { id_token_signing_alg_values_supported: ['none', 'HS256', 'ES256'] }
  const { id, iss, outcome, sign, jwk, privateKey } = await playLogins({ lists })
  const stranger = await generateKeyPair('ES256', { extractable: true })
  const other = { ...(await exportJWK(stranger.publicKey)), kid: 'other', use: 'sig', alg: 'ES256' }
  providers.rogue.set('/other-jwks', () => ({ keys: [other] }))
  const byStranger = (header: object) => (claims: JWTPayload) =>
    sign(claims, { kid: 'other', ...header }, stranger.privateKey)
  const hmac = (header: object, key: string) => (claims: JWTPayload) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'HS256', ...header }).sign(Buffer.from(key))

  t.is(await outcome((claims) => sign(claims)), 'eve')
  providers.requests.length = 0
  const bad: Record<string, Token> = {
    'alg none': (claims) => `${encode('{"alg":"none"}')}.${encode(stringify(claims))}.`,
    'alg None': (claims) => `${encode('{"alg":"None","kid":"rogue"}')}.${encode(stringify(claims))}.`,
    'HS256 with the public key': hmac({ kid: 'rogue' }, stringify(jwk)),
    'HS256 with the client secret': hmac({}, SECRET),
    'a key of a stranger': (claims) => sign(claims, {}, stranger.privateKey),
    'a key in the header': byStranger({ jwk: other, kid: undefined }),
    'a key set in the header': byStranger({ jku: `${iss}/other-jwks` }),
    'a certificate in the header': byStranger({ x5u: `${iss}/other-jwks`, x5c: ['MAo='] }),
    'an unknown kid': (claims) => sign(claims, { kid: 'other' }),
    'a crit header': (claims) => sign(claims, { crit: ['b64'], b64: true }, privateKey),
    'another issuer': (claims) => sign({ ...claims, iss: providers.issuer }),
    'another audience': (claims) => sign({ ...claims, aud: 'them' }),
    'several audiences without azp': (claims) => sign({ ...claims, aud: ['us', 'them'] }),
    'another nonce': (claims) => sign({ ...claims, nonce: 'x' }),
    'no nonce': ({ nonce: _nonce, ...claims }) => sign(claims),
    expired: (claims) => sign({ ...claims, exp: seconds() - 120 }),
    'of the future': (claims) => sign({ ...claims, iat: seconds() + 3_600, nbf: seconds() + 3_600 }),
    'no subject': ({ sub: _sub, ...claims }) => sign(claims),
    'a long subject': (claims) => sign({ ...claims, sub: 'x'.repeat(256) }),
    'a huge token': (claims) => sign({ ...claims, more: 'x'.repeat(200_000) }),
    'no token': () => '',
    'a text': () => 'x.y.z',
  }
  for (const [name, token] of Object.entries(bad)) t.is(await outcome(token), INVALID, name)
  t.is(await outcome((claims) => sign(claims), { id_token: undefined }), INVALID)
  const { users } = await platform.users.listUsers(world.first.tenantId, { limit: 100, offset: 0 }, id)
  t.deepEqual(
    users.map(({ authenticationProvider }) => authenticationProvider.subjectId),
    ['eve'],
  )
  t.false(providers.requests.some(({ path }) => path === '/other-jwks'))
})

test.serial('claims that are too large, too many or too deep are refused, and nothing is stored', async (t) => {
  const { outcome, sign, id } = await playLogins()
  const with_ = (more: unknown) => outcome((claims) => sign({ ...claims, more }))
  const tooLarge = 'authentication.claims_too_large'
  t.is(await with_(Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`c${at}`, 1]))), tooLarge)
  t.is(await with_('x'.repeat(66_000)), tooLarge)
  t.is(await with_(Array.from({ length: 17 }).reduce((inner) => ({ a: inner }), 1)), tooLarge)
  const deep = (claims: JWTPayload) => stringify({ ...claims, more: 0 }).replace(/0}$/, `${'['.repeat(9_000)}`)
  const raw = async (claims: JWTPayload) => {
    const [header, , signature] = (await sign(claims)).split('.')
    return [header, encode(`${deep(claims)}${']'.repeat(9_000)}}`), signature].join('.')
  }
  t.is(await outcome(raw), INVALID, 'nested deeply, and signed by nobody')
  const { users } = await logins.platform.users.listUsers(logins.world.first.tenantId, { limit: 9, offset: 0 }, id)
  t.is(users.length, 0)
  t.is(await with_(Array(501).fill(1)), 'eve', 'lists are not searched')
  const names = await outcome((claims) => sign({ ...claims, constructor: 'x', address: { toString: 'x' } }))
  t.is(names, 'eve')
})

test.serial('what one login got is worth nothing in another one: nonce, state, code verifier', async (t) => {
  const { providers } = logins
  const { begin, finish, answerTo, claimsFor, sign } = await playLogins()
  const [first, second] = [await begin(), await begin()]
  const bodies: URLSearchParams[] = []
  const serve = async (claims: JWTPayload) => {
    const idToken = await sign(claims)
    providers.rogue.set('/token', (_incoming, body) => {
      bodies.push(new URLSearchParams(body))
      return { access_token: 'a', token_type: 'bearer', id_token: idToken }
    })
  }
  await serve(claimsFor(first))
  t.is((await refusalOf(finish(answerTo(second)))).code, INVALID, 'the nonce of the first one')
  t.is((await finish(answerTo(first))).subjectId, 'eve')
  t.is((await refusalOf(finish(answerTo(first)))).code, 'authentication.not_under_way', 'a second time')
  for (const [at, url] of [second, first].entries()) {
    const sent = Object.fromEntries(bodies[at] ?? [])
    const challenge = createHash('sha256')
      .update(sent.code_verifier ?? '')
      .digest('base64url')
    t.is(url.searchParams.get('code_challenge'), challenge)
    t.is(sent.redirect_uri, url.searchParams.get('redirect_uri') ?? '')
    t.false('client_secret' in sent, 'it is in the header')
  }
  t.is(new Set(bodies.map((body) => body.get('code_verifier'))).size, 2)
})

test.serial('an answer of one provider does not end the login at another one (mix-up, RFC 9207)', async (t) => {
  const { providers, created, begin, finish } = logins
  const real = await created({ client_id: 'post', client_secret: 'post-secret' })
  const ours = await playLogins()
  const url = await ours.begin()
  const answer = await providers.browse(await begin(real.id))
  t.is(answer.get('iss'), providers.issuer)
  providers.requests.length = 0
  const mixed = new URLSearchParams({ ...Object.fromEntries(answer), state: url.searchParams.get('state') ?? '' })
  t.is((await refusalOf(finish(mixed))).code, INVALID)
  t.false(
    providers.requests.some(({ path }) => path === '/token'),
    'the other provider does not get the code',
  )
  const turned = await begin(real.id)
  const foreign = ours.answerTo(new URL(turned))
  foreign.set('iss', ours.iss)
  t.is((await refusalOf(finish(foreign))).code, INVALID)
})

test.serial(
  'a key set that is swapped counts when it is read again, and then the old keys count no more',
  async (t) => {
    const { providers, world } = logins
    let offsetMs = 0
    const platform = createPlatform({ ...world.dependencies, now: () => new Date(Date.now() + offsetMs) })
    const { outcome, sign } = await playLogins({ platform })
    t.is(await outcome((claims) => sign(claims)), 'eve')
    const swapped = await generateKeyPair('ES256', { extractable: true })
    const jwk = { ...(await exportJWK(swapped.publicKey)), kid: 'rogue', use: 'sig', alg: 'ES256' }
    providers.rogue.set('/jwks', () => ({ keys: [jwk] }))
    const bySwapped: Token = (claims) => sign(claims, {}, swapped.privateKey)
    t.is(await outcome(bySwapped), INVALID)
    t.is(await outcome((claims) => sign(claims)), 'eve')
    offsetMs = 5 * 60_000 + 1
    t.is(await outcome((claims) => sign(claims)), INVALID)
    t.is(await outcome(bySwapped), 'eve')
  },
)

test.serial(
  'no endpoint of the metadata leads elsewhere: redirects and inner addresses are not followed',
  async (t) => {
    const { providers } = logins
    const to = (location: string) => new Response(null, { status: 307, headers: { location } })
    const wrong: [lists: object, paths: Record<string, () => Response>][] = [
      [{}, { '/jwks': () => to(`${providers.issuer}/jwks`) }],
      [{ jwks_uri: 'https://169.254.169.254/jwks' }, {}],
      [{ jwks_uri: 'https://[::1]/jwks' }, {}],
      [{ token_endpoint: 'https://169.254.169.254/token' }, {}],
      [{ userinfo_endpoint: 'https://169.254.169.254/me' }, {}],
      [{ userinfo_endpoint: `${providers.rogueIssuer}/me` }, { '/me': () => to(`${providers.issuer}/me`) }],
    ]
    for (const [lists, paths] of wrong) {
      const { outcome, sign } = await playLogins({ lists })
      for (const [path, answer] of Object.entries(paths)) providers.rogue.set(path, answer)
      t.is(await outcome((claims) => sign(claims)), INVALID, stringify([lists, Object.keys(paths)]))
    }
  },
)

test.serial('an unknown kid does not make us read the key set again and again (abuse case 21)', async (t) => {
  const { requests } = logins.providers
  const { outcome, sign } = await playLogins()
  requests.length = 0
  for (let nth = 0; nth < 5; nth += 1) t.is(await outcome((claims) => sign(claims, { kid: `k${nth}` })), INVALID)
  const paths = requests.map(({ path }) => path)
  t.is(paths.filter((path) => path === '/jwks').length, 1)
  t.is(paths.filter((path) => path.startsWith('/.well-known')).length, 1)
})

test.serial('a provider that refuses at the token endpoint, or is away, identifies nobody', async (t) => {
  const { providers } = logins
  const { begin, finish, answerTo } = await playLogins()
  const attempt = async () => finish(answerTo(await begin()))
  providers.rogue.delete('/token')
  t.is((await refusalOf(attempt())).code, INVALID)
  providers.rogue.set('/token', () => '{"error":"invalid_client","error_description":"secret s"}')
  const refusal = await refusalOf(attempt())
  t.is(refusal.code, INVALID)
  t.false(stringify([refusal.message, refusal.errors, String(refusal.cause)]).includes('secret s'))
  providers.dns.set('rogue.test', {})
  await t.throwsAsync(attempt(), { instanceOf: Unavailable })
  providers.dns.set('rogue.test', { A: ['127.0.0.1'] })
})

test.serial(
  'a provider that answers with a challenge has refused the client, and its words are not repeated',
  async (t) => {
    const { providers } = logins
    const lists = { userinfo_endpoint: `${providers.rogueIssuer}/me` }
    const { begin, finish, answerTo, claimsFor, sign } = await playLogins({ lists })
    const challenge = () =>
      new Response('{"error":"invalid_client","error_description":"secret s"}', {
        status: 401,
        headers: { 'content-type': 'application/json', 'www-authenticate': 'Basic realm="secret s"' },
      })
    for (const path of ['/token', '/me']) {
      const url = await begin()
      const idToken = await sign(claimsFor(url))
      providers.rogue.set('/token', () => ({ access_token: 'a', token_type: 'bearer', id_token: idToken }))
      providers.rogue.set(path, challenge)
      const refusal = await refusalOf(finish(answerTo(url)))
      t.is(refusal.code, INVALID, path)
      t.is(refusal.errors[0]?.code, 'client_refused', path)
      t.false(stringify([refusal.message, refusal.errors, String(refusal.cause)]).includes('secret s'), path)
    }
  },
)

test.serial('UserInfo about somebody else is refused (OpenID Connect Core 1.0, 5.3.2)', async (t) => {
  const { providers } = logins
  const lists = { userinfo_endpoint: `${providers.rogueIssuer}/me` }
  const { outcome, begin, finish, answerTo, claimsFor, sign } = await playLogins({ lists })
  providers.rogue.set('/me', () => ({ sub: 'ada' }))
  t.is(await outcome((claims) => sign(claims)), INVALID)
  const url = await begin()
  const idToken = await sign({ ...claimsFor(url), email: 'signed@x.test' })
  providers.rogue.set('/token', () => ({ access_token: 'a', token_type: 'bearer', id_token: idToken }))
  const said = { sub: 'eve', email: 'other@x.test', phone: '1', constructor: 'x', iss: 'y' }
  providers.rogue.set('/me', () => said)
  const { claims } = await finish(answerTo(url))
  t.deepEqual(claims, { phone: '1', email: 'signed@x.test' })
})
