import { randomBytes } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import test from 'ava'
import fc from 'fast-check'
import { Refusal, Unavailable } from '../../protocol/errors.ts'
import { decryptJwe } from '../../protocol/messaging/jwe.decrypt.ts'
import { encryptJwe } from '../../protocol/messaging/jwe.encrypt.ts'
import { type GeneralJwe, generalOf } from '../../protocol/messaging/jwe.form.ts'
import { toGeneral, toSpecified } from '../../protocol/messaging/jwe.shape.ts'
import { agreementOf, forged, openerOf, type PrivateJwk, people } from '../support/messaging/didcomm.ts'

const { ann, ben, eve, resolve } = people()
const [annKey, benKey, eveKey] = [ann, ben, eve].map(({ pairs }) => pairs[0]) as [PrivateJwk, PrivateJwk, PrivateJwk]
const opener = openerOf(ben.pairs, resolve)

/** The refusal as a caller sees it: the same for every reason. The reason, for the log, is its cause. */
async function refused(
  t: { is(a: unknown, b: unknown, m?: string): void },
  jwe: unknown,
  with_ = opener,
): Promise<string> {
  try {
    await decryptJwe(jwe, with_)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    t.is(error.code, 'jwe.undecryptable')
    t.is(error.errors.length, 0)
    messages.add(error.message)
    t.is(messages.size, 1, 'the same message')
    return error.cause instanceof Error ? error.cause.message : ''
  }
  return 'opened'
}
const messages = new Set<string>()

const letter = (more: Partial<Parameters<typeof encryptJwe>[0]> = {}) =>
  encryptJwe({ plaintext: Buffer.from('"a letter"'), recipients: ben.recipients, random: randomBytes, ...more })

test('a forgery without a fault opens, so that the next ones fail for their own reasons', async (t) => {
  const { plaintext } = await decryptJwe(forged(benKey), opener)
  t.is(Buffer.from(plaintext).toString(), '"a letter"')
})

const SMALL = Buffer.alloc(32).toString('base64url')
const OTHER_CURVE = {
  kty: 'EC',
  crv: 'P-256',
  x: 'FQVaTOksf-XsCUrt4J1L2UGvtWaDwpboVlqbKBY2AIo',
  y: '6XFB9PYo7dyC5ViJSO9uXNYkxTJWn0d_mqJ__ZYhcNY',
}

/** Header parameters that nobody reads. */
const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, at]))

