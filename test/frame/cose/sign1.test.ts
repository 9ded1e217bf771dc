import { createPrivateKey, generateKeyPairSync, sign as signWith } from 'node:crypto'
import test from 'ava'
import { type Cbor, encodeCbor, Tag } from '../../../protocol/cose/cbor.ts'
import {
  ALL_ALGORITHMS,
  coseAlgorithm,
  coseFault,
  coseSign1,
  coseSign1Of,
  HEADER,
  keyTypeOf,
  readCoseSign1,
  signCoseSign1,
  sigStructure,
} from '../../../protocol/cose/sign1.ts'
import { verificationKey } from '../../../protocol/data-integrity/keys.ts'
import type { PublicJwk } from '../../../protocol/dids/index.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { vectorJson, withVectors } from '../../support/credentials/conformance-vectors.ts'

const BOUNDS = { code: 'test.cose_malformed', maxBytes: 20_000 }
const bytesOf = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))
const text = (value: string) => new Uint8Array(Buffer.from(value))

const keyOf = (publicKeyJwk: PublicJwk) =>
  verificationKey({
    id: 'did:example:a#k',
    type: 'JsonWebKey',
    controller: 'did:example:a',
    publicKeyJwk: { ...publicKeyJwk },
  })

interface Vector {
  fail?: boolean
  input: { sign0: { key: Record<string, string>; external?: string } }
  intermediates: { ToBeSign_hex: string }
  output: { cbor: string }
}

const base64url = (hex: string) => Buffer.from(hex, 'hex').toString('base64url')

/** The vectors write coordinates as base64url or as hex; the private half is left out. */
const publicJwk = ({ kty = '', crv = '', x, y, x_hex, y_hex }: Record<string, string>): PublicJwk => ({
  kty,
  crv,
  ...((x ?? x_hex) && { x: x ?? base64url(x_hex ?? '') }),
  ...((y ?? y_hex) && { y: y ?? base64url(y_hex ?? '') }),
})

function verdictOf({ input, intermediates, output }: Vector, algorithms?: typeof ALL_ALGORITHMS) {
  const message = readCoseSign1(bytesOf(output.cbor), BOUNDS)
  const externalAad = bytesOf(input.sign0.external ?? '')
  const signed = Buffer.from(sigStructure(message.protectedBytes, message.payload ?? text(''), externalAad))
  const key = keyOf(publicJwk(input.sign0.key))
  const fault = coseFault(message, key, { externalAad, ...(algorithms && { algorithms }) })
  return { fault, signed: signed.toString('hex').toUpperCase() === intermediates.ToBeSign_hex }
}

for (const path of [
  'CWT/A_3',
  'RFC8152/Appendix_C_2_1',
  'ecdsa-examples/ecdsa-sig-01',
  'eddsa-examples/eddsa-sig-01',
  'sign1-tests/sign-pass-02',
  'sign1-tests/sign-pass-03',
])
  withVectors(`cose-wg ${path} verifies, over the bytes that it names`, (t) => {
    t.deepEqual(verdictOf(vectorJson<Vector>(`cose-wg/${path}.json`)), { fault: undefined, signed: true })
  })

for (const [path, fault] of [
  ['sign-fail-02', 'signature_invalid'],
  ['sign-fail-03', 'algorithm_unsupported'],
  ['sign-fail-04', 'algorithm_unsupported'],
  ['sign-fail-06', 'signature_invalid'],
  ['sign-fail-07', 'signature_invalid'],
] as const)
  withVectors(`cose-wg sign1-tests/${path} does not verify: ${fault}`, (t) => {
    t.is(verdictOf(vectorJson<Vector>(`cose-wg/sign1-tests/${path}.json`)).fault, fault)
  })

withVectors('cose-wg sign1-tests/sign-fail-01: another tag is refused', (t) => {
  const { output } = vectorJson<Vector>('cose-wg/sign1-tests/sign-fail-01.json')
  t.is(t.throws(() => readCoseSign1(bytesOf(output.cbor), BOUNDS), { instanceOf: Refusal })?.code, BOUNDS.code)
})

withVectors('cose-wg sign1-tests/sign-pass-01: an algorithm in the unprotected header alone is none', (t) => {
  const verdict = verdictOf(vectorJson<Vector>('cose-wg/sign1-tests/sign-pass-01.json'))
  t.deepEqual(verdict, { fault: 'algorithm_unsupported', signed: true })
})

