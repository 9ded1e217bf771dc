import { generateKeyPairSync, sign as signWith } from 'node:crypto'
import test from 'ava'
import { encodeClaims } from '../../protocol/compact-credentials/cwt.ts'
import { bitIndexList, statusListCwt } from '../../protocol/compact-credentials/status-lists.ts'
import { fromText, PREFIXES, toText } from '../../protocol/compact-credentials/text.ts'
import { verifyCompact } from '../../protocol/compact-credentials/verify.ts'
import { type Cbor, encodeCbor, Tag } from '../../protocol/cose/cbor.ts'
import { HEADER, signCoseSign1, sigStructure } from '../../protocol/cose/sign1.ts'
import type { DidDocument } from '../../protocol/dids/index.ts'
import { Refusal, Unavailable } from '../../protocol/errors.ts'

const ISSUER = 'did:web:issuer.example'
const NOW = new Date('2027-01-01T00:00:00Z')
const ID = '2a1fbdfb-4f8f-4a06-a2f3-4bb9c6d7d3a8'
const seconds = (text: string) => Date.parse(text) / 1_000
const text = (value: string) => new Uint8Array(Buffer.from(value))

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const sign = async (data: Uint8Array) => signWith('sha256', data, { key: privateKey, dsaEncoding: 'ieee-p1363' })
const signer = { keyType: 'p256', sign }

const document = (more: object = {}) =>
  ({
    id: ISSUER,
    verificationMethod: [
      {
        id: `${ISSUER}#key-1`,
        type: 'JsonWebKey2020',
        controller: ISSUER,
        publicKeyJwk: publicKey.export({ format: 'jwk' }),
      },
    ],
    assertionMethod: [`${ISSUER}#key-1`],
    ...more,
  }) as DidDocument

const status = { index: '7', url: 'https://issuer.example/lists/1' }

const signed = async (payload: Uint8Array, kid: Cbor = text('key-1')) =>
  toText(PREFIXES.compact, await signCoseSign1({ protected: new Map([[HEADER.kid, kid]]), payload }, signer))

const credential = (more: object = {}, kid?: Cbor, withStatus = false) =>
  signed(encodeClaims(ID, { iss: ISSUER, type: 'Course', ...more }, withStatus ? { status } : {}), kid)

const verify = (payload: string, more: Partial<Parameters<typeof verifyCompact>[1]> = {}) =>
  verifyCompact(payload, {
    profile: 'compact',
    now: NOW,
    toleranceMs: 0,
    assertExpiry: true,
    assertNotBefore: true,
    resolveDid: async () => document(),
    ...more,
  })

test('a credential verifies, with its claims', async (t) => {
  const { verified, decoded, error } = await verify(
    await credential({ property_set: { name: 'Ada', age: 36, ok: true } }),
  )
  t.deepEqual([verified, error], [true, undefined])
  t.deepEqual(decoded, {
    iss: ISSUER,
    jti: Buffer.from(ID.replaceAll('-', ''), 'hex').toString('base64url'),
    type: 'Course',
    property_set: { name: 'Ada', age: 36, ok: true },
  })
})

test('a CWT tag around the COSE tag is read (RFC 8392, section 6)', async (t) => {
  const bytes = fromText(PREFIXES.compact, await credential())
  t.true((await verify(toText(PREFIXES.compact, new Uint8Array([0xd8, 61, ...bytes])))).verified)
})

const PREFIX = PREFIXES.compact
const b32 = (bytes: Uint8Array) => toText(PREFIX, bytes)

