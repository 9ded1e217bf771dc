import { generateKeyPairSync } from 'node:crypto'
import test from 'ava'
import {
  type DidDocument,
  dereference,
  fromJwk,
  publicKeyOf,
  RELATIONSHIPS,
  toJwk,
  validateDidDocument,
} from '../../../protocol/dids/index.ts'
import { didKeyOf, resolveDidKey, x25519Of } from '../../../protocol/dids/key.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { vectorFiles, vectorText, withVectors } from '../../support/credentials/conformance-vectors.ts'

const FOLDER = 'did-key/test-vectors'
const FILES = ['bls12381', 'ed25519-x25519', 'nist-curves', 'rsa', 'secp256k1', 'x25519'].map((name) => `${name}.json`)

type Vector = [did: string, document: DidDocument]

function vectors(file: string): Vector[] {
  const content = JSON.parse(vectorText(`${FOLDER}/${file}`))
  if (content.didDocument) return Object.entries<DidDocument>(content.didDocument)
  return Object.entries<{ didDocument: DidDocument }>(content).map(([did, { didDocument }]) => [did, didDocument])
}

const formatOf = (document: DidDocument) =>
  document.verificationMethod?.[0]?.type === 'JsonWebKey2020' ? 'JsonWebKey2020' : 'Suites2018'

/** The vector of the G1+G2 key shows its G1 method alone; the key holds both, and its BBS half is the one in use. */
const isTwoGroups = (did: string) => did.startsWith('did:key:z5Tc')

withVectors('there are 30 did:key vectors in 6 files (did-method-key test-vectors)', (t) => {
  t.deepEqual(
    vectorFiles(FOLDER),
    FILES.map((file) => `${FOLDER}/${file}`),
  )
  t.is(FILES.flatMap(vectors).length, 30)
})

for (const file of FILES) {
  withVectors(`every did:key of ${file} resolves to the document given (did-method-key test-vectors)`, (t) => {
    for (const [did, expected] of vectors(file)) {
      const document = resolveDidKey(did, { publicKeyFormat: formatOf(expected) })
      if (!isTwoGroups(did)) {
        t.deepEqual(document, expected, did)
        continue
      }
      t.deepEqual(document.verificationMethod?.slice(0, 1), expected.verificationMethod)
      t.is(document.verificationMethod?.length, 2)
      for (const use of RELATIONSHIPS) t.deepEqual(document[use]?.slice(0, 1), expected[use], use)
    }
  })

  withVectors(`every key of ${file} survives both ways through bytes, Multikey and JWK`, (t) => {
    for (const [did, expected] of vectors(file)) {
      for (const method of validateDidDocument(did, expected).verificationMethod ?? []) {
        const key = publicKeyOf(method)
        t.deepEqual(fromJwk(toJwk(key)), key)
        const [first] = resolveDidKey(didKeyOf(key.keyType, key.publicKey)).verificationMethod ?? []
        t.truthy(first)
        if (first) t.deepEqual(publicKeyOf(first), key)
        if (!isTwoGroups(did) && method.id.endsWith(did.slice(8))) t.is(didKeyOf(key.keyType, key.publicKey), did)
      }
    }
  })
}

const ED25519 = 'did:key:z6MkpTHR8VNsBxYAAWHut2Geadd9jSwuBV8xRoAnwWsdvktH'
const X25519_ID = `${ED25519}#z6LSbysY2xFMRpGMhb7tFTLMpeuPRaqaWM1yECx2AtzE3KCc`

test('an Ed25519 did:key brings its X25519 key for key agreement, embedded (did:key draft, 3.1.3)', (t) => {
  const document = resolveDidKey(`${ED25519}#anything`)
  t.is(document.id, ED25519)
  t.deepEqual(document['@context'], [
    'https://www.w3.org/ns/did/v1',
    'https://w3id.org/security/multikey/v1',
    'https://w3id.org/security/suites/x25519-2020/v1',
  ])
  const { method, authorized } = dereference(document, X25519_ID, 'keyAgreement')
  t.true(authorized)
  t.is(publicKeyOf(method).keyType, 'x25519')
  const [own] = document.verificationMethod ?? []
  t.truthy(own)
  if (own) t.deepEqual(publicKeyOf(method), x25519Of(publicKeyOf(own)))
  t.false(dereference(document, X25519_ID, 'assertionMethod').authorized)
})

withVectors('the 2020 form is that of the Ed25519VerificationKey2020 vector (did-core, did-key-2020-db)', (t) => {
  const vector = JSON.parse(vectorText('did-core/did-key-2020-db.json'))
  const [did] = vector.dids
  t.deepEqual(resolveDidKey(did, { publicKeyFormat: 'Suites2020' }), vector[did].didDocumentDataModel.properties)
})