for (const path of ['ecdsa-examples/ecdsa-sig-04', 'eddsa-examples/eddsa-sig-02'])
  withVectors(`cose-wg ${path}: ES512 and Ed448 are not taken`, (t) => {
    const { output } = vectorJson<Vector>(`cose-wg/${path}.json`)
    const message = readCoseSign1(bytesOf(output.cbor), BOUNDS)
    t.not(coseFault(message, p256.key), undefined)
  })

for (const [name, fault] of [
  ['ecdsa-sig-02', undefined],
  ['ecdsa-sig-03', undefined],
  ['ecdsa-sig-04', 'key_unfit'],
] as const)
  withVectors(
    `cose-wg ${name} where all algorithms are taken: ES384 and ES512, by keys of their curves (D-892)`,
    (t) => {
      const verdict = verdictOf(vectorJson<Vector>(`cose-wg/ecdsa-examples/${name}.json`), ALL_ALGORITHMS)
      t.deepEqual(verdict, { fault, signed: true })
    },
  )

/** A pair of keys, and the signer as the key store has it. */
const CURVES = { p256: ['P-256', 'sha256'], p384: ['P-384', 'sha384'] } as const

function pairOf(keyType: 'p256' | 'p384' | 'ed25519') {
  const [namedCurve, hash] = keyType === 'ed25519' ? [] : CURVES[keyType]
  const { publicKey, privateKey } =
    namedCurve === undefined ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve })
  const key = createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const sign = async (data: Uint8Array) =>
    hash === undefined ? signWith(null, data, key) : signWith(hash, data, { key, dsaEncoding: 'ieee-p1363' })
  return { signer: { keyType, sign }, key: keyOf({ kty: '', ...publicKey.export({ format: 'jwk' }) }) }
}

const p256 = pairOf('p256')
const ed25519 = pairOf('ed25519')
const KID = new Map<number, Cbor>([[HEADER.kid, text('key-1')]])

for (const [name, pair] of [
  ['ES256', p256],
  ['EdDSA', ed25519],
] as const)
  test(`what is signed with ${name} verifies, and a change of any part does not`, async (t) => {
    const externalAad = text('aad')
    const bytes = await signCoseSign1({ protected: KID, payload: text('payload'), externalAad }, pair.signer)
    t.is(bytes[0], 0xd2, 'tag 18')
    const message = readCoseSign1(bytes, BOUNDS)
    t.is(keyTypeOf(message), pair.key.keyType)
    t.deepEqual(message.protected.get(HEADER.kid), text('key-1'))
    t.is(coseFault(message, pair.key, { externalAad }), undefined)
    t.is(coseFault(message, pair.key), 'signature_invalid')
    t.is(coseFault({ ...message, payload: text('payloae') }, pair.key, { externalAad }), 'signature_invalid')
    const signature = message.signature.map((byte, at) => (at === 40 ? byte ^ 1 : byte))
    t.is(coseFault({ ...message, signature }, pair.key, { externalAad }), 'signature_invalid')
    t.is(
      coseFault({ ...message, signature: signature.subarray(1) }, pair.key, { externalAad }),
      'signature_invalid',
      'a shorter signature',
    )
    t.is(coseFault(message, pairOf(pair.signer.keyType).key, { externalAad }), 'signature_invalid')
  })

test('a key of another algorithm than the header names is refused', async (t) => {
  const message = readCoseSign1(await signCoseSign1({ protected: KID, payload: text('a') }, p256.signer), BOUNDS)
  t.is(coseFault(message, ed25519.key), 'key_unfit')
})

/** A message whose headers are as given, with a right signature over them. */
async function signedWith(header: Map<number, Cbor>, unprotected: Map<number, Cbor> = new Map()) {
  const protectedBytes = encodeCbor(header)
  const signature = await p256.signer.sign(sigStructure(protectedBytes, text('a')))
  return encodeCbor(new Tag(18, [protectedBytes, unprotected, text('a'), new Uint8Array(signature)]))
}

for (const [what, alg] of [
  ['none (0)', 0],
  ['HMAC 256/256', 5],
  ['ES384', -35],
  ['ES256K', -47],
  ['a text', 'ES256'],
  ['a list', [-7]],
] as const)
  test(`the algorithm ${what} is refused, with a right ES256 signature`, async (t) => {
    const message = readCoseSign1(await signedWith(new Map<number, Cbor>([[1, alg as Cbor]])), BOUNDS)
    t.is(coseFault(message, p256.key), 'algorithm_unsupported')
  })

test('a message without an algorithm, and one with it in the unprotected header, are refused', async (t) => {
  for (const unprotected of [new Map(), new Map([[1, -7]])])
    t.is(coseFault(readCoseSign1(await signedWith(new Map(), unprotected), BOUNDS), p256.key), 'algorithm_unsupported')
})