const INVALID: Array<[what: string, text: () => string | Promise<string>]> = [
  ['an empty text', () => ''],
  ['the prefix alone', () => PREFIX],
  ['another version', async () => (await credential()).replace('CSC:/1/', 'CSC:/2/')],
  ['another prefix', async () => (await credential()).replace('CSC:/1/', 'CSS:/1/')],
  ['lower case', async () => PREFIX + (await credential()).slice(PREFIX.length).toLowerCase()],
  ['padding', async () => `${await credential()}=`],
  ['a blank at its end', async () => `${await credential()} `],
  ['bits left over', () => `${PREFIX}AB`],
  ['a cut-off end', async () => (await credential()).slice(0, -8)],
  ['more than 10,000 characters', () => PREFIX + 'A'.repeat(10_000)],
  ['bytes after the CWT', async () => b32(new Uint8Array([...fromText(PREFIX, await credential()), 0]))],
  ['5,000 arrays', () => b32(new Uint8Array([...new Uint8Array(5_000).fill(0x81), 1]))],
  ['a length of 2^32 without data', () => b32(new Uint8Array([0x9a, 0xff, 0xff, 0xff, 0xff]))],
  ['a COSE_Mac0', () => b32(encodeCbor(new Tag(17, [text(''), new Map(), text(''), text('')])))],
  ['an array as payload', () => signed(encodeCbor([1]))],
  ['a claim twice', () => signed(new Uint8Array([0xa2, 4, 1, 4, 2]))],
  ['a number as issuer', () => signed(encodeCbor(new Map([[1, 1]])))],
  ['a text as exp', () => signed(encodeCbor(new Map<number, Cbor>([[1, ISSUER], [4, 'never']])))], // biome-ignore format: one line
  ['no issuer', () => signed(encodeCbor(new Map([['name', 'Ada']])))],
  ['a list as claim', () => signed(encodeCbor(new Map<number | string, Cbor>([[1, ISSUER], ['a', [1]]])))], // biome-ignore format: one line
  ['a reserved name as claim', () => signed(encodeCbor(new Map<number | string, Cbor>([[1, ISSUER], ['__proto__', 1]])))], // biome-ignore format: one line
  ['a claim vc', () => signed(encodeCbor(new Map<number | string, Cbor>([[1, ISSUER], ['vc', new Map()]])))], // biome-ignore format: one line
  ['a status without a list', () => signed(encodeCbor(new Map<number, Cbor>([[1, ISSUER], [-65537, new Map([[2, 1]])]])))], // biome-ignore format: one line
  ['a key of another DID', () => credential({}, text('did:web:other.example#key-1'))],
  ['a number as kid', () => credential({}, 7)],
]

for (const [what, make] of INVALID)
  test(`${what}: not verified, PayloadInvalid`, async (t) => {
    const { verified, error } = await verify(await make())
    t.deepEqual([verified, error?.type], [false, 'PayloadInvalid'])
  })

test('an algorithm that is not taken, and a critical parameter: UnsupportedAlgorithm', async (t) => {
  for (const header of [
    new Map([[1, 5]]),
    new Map<number, Cbor>([
      [1, -7],
      [2, [9]],
    ]),
  ]) {
    // biome-ignore format: one line
    const bytes = encodeCbor(header)
    const payload = encodeClaims(ID, { iss: ISSUER }, {})
    const signature = new Uint8Array(await sign(sigStructure(bytes, payload)))
    const { error } = await verify(b32(encodeCbor(new Tag(18, [bytes, new Map(), payload, signature]))))
    t.is(error?.type, 'UnsupportedAlgorithm')
  }
})

test('the first check that fails is the error, in the order of the format', async (t) => {
  const late = { exp: seconds('2026-01-01T00:00:00Z'), nbf: seconds('2028-01-01T00:00:00Z') }
  const other = { resolveDid: async () => document({ assertionMethod: [] }) }
  const payload = await credential(late, undefined, true)
  const statusOf = async () => 'revoked' as const
  const of = async (more: Parameters<typeof verify>[1]) => (await verify(payload, { statusOf, ...more })).error?.type
  t.is(await of({ trustedIssuers: [], ...other }), 'IssuerNotTrusted')
  t.is(await of({ trustedIssuers: [ISSUER], ...other }), 'NotActive')
  t.is(await of({ assertNotBefore: false, ...other }), 'Expired')
  t.is(await of({ assertNotBefore: false, assertExpiry: false, ...other }), 'IssuerPublicKeyInvalid')
  t.is(await of({ assertNotBefore: false, assertExpiry: false }), 'Revoked')
  t.is(await of({ assertNotBefore: false, assertExpiry: false, statusOf: undefined }), undefined)
})

test('clocks may differ by the tolerance, either way (D-167)', async (t) => {
  const nbf = await credential({ nbf: NOW.getTime() / 1_000 + 60 })
  t.is((await verify(nbf, { toleranceMs: 59_000 })).error?.type, 'NotActive')
  t.true((await verify(nbf, { toleranceMs: 60_000 })).verified)
  const exp = await credential({ exp: NOW.getTime() / 1_000 - 60 })
  t.is((await verify(exp, { toleranceMs: 60_000 })).error?.type, 'Expired')
  t.true((await verify(exp, { toleranceMs: 61_000 })).verified)
})