const refused: [why: string, did: string, code: string][] = [
  ['another multibase', 'did:key:uABC', 'did.invalid'],
  ['no multibase', 'did:key:123', 'did.invalid'],
  ['an empty key', 'did:key:z', 'did.invalid'],
  ['letters outside base58', 'did:key:z6Mk0OIl', 'did.invalid'],
  ['an unknown multicodec', 'did:key:z2DQ6vRtTmvDXLYGKZsVMfDPPnKVtyPvQTEnDoHBbYcGvbw', 'did.invalid'],
  ['a key that is cut short', ED25519.slice(0, -2), 'did.invalid'],
  ['a key that is too long', `${ED25519}zz`, 'did.invalid'],
  ['10 kB', `did:key:z${'6'.repeat(10_000)}`, 'did.invalid'],
  ['4,000 characters of base58', `did:key:z${'6'.repeat(4000)}`, 'did.invalid'],
  ['another method', 'did:web:issuer.example', 'did.method_unsupported'],
]
for (const [why, did, code] of refused) {
  test(`a did:key with ${why} is refused`, (t) => {
    t.is(t.throws(() => resolveDidKey(did), { instanceOf: Refusal })?.code, code)
  })
}

/** A PKCS#1 public key (RFC 8017, appendix A.1.1) of a modulus and an exponent, whatever they are. */
function rsaKey(modulus: Uint8Array, exponent: Uint8Array, rest = new Uint8Array(0)): Uint8Array {
  const tagged = (tag: number, content: Uint8Array) => {
    const { length } = content
    const size = length < 128 ? [length] : [0x82, length >> 8, length & 0xff]
    return Buffer.concat([Uint8Array.of(tag, ...size), content])
  }
  const integer = (bytes: Uint8Array) =>
    tagged(2, (bytes[0] ?? 0) < 128 ? bytes : Buffer.concat([Buffer.alloc(1), bytes]))
  return Buffer.concat([tagged(0x30, Buffer.concat([integer(modulus), integer(exponent)])), rest])
}
const odd = (bytes: number) => new Uint8Array(bytes).fill(0xff)
const F4 = Uint8Array.of(1, 0, 1)
const even = odd(256)
even[255] = 0xfe

test('a did:key is made of an RSA key of 2,048 bits with the usual exponent (FIPS 186-5, A.1.1)', (t) => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const did = didKeyOf('rsa', publicKey.export({ format: 'der', type: 'pkcs1' }))
  t.like(resolveDidKey(did), { id: did })
})

const hex = (text: string) => Buffer.from(text, 'hex')
const badKeys: [why: string, keyType: Parameters<typeof didKeyOf>[0], bytes: Uint8Array][] = [
  ['Ed25519 of 31 bytes', 'ed25519', new Uint8Array(31)],
  ['Ed25519 identity (small order)', 'ed25519', hex(`01${'00'.repeat(31)}`)],
  ['Ed25519 small order 8', 'ed25519', hex('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a')],
  ['Ed25519 off the curve', 'ed25519', hex(`02${'00'.repeat(31)}`)],
  ['P-256 off the curve', 'p256', hex(`02${'ff'.repeat(32)}`)],
  ['P-256 uncompressed', 'p256', new Uint8Array(65).fill(4)],
  ['P-256 infinity', 'p256', new Uint8Array(33)],
  ['secp256k1 off the curve', 'secp256k1', hex(`02${'00'.repeat(31)}05`)],
  ['BLS12-381 G1 infinity', 'bls12381g1', hex(`c0${'00'.repeat(47)}`)],
  ['BLS12-381 G2 infinity', 'bls12381g2', hex(`c0${'00'.repeat(95)}`)],
  ['BLS12-381 G2 garbage', 'bls12381g2', new Uint8Array(96).fill(0x91)],
  ['X25519 of 33 bytes', 'x25519', new Uint8Array(33)],
  ['RSA garbage', 'rsa', new Uint8Array(270)],
  ['RSA with the exponent 1', 'rsa', rsaKey(odd(256), Uint8Array.of(1))],
  ['RSA with the exponent 2', 'rsa', rsaKey(odd(256), Uint8Array.of(2))],
  ['RSA with the exponent 3', 'rsa', rsaKey(odd(256), Uint8Array.of(3))],
  ['RSA with an even exponent', 'rsa', rsaKey(odd(256), Uint8Array.of(1, 0, 2))],
  ['RSA with an exponent of 257 bits', 'rsa', rsaKey(odd(256), Uint8Array.of(1, ...odd(32)))],
  ['RSA with an even modulus', 'rsa', rsaKey(even, F4)],
  ['RSA of 1,024 bits', 'rsa', rsaKey(odd(128), F4)],
  ['RSA of 16,384 bits', 'rsa', rsaKey(odd(2048), F4)],
  ['RSA with bytes behind it', 'rsa', rsaKey(odd(256), F4, Uint8Array.of(0))],
]
for (const [why, keyType, bytes] of badKeys) {
  test(`no did:key is made of ${why}`, (t) => {
    t.is(t.throws(() => didKeyOf(keyType, bytes), { instanceOf: Refusal })?.code, 'did.invalid')
  })
}

test('an RSA key as a JSON Web Key is held to the same rules', (t) => {
  const jwk = (modulus: Uint8Array, exponent: Uint8Array) => ({
    kty: 'RSA',
    n: Buffer.from(modulus).toString('base64url'),
    e: Buffer.from(exponent).toString('base64url'),
  })
  t.is(fromJwk(jwk(odd(256), F4)).keyType, 'rsa')
  for (const [modulus, exponent] of [
    [odd(256), Uint8Array.of(1)],
    [even, F4],
    [odd(128), F4],
  ] as const)
    t.is(t.throws(() => fromJwk(jwk(modulus, exponent)), { instanceOf: Refusal })?.code, 'did.invalid')
})
