import { generateKeyPairSync, randomBytes, sign as signWith } from 'node:crypto'
import { deflateSync, gzipSync, inflateSync } from 'node:zlib'
import test from 'ava'
import { createCompactVerifier } from '../../activities/compact-credentials/verify.ts'
import { createNamedLists } from '../../activities/credentials/status-lists/named.ts'
import { encodeClaims } from '../../protocol/compact-credentials/cwt.ts'
import { bitIndexList, readList, statusListCwt } from '../../protocol/compact-credentials/status-lists.ts'
import { PREFIXES, toText } from '../../protocol/compact-credentials/text.ts'
import { type Cbor, encodeCbor } from '../../protocol/cose/cbor.ts'
import { HEADER, signCoseSign1, type ToSign } from '../../protocol/cose/sign1.ts'
import { verificationKey } from '../../protocol/data-integrity/keys.ts'
import { setBits } from '../../protocol/status-list/index.ts'
import { statusAt, statusListJwt, tokenList } from '../../protocol/status-list/token.ts'

/** Bits of a list, index 0 left-most in byte 0. */
const bitsOf = (statuses: string) =>
  new Uint8Array((statuses.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))

test('Token Status List, section 4.1 and 4.2: the example of one bit is compressed to the same bytes', (t) => {
  const packed = Buffer.from(tokenList(bitsOf('1001110111000101')))
  t.is(packed.toString('hex'), '78dadbb918000217015d')
  t.is(packed.toString('base64url'), 'eNrbuRgAAhcBXQ')
  t.is(inflateSync(packed).toString('hex'), 'b9a3')
})

test('Token Status List, section 4.1: the example of two bits is read as its statuses', (t) => {
  const statuses = new Uint8Array([0xc9, 0x44, 0xf9])
  t.deepEqual(
    Array.from({ length: 12 }, (_, index) => statusAt(statuses, 2, index)),
    [1, 2, 0, 3, 0, 1, 0, 1, 1, 2, 3, 3],
  )
  t.throws(() => statusAt(statuses, 2, 12), { code: 'status_list.index_out_of_range' })
})

const ISSUER = 'did:web:issuer.example'
const URL_OF_LIST = 'https://issuer.example/v1/credentials/compact/revocation-lists/1'
const NOW = new Date('2027-01-01T00:00:00Z')
const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const signer = { keyType: 'ed25519', sign: async (data: Uint8Array) => signWith(null, data, privateKey) }
const key = verificationKey({
  id: `${ISSUER}#key-1`,
  type: 'JsonWebKey',
  controller: ISSUER,
  publicKeyJwk: { kty: 'OKP', ...publicKey.export({ format: 'jwk' }) },
})

const list = {
  url: URL_OF_LIST,
  issuer: ISSUER,
  keyUrl: `${ISSUER}#key-1`,
  bits: setBits(131_072, [0, 7, 8, 70_000]),
  issuedAt: NOW,
  expiresAt: new Date(NOW.getTime() + 3_600_000),
  ttlSeconds: 3,
}

const read = async (
  kind: 'bit-index' | 'token',
  toSign: ToSign,
  { issuer = ISSUER, now = NOW, url = URL_OF_LIST } = {},
) => readList(await signCoseSign1(toSign, signer), { kind, index: 0, url }, issuer, async () => key, { now })

for (const [kind, make] of [
  ['bit-index', bitIndexList],
  ['token', statusListCwt],
] as const) {
  test(`a ${kind} list is read with the statuses that were set, and outside of it is refused`, async (t) => {
    const { isSet, expiresAt } = await read(kind, make(list))
    t.deepEqual(expiresAt, list.expiresAt)
    t.deepEqual([0, 1, 6, 7, 8, 9, 69_999, 70_000, 131_071].map(isSet), [
      true,
      false,
      false,
      true,
      true,
      false,
      false,
      true,
      false,
    ])
    t.throws(() => isSet(131_072), { code: 'status_list.index_out_of_range' })
  })

  test(`a ${kind} list of another issuer, one that has expired, and one that another key signed are refused`, async (t) => {
    const other = 'did:web:other.example'
    await t.throwsAsync(read(kind, make(list), { issuer: other }), { code: 'status_list.mismatch' })
    const late = { now: new Date(NOW.getTime() + 3_600_000) }
    await t.throwsAsync(read(kind, make(list), late), { code: 'status_list.not_verified' })
    const stranger = generateKeyPairSync('ed25519').privateKey
    const sign = async (data: Uint8Array) => signWith(null, data, stranger)
    const bytes = await signCoseSign1(make(list), { ...signer, sign })
    const entry = { kind, index: 0, url: URL_OF_LIST }
    await t.throwsAsync(
      readList(bytes, entry, ISSUER, async () => key, { now: NOW }),
      { code: 'status_list.not_verified' },
    )
  })
}

test('a list whose sub is another URL is refused (Token Status List, section 8.3; D-338)', async (t) => {
  const url = 'https://issuer.example/other'
  await t.throwsAsync(read('token', statusListCwt(list), { url }), { code: 'status_list.mismatch' })
  await t.throwsAsync(read('bit-index', bitIndexList(list), { url }), { code: 'status_list.mismatch' })
  const payload = encodeCbor(new Map<number, Cbor>([[1, ISSUER], [-65_538, new Uint8Array(gzipSync(list.bits))]])) // biome-ignore format: one line
  t.true((await read('bit-index', { ...withClaims(), payload }, { url })).isSet(0), 'no document asks for a sub')
})

