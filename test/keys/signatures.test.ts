import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto'
import { fromRaw } from '@digitalbazaar/bls12-381-multikey'
import { ed25519, x25519 } from '@noble/curves/ed25519.js'
import { p256, p384 } from '@noble/curves/nist.js'
import { openContract } from '../support/parts/key-contract.ts'
import { codeOf, newRef } from '../support/parts/keys.ts'
import { longestTurn } from '../support/parts/processor-time.ts'

const contract = openContract()

contract('Ed25519 signatures verify in two other implementations (RFC 8032)', async (t, store) => {
  const ref = newRef('ed25519')
  const { publicKey } = await store.create(ref)
  for (const data of [new Uint8Array(0), randomBytes(64), randomBytes(100_000)]) {
    const signature = await store.sign(ref, data)
    t.is(signature.length, 64)
    const x = Buffer.from(publicKey).toString('base64url')
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    t.true(verify(null, data, key, signature))
    t.true(ed25519.verify(signature, data, publicKey))
    t.false(ed25519.verify(signature, Buffer.concat([data, Buffer.from([0])]), publicKey))
  }
})

for (const [keyType, curve, crv, hash] of [
  ['p256', p256, 'P-256', 'sha256'],
  ['p384', p384, 'P-384', 'sha384'],
] as const) {
  contract(
    `${crv} signatures are r‖s over ${hash} and verify in two other implementations (FIPS 186-5)`,
    async (t, store) => {
      const ref = newRef(keyType)
      const { publicKey } = await store.create(ref)
      const bytes = publicKey.length - 1
      for (const data of [new Uint8Array(0), randomBytes(64), randomBytes(100_000)]) {
        const signature = await store.sign(ref, data)
        t.is(signature.length, 2 * bytes)
        const point = curve.Point.fromBytes(publicKey).toBytes(false)
        const [x, y] = [point.subarray(1, 1 + bytes), point.subarray(1 + bytes)].map((part) =>
          Buffer.from(part).toString('base64url'),
        )
        const key = createPublicKey({ key: { kty: 'EC', crv, x, y }, format: 'jwk' })
        t.true(verify(hash, data, { key, dsaEncoding: 'ieee-p1363' }, signature))
        const digest = createHash(hash).update(data).digest()
        t.true(curve.verify(signature, digest, publicKey, { prehash: false, lowS: false }))
      }
    },
  )

  contract(`of the two values of s that verify, a ${crv} signature has the lower one (D-161)`, async (t, store) => {
    const ref = newRef(keyType)
    const { publicKey } = await store.create(ref)
    const signatures = await Promise.all(
      Array.from({ length: 24 }, async (_, n) => {
        const data = Buffer.from(`text ${n}`)
        return { data, signature: await store.sign(ref, data) }
      }),
    )
    for (const { data, signature } of signatures) t.true(curve.verify(signature, data, publicKey, { lowS: true }))
  })
}

contract('an X25519 agreement is the one that the other side computes (RFC 7748, 6.1)', async (t, store) => {
  const ref = newRef('x25519')
  const { publicKey } = await store.create(ref)
  const peer = x25519.keygen()
  t.deepEqual(
    Buffer.from(await store.agree(ref, peer.publicKey)),
    Buffer.from(x25519.getSharedSecret(peer.secretKey, publicKey)),
  )
})

contract('an Ed25519 key agrees in its Montgomery form, or says that its store cannot', async (t, store) => {
  const ref = newRef('ed25519')
  const { publicKey } = await store.create(ref)
  const peer = x25519.keygen()
  if (store.name === 'vault') {
    t.is(await codeOf(store.agree(ref, peer.publicKey)), 'key.agreement_unsupported')
    return
  }
  const theirs = x25519.getSharedSecret(peer.secretKey, ed25519.utils.toMontgomery(publicKey))
  t.deepEqual(Buffer.from(await store.agree(ref, peer.publicKey)), Buffer.from(theirs))
})

contract(
  'a P-256 key agrees as the other side computes it, or says that its store cannot (SEC 1, 3.3.1)',
  async (t, store) => {
    const ref = newRef('p256')
    const { publicKey } = await store.create(ref)
    const peer = p256.keygen()
    t.is(store.agrees.includes('p256'), store.name === 'local')
    if (store.name === 'vault') {
      t.is(await codeOf(store.agree(ref, peer.publicKey)), 'key.agreement_unsupported')
      return
    }
    const theirs = p256.getSharedSecret(peer.secretKey, publicKey).subarray(1)
    t.deepEqual(Buffer.from(await store.agree(ref, peer.publicKey)), Buffer.from(theirs))
    const offCurve = Buffer.concat([[2], Buffer.alloc(32, 0xff)].map((part) => Buffer.from(part)))
    for (const point of [offCurve, Buffer.alloc(1), Buffer.alloc(0), randomBytes(32), p384.keygen().publicKey])
      t.is(await codeOf(store.agree(ref, point)), 'key.agreement_refused')
  },
)

/** u-coordinates of the points of order 1, 2, 4 and 8, and their non-canonical forms (RFC 7748, 6.1; Curve25519 paper). */
const SMALL_ORDER = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
  '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
]

contract('a peer key that would make an all-zero secret is refused (RFC 7748, 6.1)', async (t, store) => {
  const ref = newRef('x25519')
  await store.create(ref)
  for (const point of SMALL_ORDER) {
    t.is(await codeOf(store.agree(ref, Buffer.from(point, 'hex'))), 'key.agreement_refused', point)
  }
  for (const length of [0, 31, 33]) {
    t.is(await codeOf(store.agree(ref, randomBytes(length))), 'key.agreement_refused')
  }
})

contract(
  'a BBS signature proves any disclosure, and no changed message (draft-irtf-cfrg-bbs-signatures)',
  async (t, store) => {
    const ref = newRef('bls12381g2')
    const { publicKey } = await store.create(ref)
    const header = randomBytes(32)
    const messages = [randomBytes(16), randomBytes(1_000), randomBytes(1)]
    const signature = await store.bbsSign(ref, { header, messages })
    t.is(signature.length, 80)
    const pair = await fromRaw({ algorithm: 'BBS-BLS12-381-SHA-256', publicKey })
    const presentationHeader = randomBytes(8)
    const disclosed = { signature, header, messages, presentationHeader, disclosedMessageIndexes: [0, 1, 2] }
    const proof = await pair.deriveProof(disclosed)
    const verifier = pair.verifier()
    t.true(await verifier.multiverify({ proof, header, presentationHeader, messages }))
    const changed = [randomBytes(16), ...messages.slice(1)]
    t.false(await verifier.multiverify({ proof, header, presentationHeader, messages: changed }))
  },
)

contract('BBS signatures take no turn of the event loop of 50 ms', async (t, store) => {
  const ref = newRef('bls12381g2')
  await store.create(ref)
  const input = { header: randomBytes(32), messages: Array.from({ length: 20 }, () => randomBytes(32)) }
  await store.bbsSign(ref, input)
  const work = () => Promise.all(Array.from({ length: 10 }, () => store.bbsSign(ref, input)))
  t.true((await longestTurn(t, work)) < 50)
})