for (const [what, forgery, reason] of [
  ['alg none', { header: { alg: 'none' } }, 'alg is not supported'],
  ['alg of a name that objects have', { header: { alg: 'constructor' } }, 'alg is not supported'],
  ['alg dir', { header: { alg: 'dir' } }, 'alg is not supported'],
  ['alg PBES2 with a high count', { header: { alg: 'PBES2-HS512+A256KW', p2c: 2 ** 31 } }, 'alg is not supported'],
  ['no alg', { header: { alg: undefined } }, 'alg is not supported'],
  ['enc that is not known', { header: { enc: 'A512GCM' } }, 'enc is not protected or not supported'],
  [
    'enc outside of the protected header',
    { header: { enc: undefined }, recipient: { enc: 'A256GCM' } },
    'enc is not protected or not supported',
  ],
  [
    'ECDH-1PU with a cipher that commits to no key',
    { header: { alg: 'ECDH-1PU+A256KW', skid: annKey.kid } },
    'ECDH-1PU needs AES_CBC_HMAC_SHA2',
  ],
  ['crit', { header: { crit: ['exp'] } }, 'crit: there is no extension that we understand'],
  ['crit in an unprotected header', { recipient: { crit: ['exp'] } }, 'crit: there is no extension that we understand'],
  ['zip of another kind', { header: { zip: 'GZIP' } }, 'zip is not supported'],
  ['zip outside of the protected header', { recipient: { zip: 'DEF' } }, 'zip is not protected'],
  ['epk of another curve', { header: { epk: OTHER_CURVE } }, 'the keys are of two curves'],
  ['epk off its curve', { header: { epk: { ...OTHER_CURVE, y: OTHER_CURVE.x } } }, 'epk is no valid public key'],
  [
    'epk with a private part',
    { header: { epk: { kty: 'OKP', crv: 'X25519', x: SMALL, d: SMALL } } },
    'epk is no valid public key',
  ],
  [
    'epk that signs',
    { header: { epk: { kty: 'OKP', crv: 'Ed25519', x: 'G-boxFB6vOZBu-wXkm-9Lh79I8nf9Z50cILaOgKKGww' } } },
    'epk is no key of key agreement',
  ],
  ['epk of a wrong type', { header: { epk: 'X25519' } }, 'epk is no public key'],
  ['apv that is no base64url', { header: { apv: '****' } }, 'apv is not base64url, or too long'],
  ['apv of a megabyte', { recipient: { apv: 'A'.repeat(1_000_000) } }, 'apv is not base64url, or too long'],
  ['a header parameter in two places', { recipient: { alg: 'ECDH-ES+A256KW' } }, 'a header parameter is in two places'],
  [
    'a header parameter in the shared header too',
    { members: { unprotected: { enc: 'A256GCM' } } },
    'a header parameter is in two places',
  ],
  [
    'parameters by way of a prototype',
    { header: { alg: undefined }, recipient: JSON.parse('{"__proto__":{"alg":"ECDH-ES+A256KW"}}') as object },
    'alg is not supported',
  ],
  ['a kid of nobody', { recipient: { kid: 'did:example:nobody#one' } }, 'not for us'],
  ['no kid', { recipient: { kid: undefined } }, 'not for us'],
  ['a kid of a wrong type', { recipient: { kid: { toString: 'x' } } }, 'not for us'],
  ['a content key of another length', { header: { enc: 'A128GCM' } }, 'no key of ours opens it'],
  ['ECDH-ES beside a wrapped key', { header: { alg: 'ECDH-ES' } }, 'no key of ours opens it'],
  [
    'ECDH-ES for two',
    {
      header: { alg: 'ECDH-ES' },
      members: { recipients: [benKey.kid, annKey.kid].map((kid) => ({ header: { kid } })) },
    },
    'ECDH-ES has one recipient',
  ],
  [
    'a recipient twice',
    { members: { recipients: [benKey.kid, benKey.kid].map((kid) => ({ header: { kid } })) } },
    'a recipient twice',
  ],
  ['65 parameters of a recipient', { recipient: many(65) }, 'header has too many parameters'],
  ['65 shared parameters', { members: { unprotected: many(65) } }, 'unprotected has too many parameters'],
  ['65 protected parameters', { header: many(65) }, 'protected has too many parameters'],
  ['no recipients', { members: { recipients: [] } }, 'no recipients'],
  ['10,000 recipients', { members: { recipients: Array.from({ length: 10_000 }, () => ({})) } }, 'too many recipients'],
  ['recipients of a wrong type', { members: { recipients: {} } }, 'no recipients'],
  ['a recipient of a wrong type', { members: { recipients: [null] } }, 'a recipient is no object'],
  ['two serializations', { members: { encrypted_key: 'AAAA' } }, 'both serializations'],
  ['a tag of 4 bytes', { members: { tag: 'AAAAAA' } }, 'iv or tag is of another length than enc has'],
  ['an empty iv', { members: { iv: '' } }, 'iv or tag is of another length than enc has'],
  ['no iv', { members: { iv: undefined } }, 'iv is not base64url, or too long'],
  ['a ciphertext with padding', { members: { ciphertext: 'AA==' } }, 'ciphertext is not base64url, or too long'],
  ['another ciphertext', { members: { ciphertext: 'AAAA' } }, 'no key of ours opens it'],
  ['additional data that nobody authenticated', { members: { aad: 'AAAA' } }, 'no key of ours opens it'],
  [
    'a protected header that is no object',
    { members: { protected: Buffer.from('[]').toString('base64url') } },
    'the protected header is no object',
  ],
  ['a protected header that is no JSON', { members: { protected: 'AAAA' } }, 'the protected header is not JSON'],
  ['a protected header of 100 kB', { header: { pad: 'a'.repeat(100_000) } }, 'protected is not base64url, or too long'],
] as const)
  test(`refused like any other: ${what} (RFC 7516, RFC 7518)`, async (t) => {
    t.is(await refused(t, forged(benKey, forgery)), reason)
  })