test('a token list without its typ is refused (Token Status List, section 5.2; D-338)', async (t) => {
  const { payload } = statusListCwt(list)
  await t.throwsAsync(read('token', { ...withClaims(), payload }), { code: 'status_list.malformed' })
})

test('a list whose end is before all times that a Date holds has expired', async (t) => {
  for (const exp of [-1e20, -1e300])
    await t.throwsAsync(read('bit-index', withClaims([4, exp], [-65_538, new Uint8Array(gzipSync(list.bits))])), {
      code: 'status_list.not_verified',
    })
})

const withClaims = (...claims: [number, Cbor][]): ToSign => ({
  protected: new Map([[HEADER.kid, text('key-1')]]),
  payload: encodeCbor(new Map<number, Cbor>([[1, ISSUER], [2, URL_OF_LIST], ...claims])), // biome-ignore format: one line
})
const text = (value: string) => new Uint8Array(Buffer.from(value))
const bomb = Buffer.alloc(17 * 1024 * 1024)

for (const [what, kind, toSign] of [
  ['no bits', 'bit-index', withClaims()],
  ['bits that are not compressed', 'bit-index', withClaims([-65_538, text('bits')])],
  ['a bomb of bits', 'bit-index', withClaims([-65_538, new Uint8Array(gzipSync(bomb))])],
  ['no status_list', 'token', withClaims()],
  ['three bits for a status', 'token', withClaims([65_533, new Map<string, Cbor>([['bits', 3], ['lst', tokenList(list.bits)]])])], // biome-ignore format: one line
  ['a bomb of statuses', 'token', withClaims([65_533, new Map<string, Cbor>([['bits', 1], ['lst', new Uint8Array(deflateSync(bomb))]])])], // biome-ignore format: one line
] as const)
  test(`a list with ${what} is refused`, async (t) => {
    await t.throwsAsync(read(kind, toSign), { code: 'status_list.malformed' })
  })

test('the token in JWT format has the claims of Token Status List, section 5.1', (t) => {
  const { typ, claims } = statusListJwt(list)
  t.is(typ, 'statuslist+jwt')
  const { status_list, ...rest } = claims
  t.deepEqual(rest, { iss: ISSUER, sub: URL_OF_LIST, iat: 1_798_761_600, exp: 1_798_765_200, ttl: 3 })
  t.is(status_list.bits, 1)
  t.deepEqual(Buffer.from(status_list.lst, 'base64url'), Buffer.from(tokenList(list.bits)))
})

test('a list is not verified by a key that the issuer’s document has ended (D-134)', async (t) => {
  const method = { type: 'JsonWebKey', controller: ISSUER, publicKeyJwk: publicKey.export({ format: 'jwk' }) }
  const of = (id: string, more = {}) => ({ ...method, id, ...more })
  const verifier = (more: object) => {
    const config = { clockToleranceMs: 0, publicUrl: new URL('https://ours.example') }
    const outbound = { fetch: async () => ({ status: 200, body: await signCoseSign1(bitIndexList(list), signer) }) }
    return createCompactVerifier({
      config,
      now: () => NOW,
      didResolver: {
        documentFor: async () => ({
          id: ISSUER,
          verificationMethod: [of('#key-1', more), of('#key-2')],
          assertionMethod: ['#key-1', '#key-2'],
        }),
      },
      namedLists: createNamedLists({ config, outbound, now: () => NOW } as never),
      policyGate: { reasonsAgainst: async () => [] },
      trustGate: { trustFor: async () => undefined },
    } as never)
  }
  const payload = encodeClaims(
    '2a1fbdfb-4f8f-4a06-a2f3-4bb9c6d7d3a8',
    { iss: ISSUER, type: 'Course' },
    {
      status: { index: '1', url: URL_OF_LIST },
    },
  )
  const kid = new Uint8Array(Buffer.from('key-2'))
  const credential = toText(
    PREFIXES.compact,
    await signCoseSign1({ protected: new Map<number, Cbor>([[HEADER.kid, kid]]), payload }, signer),
  )
  const verify = (more = {}) => verifier(more).verify('tenant', 'compact', { payload: credential })
  t.like(await verify(), { verified: true, error: undefined })
  t.like(await verify({ revoked: '2027-01-01T00:00:01Z' }), { verified: true })
  const { verified, error } = await verify({ revoked: '2027-01-01T00:00:00Z' })
  t.deepEqual([verified, error?.type], [false, 'UnsupportedRevocationType'])
  t.regex(error?.message ?? '', /as revoked/)
})

test('a list of millions of items is refused before it is decoded, and one of the largest size is read (D-1103)', async (t) => {
  const many = new Uint8Array(4 * 1024 * 1024).fill(0xa0)
  many.set([0x9a, 0x00, 0x3f, 0xff, 0xf0])
  for (const bytes of [
    many,
    await signCoseSign1({ protected: new Map(), payload: many.subarray(0, 4_000_000) }, signer),
  ]) {
    const begun = process.cpuUsage()
    const entry = { kind: 'token', index: 0, url: URL_OF_LIST } as const
    const reading = readList(bytes, entry, ISSUER, async () => key, { now: NOW })
    await t.throwsAsync(reading, { code: 'status_list.malformed' })
    const { user, system } = process.cpuUsage(begun)
    t.true(user + system < 500_000, 'it was four seconds')
  }
  const large = { ...list, bits: randomBytes(3_900_000) }
  t.is((await read('token', statusListCwt(large))).bytes, large.bits.length)
})