test('an issuer that does not resolve, and a key that is not in its document: IssuerPublicKeyInvalid', async (t) => {
  const payload = await credential()
  const refused = async () => Promise.reject(new Refusal('did.unresolvable', 'gone'))
  const away = async () => Promise.reject(new Unavailable('outbound', 'away'))
  for (const resolveDid of [refused, away])
    t.is((await verify(payload, { resolveDid })).error?.type, 'IssuerPublicKeyInvalid')
  t.is((await verify(await credential({}, text('key-2')))).error?.type, 'IssuerPublicKeyInvalid')
  await t.throwsAsync(verify(payload, { resolveDid: async () => Promise.reject(new Unavailable('database', 'away')) }))
})

test('a key that the issuer’s document has ended signs nothing: IssuerPublicKeyInvalid (D-134)', async (t) => {
  const payload = await credential()
  const ending = (member: string, end: Date) => async () => {
    const { verificationMethod: [method] = [], ...rest } = document()
    return { ...rest, verificationMethod: [{ ...method, [member]: end.toISOString() }] } as DidDocument
  }
  for (const member of ['revoked', 'expires']) {
    t.is((await verify(payload, { resolveDid: ending(member, NOW) })).error?.type, 'IssuerPublicKeyInvalid')
    t.true((await verify(payload, { resolveDid: ending(member, new Date(NOW.getTime() + 1)) })).verified)
  }
})

test('a changed claim: SignatureInvalid', async (t) => {
  const bytes = fromText(PREFIX, await credential({ property_set: { name: 'Ada' } }))
  const at = Buffer.from(bytes).indexOf('Ada')
  const { error } = await verify(b32(bytes.map((byte, index) => (index === at ? 0x45 : byte))))
  t.is(error?.type, 'SignatureInvalid')
})

test('a status that cannot be had fails the verification: NetworkError, UnsupportedRevocationType', async (t) => {
  const payload = await credential({}, undefined, true)
  for (const [thrown, type] of [
    [new Unavailable('outbound', 'away'), 'NetworkError'],
    [new Refusal('status_list.unavailable', 'away'), 'NetworkError'],
    [new Refusal('outbound.blocked', 'no'), 'NetworkError'],
    [new Refusal('status_list.malformed', 'no list'), 'UnsupportedRevocationType'],
  ] as const)
    t.is((await verify(payload, { statusOf: async () => Promise.reject(thrown) })).error?.type, type)
  t.true((await verify(payload, { statusOf: async () => 'valid' })).verified)
  const { error } = await verify(payload, { statusOf: async () => 'suspended' })
  t.deepEqual([error?.type, error?.message], ['Revoked', 'The issuer has suspended the credential.'])
  await t.throwsAsync(verify(payload, { statusOf: async () => Promise.reject(new TypeError('ours')) }))
  const unknown = new Map<number, Cbor>([[1, ISSUER], [65535, new Map([['identifier_list', new Map()]])]]) // biome-ignore format: one line
  const verdict = await verify(await signed(encodeCbor(unknown)), { statusOf: async () => 'valid' })
  t.is(verdict.error?.type, 'UnsupportedRevocationType')
})

test('a status list of the issuer is no credential, nor is a CWT of another typ (D-338)', async (t) => {
  const list = { url: status.url, issuer: ISSUER, keyUrl: `${ISSUER}#key-1`, bits: new Uint8Array(16_384) }
  const times = { issuedAt: NOW, expiresAt: new Date(NOW.getTime() + 3_600_000), ttlSeconds: 3 }
  for (const make of [bitIndexList, statusListCwt]) {
    const toSign = make({ ...list, ...times })
    for (const header of [toSign.protected, new Map([[HEADER.kid, text('key-1')]])]) {
      const { verified, error } = await verify(b32(await signCoseSign1({ ...toSign, protected: header }, signer)))
      t.deepEqual([verified, error?.type], [false, 'PayloadInvalid'])
    }
  }
  const typed = async (typ: Cbor, where: 'protected' | 'unprotected' = 'protected') => {
    const headers = { protected: new Map<number, Cbor>([[HEADER.kid, text('key-1')]]), unprotected: new Map<number, Cbor>() } // biome-ignore format: one line
    headers[where].set(HEADER.typ, typ)
    return verify(b32(await signCoseSign1({ ...headers, payload: encodeClaims(ID, { iss: ISSUER }, {}) }, signer)))
  }
  for (const typ of ['application/cwt', 'CWT', 61]) t.true((await typed(typ)).verified, String(typ))
  for (const typ of ['application/statuslist+cwt', 'at+cwt', 60, ''])
    t.is((await typed(typ)).error?.type, 'PayloadInvalid', String(typ))
  t.is((await typed('application/statuslist+cwt', 'unprotected')).error?.type, 'PayloadInvalid')
})

