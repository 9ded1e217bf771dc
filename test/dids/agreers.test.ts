import { randomBytes, randomUUID } from 'node:crypto'
import test from 'ava'
import { type AgreerFault, createAgreers, type RefuseAgreer } from '../../activities/dids/agreers.ts'
import { createPlatform } from '../../activities/index.ts'
import { unknownKey } from '../../activities/keys/reference.ts'
import { resolveDidKey } from '../../protocol/dids/key.ts'
import { Refusal, Unavailable } from '../../protocol/errors.ts'
import { decryptJwe } from '../../protocol/messaging/jwe.decrypt.ts'
import { encryptJwe } from '../../protocol/messaging/jwe.encrypt.ts'
import { ephemeralKey } from '../../protocol/messaging/jwe.keys.ts'
import { createDid } from '../support/credentials/credentials.ts'
import { type DidAnswer, didsOf, withStanding } from '../support/credentials/dids.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld() // no worker: a did:web stays PROCESSING
})
test.after.always(() => world?.close())

const refuse: RefuseAgreer = ({ kind, expected }: AgreerFault) =>
  new Refusal(`letter.${kind}`, 'No.', [{ path: 'sender', code: 'did', message: expected }])

/** The keys of a DID of ours, and a peer's that agree with them. */
for (const [keyType, curve] of [
  ['ed25519', 'x25519'],
  ['x25519', 'x25519'],
  ['p256', 'p256'],
] as const)
  test(`a did:key of ${keyType} agrees by its ${curve} key of keyAgreement (did:key, 3.1.3)`, async (t) => {
    const { tenantId } = world.first
    const { agreersFor, agreersOf } = createAgreers(withStanding(world.dependencies))
    const did = await createDid(world, keyType)
    const [agreement] = resolveDidKey(did).keyAgreement ?? []
    const kid = typeof agreement === 'string' ? agreement : (agreement?.id ?? '')
    for (const name of [did, kid]) {
      const [agreer, ...more] = await agreersFor(tenantId, name, refuse)
      t.deepEqual([agreer.kid, agreer.did, agreer.keyType, more.length], [kid, did, curve, 0])
      const peer = ephemeralKey(curve, randomBytes)
      t.deepEqual(
        Buffer.from(await agreer.agree(peer.publicKey)),
        Buffer.from(peer.agree(agreer.key)),
        'the secret is that of the other side',
      )
    }
    t.deepEqual(
      (await agreersOf(tenantId, [kid, did, `${did}#none`, 'none', kid])).map((each) => each.kid),
      [kid],
    )
  })

test('a JWE goes from one DID of the tenant to others, and no private key leaves the key store', async (t) => {
  const { tenantId } = world.first
  const { agreersFor, agreersOf } = createAgreers(withStanding(world.dependencies))
  const [from, ...to] = await Promise.all(
    ['ed25519', 'x25519', 'ed25519'].map(async (type) => {
      const [agreer] = await agreersFor(tenantId, await createDid(world, type), refuse)
      return agreer
    }),
  )
  if (!from) return t.fail()
  const plaintext = Buffer.from('a letter')
  const jwe = await encryptJwe({ plaintext, recipients: to, sender: from, random: randomBytes })
  const opener = {
    agreementsOf: (kids: string[]) => agreersOf(tenantId, kids),
    senderKeyOf: async () => from.key,
  }
  const opened = await decryptJwe(jwe, opener)
  t.deepEqual([Buffer.from(opened.plaintext).toString(), opened.sender?.kid], ['a letter', from.kid])
  const foreign = { ...opener, agreementsOf: (kids: string[]) => agreersOf(randomUUID(), kids) }
  await t.throwsAsync(decryptJwe(jwe, foreign), { instanceOf: Refusal, code: 'jwe.undecryptable' })
})

