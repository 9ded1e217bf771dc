import { randomUUID } from 'node:crypto'
import test from 'ava'
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  type JSONWebKeySet,
  jwtVerify,
  SignJWT,
} from 'jose'
import { SCOPES } from '../../protocol/tokens-logs/index.ts'
import { unusedBitSet } from '../support/frame/base64url.ts'
import { openWorld, type Reply, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const TOKEN = '/v1/auth/token'

interface TokenAnswer {
  access_token: string
  expires_in: number
  token_type: string
  scope: string
}

const credentials = () => ({
  clientId: world.first.clientId,
  clientSecret: world.first.clientSecret,
  grantType: 'client_credentials',
})

const ask = (body: unknown): Promise<Reply> => world.ask(TOKEN, { body })

const askForm = (fields: Record<string, string>, path = TOKEN): Promise<Reply> =>
  world.ask(path, {
    method: 'POST',
    raw: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })

const code = (reply: Reply) => reply.json<{ type: string }>().type.replace('/problems#', '')

test('JSON and form, this API’s casing and OAuth’s own: the same token answer (RFC 6749 section 4.4)', async (t) => {
  const { clientId, clientSecret } = world.first
  const oauth = { client_id: clientId, client_secret: clientSecret, grant_type: 'client_credentials' }
  for (const reply of [
    await ask(credentials()),
    await ask({ ...oauth, audience: 'https://example.org' }),
    await askForm(credentials()),
    await askForm({ ...oauth, scope: 'dids:read' }),
    await askForm(oauth, '/oauth/token'),
  ]) {
    t.is(reply.status, 200, reply.text)
    const answer = reply.json<TokenAnswer>()
    t.like(answer, { token_type: 'Bearer', expires_in: 3600 })
    t.is(reply.headers.get('cache-control'), 'no-store')
    t.is((await world.ask('/v1/dids', { token: answer.access_token })).status, 200)
  }
})

test('the published key set verifies the token for anybody (RFC 7517, RFC 9068)', async (t) => {
  const keySet = (await world.ask('/.well-known/jwks.json')).json<JSONWebKeySet>()
  for (const key of keySet.keys) t.false('d' in key)
  const { payload, protectedHeader } = await jwtVerify(world.token, createLocalJWKSet(keySet), {
    issuer: world.url,
    audience: world.url,
    typ: 'at+jwt',
    algorithms: ['EdDSA'],
  })
  t.is(payload.client_id, world.first.clientId)
  t.is(payload.sub, world.first.clientId)
  t.is((payload.exp ?? 0) - (payload.iat ?? 0), 3600)
  t.truthy(payload.jti)
  t.truthy(protectedHeader.kid)
  const remote = createRemoteJWKSet(new URL('/.well-known/jwks.json', world.url))
  await t.notThrowsAsync(jwtVerify(world.token, remote, { issuer: world.url }))
})

test('a part of the client’s scopes may be asked for, in any order and twice; what it does not hold may not', async (t) => {
  const scopeOf = async (scope: string | null) => (await ask({ ...credentials(), scope })).json<TokenAnswer>().scope
  t.is(await scopeOf('dids:read'), 'dids:read')
  t.is(await scopeOf('  logs:read dids:read  dids:read '), 'logs:read dids:read')
  t.is(await scopeOf(null), SCOPES.join(' '))
  for (const scope of ['dids:admin', 'dids:read nonsense', 'DIDS:READ', '*', 'dids:read,logs:read', 'dids:réad']) {
    const reply = await ask({ ...credentials(), scope })
    t.is(reply.status, 400, scope)
    t.is(code(reply), 'token.invalid_scope')
  }
  const narrow = await world.addTenant()
  await world.dependencies.systemSql.query({
    text: `update oauth2_clients set scopes = '{dids:read}' where id = $1`,
    values: [narrow.clientId],
  })
  const over = await ask({
    ...credentials(),
    ...narrow,
    tenantId: undefined,
    subdomain: undefined,
    scope: 'dids:read dids:write',
  })
  t.is(code(over), 'token.invalid_scope')
  t.is((decodeJwt(await world.tokenOf(narrow)) as { scope: string }).scope, 'dids:read')
})

test('a wrong grant is 400, a missing member too', async (t) => {
  for (const grantType of ['password', 'authorization_code', 'CLIENT_CREDENTIALS', 'client_credentials ']) {
    const reply = await ask({ ...credentials(), grantType })
    t.is(reply.status, 400)
    t.is(code(reply), 'token.unsupported_grant')
  }
  for (const name of ['clientId', 'clientSecret', 'grantType'])
    for (const value of [undefined, '']) t.is((await ask({ ...credentials(), [name]: value })).status, 400, name)
  const twice = await world.ask(TOKEN, {
    method: 'POST',
    raw: 'grant_type=client_credentials&client_id=a&client_id=b&client_secret=c',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  t.is(code(twice), 'request.duplicate_member')
})

test.serial('nothing in an answer tells a known client from an unknown one', async (t) => {
  const seen = new Set<string>()
  const right = credentials()
  for (const request of [
    { ...right, clientSecret: 'x'.repeat(43) },
    { ...right, clientId: randomUUID() },
    { ...right, clientId: "' or 1=1 --" },
  ]) {
    const reply = await ask(request)
    t.is(reply.status, 401)
    const { instance, ...rest } = reply.json<{ instance: string }>()
    t.is(instance, reply.headers.get('x-request-id') ?? '')
    seen.add(JSON.stringify([rest, [...reply.headers.keys()].sort()]))
  }
  t.is(seen.size, 1, 'one answer for all')
})

test('secrets are stored hashed, and appear in no answer', async (t) => {
  const { rows } = await world.dependencies.systemSql.query<{ row: string }>({
    text: 'select row_to_json(c)::text as row from oauth2_clients c',
    values: [],
  })
  t.true(rows.length > 0)
  for (const { row } of rows) t.false(row.includes(world.first.clientSecret))
  const reply = await ask({ ...credentials(), clientSecret: { canary: 'canary-4711' } })
  t.is(reply.status, 400)
  t.false(reply.text.includes('canary-4711'))
})

const refused = async (authorization: string) => {
  const reply = await world.ask('/v1/dids', { headers: { authorization } })
  return { status: reply.status, code: code(reply), challenge: reply.headers.get('www-authenticate') ?? '' }
}

test('forged, changed and foreign tokens are 401 with a challenge (RFC 6750 section 3)', async (t) => {
  const claims = decodeJwt(world.token)
  const header = decodeProtectedHeader(world.token)
  const [head = '', body = '', signature = ''] = world.token.split('.')
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const { privateKey, publicKey } = await generateKeyPair('EdDSA')
  const own = await exportJWK(publicKey)
  const forged = (more: object) =>
    new SignJWT(claims).setProtectedHeader({ ...header, alg: 'EdDSA', ...more }).sign(privateKey)
  const symmetric = (secret: string) =>
    new SignJWT(claims)
      .setProtectedHeader({ ...header, alg: 'HS256' })
      .sign(new TextEncoder().encode(secret.padEnd(32, 'x')))
  const keySet = (await world.ask('/.well-known/jwks.json')).json<JSONWebKeySet>()
  const tokens = {
    'alg none': `${part({ ...header, alg: 'none' })}.${body}.`,
    'alg none, signed': `${part({ ...header, alg: 'none' })}.${body}.${signature}`,
    'public key as HMAC secret': await symmetric(keySet.keys[0]?.x ?? ''),
    'another key': await forged({}),
    'its own key in the header': await forged({ jwk: own }),
    'its own key set in the header': await forged({ jku: 'http://127.0.0.1:1/jwks.json' }),
    'a path as kid': await forged({ kid: '../../../dev/null' }),
    'SQL as kid': await forged({ kid: "' union select 'x" }),
    'no kid': await forged({ kid: undefined }),
    'more claims': `${head}.${part({ ...claims, scope: SCOPES.join(' '), tenant_id: randomUUID() })}.${signature}`,
    'no signature': `${head}.${body}.`,
    'half a signature': `${head}.${body}.${signature.slice(0, 43)}`,
    'four parts': `${world.token}.x`,
    'a padded signature': `${world.token}==`,
    'a padded header': `${head}=.${body}.${signature}`,
    'a signature with unused bits set': `${head}.${body}.${unusedBitSet(signature)}`,
    'a changed header': `${part({ ...header, typ: 'JWT' })}.${body}.${signature}`,
    'a long one': `${head}.${'A'.repeat(9_000)}.${signature}`,
  }
  for (const [name, token] of Object.entries(tokens)) {
    const answer = await refused(`Bearer ${token}`)
    t.like(answer, { status: 401, code: 'token.invalid' }, name)
    t.regex(answer.challenge, /^Bearer realm="countersign", error="invalid_token"$/, name)
  }
})

test('tokens of our own key for another purpose, audience or time are refused', async (t) => {
  const { keys, systemSql } = world.dependencies
  const { rows } = await systemSql.query<{ id: string }>({ text: 'select id from platform_keys', values: [] })
  const signWith = async (header: object, claims: object) => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const text = `${part(header)}.${part(claims)}`
    const ref = {
      tenantId: '00000000-0000-0000-0000-000000000000',
      keyId: rows[0]?.id ?? '',
      keyType: 'ed25519',
    } as const
    return `${text}.${Buffer.from(await keys.sign(ref, Buffer.from(text))).toString('base64url')}`
  }
  const header = decodeProtectedHeader(world.token)
  const claims = decodeJwt(world.token)
  const seconds = Math.floor(Date.now() / 1000)
  t.is(
    (await world.ask('/v1/dids', { token: await signWith(header, claims) })).status,
    200,
    'the way of making them works',
  )
  const made = {
    'typ JWT': await signWith({ ...header, typ: 'JWT' }, claims),
    'no typ': await signWith({ alg: 'EdDSA', kid: header.kid }, claims),
    'another audience': await signWith(header, { ...claims, aud: 'https://elsewhere.example' }),
    'another issuer': await signWith(header, { ...claims, iss: 'https://elsewhere.example' }),
    expired: await signWith(header, { ...claims, exp: seconds - 1 }),
    'not yet valid': await signWith(header, { ...claims, nbf: seconds + 600 }),
    'no end': await signWith(header, { ...claims, exp: undefined }),
    'no tenant': await signWith(header, { ...claims, tenant_id: undefined }),
    'no client': await signWith(header, { ...claims, sub: undefined }),
    'an unknown scope': await signWith(header, { ...claims, scope: 'everything' }),
    'a critical extension': await signWith({ ...header, crit: ['x'], x: 1 }, claims),
  }
  for (const [name, token] of Object.entries(made))
    t.like(await refused(`Bearer ${token}`), { status: 401, code: 'token.invalid' }, name)
})

test('a token counts in the Authorization header alone (RFC 6750 section 5.3)', async (t) => {
  for (const path of [`/v1/dids?access_token=${world.token}`, `/v1/dids?token=${world.token}`]) {
    const reply = await world.ask(path)
    t.is(reply.status, 401, path)
    t.is(code(reply), 'token.missing', path)
  }
  const cookie = await world.ask('/v1/dids', { headers: { cookie: `access_token=${world.token}` } })
  t.is(cookie.status, 401)
  t.is(code(cookie), 'token.missing')
  for (const scheme of ['Basic', 'Token', 'DPoP'])
    t.like(await refused(`${scheme} ${world.token}`), { status: 401, code: 'token.invalid' })
  const lower = await world.ask('/v1/dids', { headers: { authorization: `bearer ${world.token}` } })
  t.is(lower.status, 200, 'the scheme has no case (RFC 9110 section 11.1)')
})