test('times that no Date holds are before or after all others', async (t) => {
  const of = async (claims: object) => (await verify(await credential(claims))).error?.type
  for (const long of [1e20, 1e300]) {
    t.is(await of({ exp: -long }), 'Expired')
    t.is(await of({ exp: long }), undefined)
    t.is(await of({ nbf: long }), 'NotActive')
    t.is(await of({ nbf: -long }), undefined)
  }
  for (const none of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])
    t.is(await of({ exp: none }), 'PayloadInvalid')
})

const SUBJECT = { id: 'did:example:holder', course: 'CS-101' }
const VC = { '@context': ['https://www.w3.org/2018/credentials/v1'], type: ['VerifiableCredential'], credentialSubject: SUBJECT } // biome-ignore format: one line

/** The verdict on a compact-semantic credential with these members of `vc` and these claims. */
async function semantic(members: object, claims: object = {}) {
  const payload = encodeClaims(ID, { iss: ISSUER, ...claims }, { vc: { ...VC, ...members } })
  const signed = await signCoseSign1({ protected: new Map([[HEADER.kid, text('key-1')]]), payload }, signer)
  const rules = { profile: 'compact-semantic', statusOf: async () => 'valid' as const } as const
  return verify(toText(PREFIXES['compact-semantic'], signed), rules)
}

const [PAST, FUTURE] = ['2001-01-01T00:00:00Z', '2099-01-01T00:00:00Z']

test('a member of vc that contradicts its claim makes a credential invalid (D-337)', async (t) => {
  for (const [members, claims] of [
    [{ expirationDate: FUTURE }, { exp: 2e9 }],
    [{ expirationDate: FUTURE, validUntil: PAST }, {}],
    [{ validUntil: FUTURE }, { exp: 2e9 }],
    [{ issuanceDate: PAST }, { nbf: 1 }],
    [{ id: 'urn:uuid:11111111-1111-4111-8111-111111111111' }, {}],
    [{ issuer: 'did:example:another' }, {}],
    [{ issuer: { id: 'did:example:another', name: 'Example University' } }, {}],
    [{}, { sub: 'did:example:another' }],
    [{ credentialSubject: [SUBJECT, { id: 'did:example:another' }] }, { sub: SUBJECT.id }],
    [{ expirationDate: 'tomorrow' }, {}],
    [{ expirationDate: null }, {}],
    [{ type: [] }, {}],
    [{ type: ['CourseCredential'] }, {}],
    [{ type: ['VerifiableCredential', 7] }, {}],
    [{ credentialSubject: {} }, {}],
    [{ credentialSubject: [] }, {}],
    [{ credentialSubject: 'did:example:holder' }, {}],
  ])
    t.is((await semantic(members as object, claims)).error?.type, 'PayloadInvalid', JSON.stringify([members, claims]))
})

test('a date of vc counts where its claim is absent, and a status of vc is one that is not supported (D-337)', async (t) => {
  t.is((await semantic({ expirationDate: PAST })).error?.type, 'Expired')
  t.is((await semantic({ validUntil: PAST })).error?.type, 'Expired')
  t.is((await semantic({ issuanceDate: FUTURE })).error?.type, 'NotActive')
  t.is((await semantic({ validFrom: FUTURE })).error?.type, 'NotActive')
  const credentialStatus = { id: 'https://issuer.example/lists/1#1', type: 'StatusList2021Entry' }
  t.is((await semantic({ credentialStatus })).error?.type, 'UnsupportedRevocationType')
})

test('a member of vc that says what its claim says is shown once (VC Data Model 1.1, section 6.3.1)', async (t) => {
  const id = `urn:uuid:${ID}`
  const members = { id, issuer: ISSUER, issuanceDate: PAST, validUntil: '2099-01-01T01:00:00.5+01:00' }
  const { verified, decoded, error } = await semantic(members, { exp: seconds(FUTURE), sub: SUBJECT.id })
  t.deepEqual([verified, error], [true, undefined])
  t.deepEqual(decoded, { ...VC, id, issuer: { id: ISSUER }, issuanceDate: PAST, expirationDate: FUTURE })
})