test('a fault has the caller’s code and names the caller’s field', async (t) => {
  const { tenantId } = world.first
  const { agreersFor } = createAgreers(withStanding(world.dependencies))
  const codeOf = async (didUrl: string, tenant = tenantId) =>
    (await t.throwsAsync<Refusal>(agreersFor(tenant, didUrl, refuse), { instanceOf: Refusal }))?.code
  const did = await createDid(world)
  t.is(await codeOf('did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK'), 'letter.unknown')
  t.is(await codeOf('a letter'), 'letter.unknown')
  t.is(await codeOf(did, randomUUID()), 'letter.unknown', 'a DID of another tenant')
  t.is(await codeOf(`${did}#${did.slice('did:key:'.length)}`), 'letter.no_key', 'a key that only signs')
  t.is(await codeOf(await createDid(world, 'bls12381g2')), 'letter.no_key')
  const { did: processing } = await didsOf(world, world.token).createWeb('agreers.example.org')
  t.is(await codeOf(processing), 'letter.not_ready')
})

test('where the private key never leaves the key store, the DID is refused before anything is encrypted (D-380)', async (t) => {
  const { tenantId } = world.first
  const keys = { ...world.dependencies.keys, agrees: ['x25519'] as const }
  const { agreersFor, agreersOf } = createAgreers({ ...withStanding(world.dependencies), keys })
  for (const keyType of ['ed25519', 'p256']) {
    const did = await createDid(world, keyType)
    await t.throwsAsync(agreersFor(tenantId, did, refuse), { instanceOf: Refusal, code: 'letter.custody' })
    const [agreement] = resolveDidKey(did).keyAgreement ?? []
    const kid = typeof agreement === 'string' ? agreement : (agreement?.id ?? '')
    t.deepEqual(await agreersOf(tenantId, [kid]), [])
  }
  await t.notThrowsAsync(agreersFor(tenantId, await createDid(world, 'x25519'), refuse))
})

test('a did:web agrees by its X25519 key once it is registered', async (t) => {
  const { tenantId } = world.first
  const { id, did } = (await didsOf(world, world.token).createWeb('agreeing.example.org')) as DidAnswer
  const { registration, agreers } = createPlatform(world.dependencies)
  for (const step of ['createDidKeys', 'writeDidDocument', 'completeDid'] as const)
    await registration[step]({ tenantId, didId: id })
  const [agreer, ...more] = await agreers.agreersFor(tenantId, did, refuse)
  t.deepEqual([agreer.keyType, more.length], ['x25519', 0])
  t.true(agreer.kid.startsWith(`${did}#z6LS`))
})

test('a DID that was deleted while it is remembered agrees no more', async (t) => {
  const { tenantId } = world.first
  const { agreersFor } = createAgreers(withStanding(world.dependencies))
  const did = await createDid(world)
  const [agreer] = await agreersFor(tenantId, did, refuse)
  await didsOf(world, world.token).remove(did)
  const { publicKey } = ephemeralKey('x25519', randomBytes)
  await t.throwsAsync(agreer.agree(publicKey), { instanceOf: Refusal, code: 'letter.deleted' })
})

test('a key of agreement that the key store lacks while its DID stands is a fault of the key store', async (t) => {
  const { tenantId } = world.first
  const { keys, ...parts } = withStanding(world.dependencies)
  const { agreersFor } = createAgreers({ ...parts, keys: { ...keys, agree: () => Promise.reject(unknownKey()) } })
  const [agreer] = await agreersFor(tenantId, await createDid(world, 'x25519'), refuse)
  const { publicKey } = ephemeralKey('x25519', randomBytes)
  const error = await t.throwsAsync(agreer.agree(publicKey), { instanceOf: Unavailable })
  t.is(error?.part, 'keys')
})

test('a DID whose only key is of key agreement becomes no default issuer', async (t) => {
  const body = { method: 'KEY', options: { keyType: 'x25519' }, issuer: true }
  const reply = await world.ask('/v1/dids', { token: world.token, body })
  t.is(reply.status, 400)
  t.like(reply.json<{ errors: object[] }>(), { errors: [{ path: 'issuer' }] })
})
