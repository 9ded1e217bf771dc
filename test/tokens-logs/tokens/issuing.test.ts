import test from 'ava'
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import { Refusal, Unavailable } from '../../../protocol/errors.ts'
import type { Scope } from '../../../protocol/tokens-logs/index.ts'
import {
  client,
  createPlatform,
  ISSUER,
  LIFETIME,
  processOf,
  refusalOf,
  SECONDS,
  START,
  started,
} from '../../support/tokens.ts'

test('a token has the claims of RFC 9068, for the configured time, and the published key set verifies it', async (t) => {
  const { process } = started()
  const issued = await process.issueToken({ client, grantType: 'client_credentials' })
  t.deepEqual([issued.expiresIn, issued.scopes], [LIFETIME, client.scopes])
  const { keys } = await process.keySet()
  t.deepEqual({ ...decodeProtectedHeader(issued.accessToken) }, { alg: 'EdDSA', typ: 'at+jwt', kid: keys[0]?.kid })
  t.deepEqual({ ...decodeJwt(issued.accessToken) } as object, {
    iss: ISSUER,
    aud: ISSUER,
    sub: client.id,
    client_id: client.id,
    tenant_id: client.tenantId,
    scope: 'dids:read dids:write logs:read',
    iat: SECONDS,
    exp: SECONDS + LIFETIME,
    jti: 'the-uuid',
  })
  await t.notThrowsAsync(jwtVerify(issued.accessToken, createLocalJWKSet({ keys }), { currentDate: START }))
})

test('another grant is refused by name, and then a client that was not authenticated (RFC 6749, section 5.2)', async (t) => {
  const { process } = started()
  const grant = await refusalOf(process.issueToken({ client, grantType: 'password' }))
  t.is(grant.code, 'token.unsupported_grant')
  t.like(grant.errors, [{ path: 'grantType', code: 'enum' }])
  t.is(grant.errors.length, 1)
  t.is((await refusalOf(process.issueToken({ client: undefined, grantType: 'x' }))).code, 'token.unsupported_grant')
  const unknown = process.issueToken({ client: undefined, grantType: 'client_credentials' })
  t.is((await refusalOf(unknown)).code, 'token.invalid_client')
})

test('a token has the scopes that are asked for, all of the client’s by default, and never one more', async (t) => {
  const { process } = started()
  for (const [asked, scopes] of [
    [undefined, client.scopes],
    [null, client.scopes],
    ['', client.scopes],
    ['logs:read', ['logs:read']],
    ['logs:read dids:read', ['logs:read', 'dids:read']],
  ] as [string | null | undefined, Scope[]][]) {
    const request = { client, grantType: 'client_credentials', ...(asked === undefined ? {} : { scope: asked }) }
    const issued = await process.issueToken(request)
    t.deepEqual(issued.scopes, scopes)
    t.is(decodeJwt<{ scope: string }>(issued.accessToken).scope, scopes.join(' '))
    issued.scopes.pop()
  }
  t.is(client.scopes.length, 3, 'a client is not changed by who reads the answer')
  for (const scope of [
    'logs:write',
    'dids:read logs:write',
    'logs:write dids:read',
    'nonsense',
    'dids:read nonsense',
  ]) {
    const refusal = await refusalOf(process.issue(scope))
    t.is(refusal.code, 'token.invalid_scope', scope)
    t.deepEqual(refusal.errors, [
      { path: 'scope', code: 'scope', message: 'expected one or more of: dids:read dids:write logs:read' },
    ])
  }
})

test('a signing key that was replaced a moment ago gives way to the new one; no other error is tried again (D-142)', async (t) => {
  const { platform, keyId, process } = started()
  const old = await process.issue()
  platform.remove(keyId)
  platform.add()
  const token = await process.issue()
  t.not(decodeProtectedHeader(token).kid, decodeProtectedHeader(old).kid)
  t.is((await process.verifyToken(token)).clientId, client.id)
  for (const error of [
    new Unavailable('keys', 'away'),
    new Refusal('key.invalid', 'x'),
    Object.assign(new Error('x'), { code: 'key.not_found' }),
  ]) {
    let asked = 0
    const failing = processOf(platform, async () => {
      asked += 1
      throw error
    })
    t.is(await failing.issue().catch((thrown: unknown) => thrown), error)
    t.is(asked, 1)
  }
})

test('token keys are published 10 minutes before they sign, in a table of their own (D-142)', async (t) => {
  const platform = createPlatform()
  await t.throwsAsync(processOf(platform).issue(), { message: /no token key yet/ })
  const [statement] = platform.statements
  t.regex(statement?.text ?? '', /from platform_keys /)
  t.deepEqual(statement?.values, [10])
  const [old, fresh] = [platform.add(), platform.add(false)]
  const process = processOf(platform)
  const { keys } = await process.keySet()
  t.is(keys.length, 2)
  t.is(decodeProtectedHeader(await process.issue()).kid, keys[1]?.kid, 'nobody may know the newest yet')
  platform.remove(old)
  t.is(decodeProtectedHeader(await process.issue()).kid, keys[0]?.kid, `${fresh} is left`)
})