test('refused like any other: an ephemeral key of small order, whose secret is all zero (RFC 7748, 6.1)', async (t) => {
  const [agreement] = await opener.agreementsOf([benKey.kid])
  if (!agreement) return t.fail()
  const zero = { ...agreement, agree: async () => new Uint8Array(32) }
  t.is(await refused(t, forged(benKey), { ...opener, agreementsOf: async () => [zero] }), 'an all-zero secret')
})

test('refused like any other: text that is no JWE', async (t) => {
  for (const text of ['', 'a', 'a.b.c', 'a.b.c.d.e', 'a.b.c.d.e.f', '{', '[]', '{}', '{"recipients":1}', '"', 'null'])
    t.not(await refused(t, text), 'opened')
  for (const value of [undefined, null, 1, [], true, {}]) t.not(await refused(t, value), 'opened')
  t.is(await refused(t, '{"a":'.repeat(20_000)), 'not JSON')
  t.is(await refused(t, '{"tag":"AA","tag":"AB"}'), 'not JSON', 'a repeated member')
  t.is(await refused(t, `{"a":"${'a'.repeat(3_000_000)}"}`), 'too long')
  t.is(await refused(t, JSON.stringify({ a: Array.from({ length: 30_000 }, () => 0) })), 'not JSON', 'too many values')
})

test('a sender who names another one’s key is refused: ECDH-1PU proves the sender', async (t) => {
  const asAnn = { ...agreementOf(eveKey), kid: annKey.kid }
  t.is(await refused(t, await letter({ sender: asAnn })), 'no key of ours opens it')
  const opened = await decryptJwe(await letter({ sender: agreementOf(annKey) }), opener)
  t.is(opened.sender?.kid, annKey.kid)
})

test('a sender that does not resolve, or has no such key, is one more reason of the one refusal', async (t) => {
  for (const kid of ['did:example:nobody#one', 'did:example:ann#three', 'did:example:ann', 'ann'])
    t.is(await refused(t, await letter({ sender: { ...agreementOf(annKey), kid } })), 'the sender has no such key')
})

test('a recipient cannot replace what the sender encrypted: the tag is part of the wrapped key (draft-madden-jose-ecdh-1pu-04)', async (t) => {
  const [first, second] = [await letter({ sender: agreementOf(annKey) }), await letter({ sender: agreementOf(annKey) })]
  t.is(await refused(t, { ...first, tag: second.tag }), 'no key of ours opens it')
  t.is(await refused(t, { ...first, recipients: second.recipients }), 'no key of ours opens it')
})

test('a key store that is away is no refusal: the same request may succeed later', async (t) => {
  const away = { ...agreementOf(benKey), agree: () => Promise.reject(new Unavailable('keys', 'away')) }
  await t.throwsAsync(decryptJwe(await letter(), { ...opener, agreementsOf: async () => [away] }), {
    instanceOf: Unavailable,
  })
})

test('a compressed plaintext opens up to a megabyte, and a bomb is refused in time (RFC 7516, 4.1.3)', async (t) => {
  const zipped = (plaintext: Uint8Array) =>
    forged(benKey, { plaintext: deflateRawSync(plaintext), header: { zip: 'DEF' } })
  const { plaintext } = await decryptJwe(zipped(Buffer.from('"a letter"')), opener)
  t.is(Buffer.from(plaintext).toString(), '"a letter"')
  const bomb = zipped(Buffer.alloc(100_000_000))
  const { rss } = process.memoryUsage()
  t.is(await refused(t, bomb), 'what was compressed is damaged or too long')
  t.true(process.memoryUsage().rss - rss < 50_000_000)
  const damaged = forged(benKey, { plaintext: randomBytes(100), header: { zip: 'DEF' } })
  t.is(await refused(t, damaged), 'what was compressed is damaged or too long')
})

