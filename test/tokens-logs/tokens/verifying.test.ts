import test from 'ava'
import { codeOf } from '../../support/parts/keys.ts'
import {
  client,
  createPlatform,
  LIFETIME,
  made,
  part,
  processOf,
  refusalOf,
  SECONDS,
  started,
} from '../../support/tokens.ts'

test('a token says whose it is, what it may and until when, again and again', async (t) => {
  const { platform, process } = started()
  const token = await process.issue('logs:read dids:read')
  const caller = {
    tenantId: client.tenantId,
    clientId: client.id,
    scopes: ['logs:read', 'dids:read'],
    expires: SECONDS + LIFETIME,
  }
  const other = processOf(platform)
  const first = await other.verifyToken(token)
  t.deepEqual(first as object, caller)
  t.is(await other.verifyToken(token), first, 'a known token is not verified again')
  platform.add()
  other.pass(60_000)
  t.is(await other.verifyToken(token), first, 'a second key ends no token')
})

test('a token ends at its exp, whether it is known or not, and says so (RFC 7519, section 4.1.4)', async (t) => {
  const { platform, process } = started()
  const token = await process.issue()
  for (const [ms, valid] of [
    [LIFETIME * 1000 - 1, true],
    [LIFETIME * 1000, false],
    [LIFETIME * 1000 + 86_400_000, false],
  ] as const) {
    const [known, unknown] = [processOf(platform), processOf(platform)]
    await known.verifyToken(token)
    for (const each of [known, unknown]) {
      each.pass(ms)
      if (valid) {
        t.is((await each.verifyToken(token)).clientId, client.id)
        continue
      }
      const refusal = await refusalOf(each.verifyToken(token))
      t.is(refusal.code, 'token.invalid')
      t.regex(refusal.message, /has expired/)
    }
  }
})

test('a token of a key that was taken away is refused within a minute, though it is known (D-142)', async (t) => {
  const { platform, keyId, process } = started()
  const token = await process.issue()
  await process.verifyToken(token)
  platform.remove(keyId)
  platform.add()
  process.pass(59_999)
  t.is((await process.verifyToken(token)).clientId, client.id)
  process.pass(1)
  t.regex((await refusalOf(process.verifyToken(token))).message, /not issued by this platform/)
})

test('a token of a key that came a moment ago is verified: the keys are read again, at most once a second', async (t) => {
  const { platform, process } = started()
  await process.keySet()
  const { length } = platform.statements
  platform.add()
  const token = await processOf(platform).issue()
  process.pass(1_000)
  t.is((await process.verifyToken(token)).clientId, client.id)
  const strange = `${part({ alg: 'EdDSA', typ: 'at+jwt', kid: 'strange' })}.e30.${'A'.repeat(86)}`
  for (let nth = 0; nth < 3; nth += 1)
    t.regex((await refusalOf(process.verifyToken(strange))).message, /not issued by this platform/)
  t.is(platform.statements.length - length, 2, 'once for the other process, once for this one')
})

test('a token of our key with another header or other claims is refused (RFC 9068, section 4)', async (t) => {
  const all = started()
  t.is((await all.process.verifyToken(await made(all, {}, {}))).clientId, client.id, 'the way of making them works')
  const cases: [name: string, header: object, claims: object, why: RegExp][] = [
    ['typ JWT', { typ: 'JWT' }, {}, /not issued by this platform/],
    ['no typ', { typ: undefined }, {}, /not issued by this platform/],
    ['another alg', { alg: 'Ed25519' }, {}, /not issued by this platform/],
    ['alg none', { alg: 'none' }, {}, /not issued by this platform/],
    ['a kid that is no text', { kid: 7 }, {}, /not issued by this platform/],
    ['another issuer', {}, { iss: 'https://elsewhere.example' }, /not issued by this platform/],
    ['no issuer', {}, { iss: undefined }, /not issued by this platform/],
    ['another audience', {}, { aud: 'https://elsewhere.example' }, /not issued by this platform/],
    ['no audience', {}, { aud: undefined }, /not issued by this platform/],
    ['not yet valid', {}, { nbf: SECONDS + 600 }, /not issued by this platform/],
    ['expired', {}, { exp: SECONDS }, /has expired/],
    ['no end', {}, { exp: undefined }, /lacks a required claim/],
    ['no tenant', {}, { tenant_id: undefined }, /lacks a required claim/],
    ['no client', {}, { sub: undefined }, /lacks a required claim/],
    ['an unknown scope', {}, { scope: 'dids:read everything' }, /lacks a required claim/],
  ]
  for (const [name, header, claims, why] of cases) {
    const refusal = await refusalOf(all.process.verifyToken(await made(all, header, claims)))
    t.is(refusal.code, 'token.invalid', name)
    t.regex(refusal.message, why, name)
  }
})

test('a token without scopes may nothing', async (t) => {
  const all = started()
  for (const scope of [undefined, ''])
    t.deepEqual((await all.process.verifyToken(await made(all, {}, { scope }))).scopes, [])
})

test('a text of 8,192 characters is looked at, a longer one is not, and what is no JWS asks nobody', async (t) => {
  const { platform, process } = started()
  const token = await process.issue()
  const [head = '', body = '', signature = ''] = token.split('.')
  const { length } = platform.statements
  const long = `${head}.${'A'.repeat(8_192 - head.length - signature.length - 2)}.${signature}`
  t.is(long.length, 8_192)
  t.regex((await refusalOf(process.verifyToken(`${long}A`))).message, /too long/)
  for (const text of [long, '', 'a', 'a.b', `${token}.x`, `.${body}.${signature}`, `${head}.${body}`, `${token}=`])
    t.regex((await refusalOf(process.verifyToken(text))).message, /not issued by this platform/, text.slice(0, 20))
  t.is(platform.statements.length, length)
  const unread = createPlatform()
  const other = processOf(unread)
  t.is(await codeOf(other.verifyToken('a.b.c')), 'token.invalid')
  t.is(unread.statements.length, 0)
})