test('a critical parameter is refused, since none is known (RFC 9052, section 3.1)', async (t) => {
  const message = readCoseSign1(await signedWith(new Map<number, Cbor>([[1, -7], [2, [99]], [99, 1]])), BOUNDS) // biome-ignore format: three labels
  t.is(coseFault(message, p256.key), 'critical_unsupported')
})

test('a label in both headers is refused (RFC 9052, section 3)', async (t) => {
  const bytes = await signedWith(new Map([[1, -7]]), new Map([[1, -7]]))
  t.is(t.throws(() => readCoseSign1(bytes, BOUNDS), { instanceOf: Refusal })?.code, BOUNDS.code)
})

test('a detached payload is verified as the caller gives it (RFC 9052, section 4.1)', async (t) => {
  const parts = await coseSign1({ protected: new Map(), payload: text('a'), detached: true }, p256.signer)
  const message = coseSign1Of(parts, BOUNDS)
  t.is(message.payload, undefined)
  t.is(coseFault(message, p256.key, { payload: text('a') }), undefined)
  t.is(coseFault(message, p256.key, { payload: text('b') }), 'signature_invalid')
  t.is(coseFault(message, p256.key), 'signature_invalid')
})

const header = encodeCbor(new Map([[1, -7]]))
const bytes = new Uint8Array(64)
const MALFORMED: Array<[what: string, item: Cbor]> = [
  ['a number', 1],
  ['three items', [header, new Map(), bytes]],
  ['five items', [header, new Map(), bytes, bytes, bytes]],
  ['a map as protected header', [new Map([[1, -7]]), new Map(), bytes, bytes]],
  ['bytes as unprotected header', [header, header, bytes, bytes]],
  ['a list in the protected header', [encodeCbor([1]), new Map(), bytes, bytes]],
  ['a protected header with another item after it', [new Uint8Array([...header, 1]), new Map(), bytes, bytes]],
  ['a text as payload', [header, new Map(), 'a', bytes]],
  ['no signature', [header, new Map(), bytes, null]],
  ['the tag twice', new Tag(18, new Tag(18, [header, new Map(), bytes, bytes]))],
  ['the tag of COSE_Mac0', new Tag(17, [header, new Map(), bytes, bytes])],
]

for (const [what, item] of MALFORMED)
  test(`a COSE_Sign1 with ${what} is refused (RFC 9052, section 4.2)`, (t) => {
    t.is(t.throws(() => readCoseSign1(encodeCbor(item), BOUNDS), { instanceOf: Refusal })?.code, BOUNDS.code)
  })

test('a signer with a key that COSE has no algorithm for here is an error of ours', (t) => {
  t.is(coseAlgorithm('p256'), 'ES256')
  t.is(coseAlgorithm('ed25519'), 'EdDSA')
  t.is(coseAlgorithm('p384'), 'ES384')
  t.throws(() => coseAlgorithm('bls12381g2'), { message: /cannot sign/ })
})

test('what is signed with ES384 verifies where it is taken, and nowhere else (D-949)', async (t) => {
  const pair = pairOf('p384')
  const message = readCoseSign1(await signCoseSign1({ protected: KID, payload: text('a') }, pair.signer), BOUNDS)
  t.is(message.protected.get(HEADER.alg), -35)
  t.is(message.signature.length, 96)
  t.is(coseFault(message, pair.key, { algorithms: ALL_ALGORITHMS }), undefined)
  t.is(coseFault(message, pair.key), 'algorithm_unsupported')
  t.is(coseFault(message, pairOf('p384').key, { algorithms: ALL_ALGORITHMS }), 'signature_invalid')
})

test('ES384 and algorithms that name the curve are taken by those alone who say so (RFC 9053; RFC 9864)', (t) => {
  const named = (alg: number) => ({ protected: new Map<number, Cbor>([[HEADER.alg, alg]]) })
  const types = [-7, -8, -35, -9, -51, -19, -36, -52, 5].map((alg) => {
    const message = {
      ...named(alg),
      protectedBytes: new Uint8Array(),
      unprotected: new Map(),
      payload: new Uint8Array(),
      signature: new Uint8Array(),
    }
    return [keyTypeOf(message), keyTypeOf(message, ALL_ALGORITHMS)]
  })
  t.deepEqual(types, [
    ['p256', 'p256'],
    ['ed25519', 'ed25519'],
    [undefined, 'p384'],
    [undefined, 'p256'],
    [undefined, 'p384'],
    [undefined, 'ed25519'],
    [undefined, 'p521'],
    [undefined, 'p521'],
    [undefined, undefined],
  ])
})