test('a changed character anywhere is refused, or changes nothing: not the plaintext, the recipient or the sender', async (t) => {
  const jwes: GeneralJwe[] = [
    await letter({ sender: agreementOf(annKey) }),
    await letter(),
    await letter({ enc: 'A256GCM' }),
  ]
  const only = openerOf([benKey], resolve)
  const meaningOf = async (text: string) => {
    const { plaintext, kid, alg, enc, sender } = await decryptJwe(text, only)
    return [Buffer.from(plaintext).toString(), kid, alg, enc, sender?.kid]
  }
  const texts = jwes.flatMap((jwe) => {
    const one = { ...jwe, recipients: jwe.recipients.slice(0, 1) }
    return [JSON.stringify(one), JSON.stringify(toSpecified(one))]
  })
  const meanings = new Map<string, unknown[]>()
  for (const text of texts) meanings.set(text, await meaningOf(text))
  let opened = 0
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...texts),
      fc.nat(),
      fc.integer({ min: 1, max: 127 }),
      async (text, at, change) => {
        const index = at % text.length
        const other = String.fromCharCode(text.charCodeAt(index) ^ change)
        const changed = `${text.slice(0, index)}${other}${text.slice(index + 1)}`
        if ((await refused(t, changed, only)) !== 'opened') return
        opened += 1
        t.deepEqual(await meaningOf(changed), meanings.get(text))
      },
    ),
    { numRuns: 600 },
  )
  t.true(opened < 60, 'names of parameters that nobody reads are few')
})

test('the converter gives back what it took', async (t) => {
  for (const jwe of [await letter(), await letter({ sender: agreementOf(annKey) })]) {
    const specified = toSpecified(jwe)
    t.deepEqual(Object.keys(specified), ['ciphertext', 'iv', 'protected', 'recipients', 'tag'])
    for (const { encryptionKey, header } of specified.recipients) {
      t.is(typeof encryptionKey, 'string')
      t.deepEqual(
        Object.keys(header).filter((name) => name !== 'skid'),
        ['alg', 'epk', 'kid'],
      )
    }
    t.deepEqual(toGeneral(generalOf(specified)) as unknown, jwe)
    t.deepEqual(toGeneral(generalOf(jwe)) as unknown, jwe, 'what is RFC 7516 already stays')
  }
})

test('a recipient of our shape that contradicts the protected header is refused', async (t) => {
  const jwe = toSpecified(await letter({ sender: agreementOf(annKey) }))
  const withHeader = (more: object) => ({
    ...jwe,
    recipients: jwe.recipients.map((recipient) => ({ ...recipient, header: { ...recipient.header, ...more } })),
  })
  t.is(await refused(t, withHeader({ skid: eveKey.kid })), 'a repeated parameter differs')
  t.is(await refused(t, withHeader({ alg: 'ECDH-ES+A256KW' })), 'a repeated parameter differs')
  t.is(await refused(t, withHeader({ enc: 'A256CBC-HS512' })), 'a header parameter is in two places')
  const both = jwe.recipients.map((recipient) => ({ ...recipient, encrypted_key: recipient.encryptionKey }))
  t.is(await refused(t, { ...jwe, recipients: both }), 'both names of the wrapped key')
})

test('a JWE has 1 to 100 recipients with keys of one curve', async (t) => {
  await t.throwsAsync(letter({ recipients: [] }), { message: /1 to 100/ })
  await t.throwsAsync(letter({ recipients: Array.from({ length: 101 }, () => ben.recipients).flat() }), {
    message: /1 to 100/,
  })
  const many = Array.from({ length: 100 }, (_, n) => ({
    ...ben.recipients[0],
    kid: `did:example:n#${n}`,
  })) as typeof ben.recipients
  const jwe = await letter({ recipients: many, sender: agreementOf(annKey) })
  const last = { ...agreementOf(benKey), kid: 'did:example:n#99' }
  const { kids } = await decryptJwe(jwe, { ...opener, agreementsOf: async () => [last] })
  t.is(kids.length, 100)
})

test('two JWEs of one letter share no ephemeral key, content key or vector', async (t) => {
  const [a, b] = [await letter(), await letter()]
  for (const member of ['protected', 'iv', 'ciphertext', 'tag'] as const) t.not(a[member], b[member])
})
