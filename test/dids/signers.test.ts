import test from 'ava'
import { createSigners, type RefuseSigner } from '../../activities/dids/signers.ts'
import { unknownKey } from '../../activities/keys/reference.ts'
import { keyFor } from '../../protocol/data-integrity/index.ts'
import { Refusal, Unavailable } from '../../protocol/errors.ts'
import { createDid } from '../support/credentials/credentials.ts'
import { didsOf, withStanding } from '../support/credentials/dids.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld() // no worker: a did:web stays PROCESSING
})
test.after.always(() => world?.close())

const UNKNOWN = 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK'

/** The words of a caller that is no format of credentials. */
const refuse: RefuseSigner = ({ kind, expected }) =>
  new Refusal(`letter.${kind}`, 'No.', [{ path: 'sender', code: 'did', message: expected }])

test('a refusal has the caller’s code and names the caller’s field', async (t) => {
  const { tenantId } = world.first
  const { signerOf } = createSigners(withStanding(world.dependencies))
  const refused = async (work: () => unknown) => {
    const error = await t.throwsAsync<Refusal>(async () => work(), { instanceOf: Refusal })
    return [error?.code, error?.errors[0]?.path, error?.errors[0]?.message]
  }
  t.deepEqual(await refused(() => signerOf(tenantId, UNKNOWN, refuse)), [
    'letter.unknown',
    'sender',
    'expected a DID of /v1/dids',
  ])
  const { did: processing } = await didsOf(world, world.token).createWeb('signers.example.org')
  t.deepEqual(await refused(() => signerOf(tenantId, processing, refuse)), [
    'letter.not_ready',
    'sender',
    'expected a DID with registrationStatus COMPLETED',
  ])
  const signer = await signerOf(tenantId, await createDid(world), refuse)
  t.deepEqual(await refused(() => signer.withKey({ keyTypes: ['p256'], neededBy: 'a letter' })), [
    'letter.key_unfit',
    'sender',
    'expected a DID with a p256 key',
  ])
})

test('the first type of key that the DID holds is taken, and its signature is of that key', async (t) => {
  const { signerOf } = createSigners(withStanding(world.dependencies))
  const did = await createDid(world, 'p256')
  const signer = await signerOf(world.first.tenantId, did, refuse)
  t.deepEqual(signer.keyTypes, ['p256'])
  const { keyType, verificationMethod, sign } = signer.withKey({ keyTypes: ['ed25519', 'p256'], neededBy: 'a letter' })
  t.is(keyType, 'p256')
  t.true(verificationMethod.startsWith(`${did}#`))
  t.is((await sign(Buffer.from('letter'))).length, 64)
})

test('a DID that was deleted while it is remembered signs nothing, in the caller’s words (D-022)', async (t) => {
  const { tenantId } = world.first
  const { signerOf } = createSigners(withStanding(world.dependencies))
  const did = await createDid(world)
  const { sign } = (await signerOf(tenantId, did, refuse)).withKey(keyFor('eddsa-rdfc-2022'))
  await didsOf(world, world.token).remove(did)
  await t.throwsAsync(sign(Buffer.from('letter')), { instanceOf: Refusal, code: 'letter.deleted' })
})

test('a key that the key store lacks while its DID stands is a fault of the key store', async (t) => {
  const { tenantId } = world.first
  const { keys, ...parts } = withStanding(world.dependencies)
  const lost = { ...keys, sign: () => Promise.reject(unknownKey()) }
  const { signerOf } = createSigners({ ...parts, keys: lost })
  const did = await createDid(world)
  const { sign } = (await signerOf(tenantId, did, refuse)).withKey(keyFor('eddsa-rdfc-2022'))
  const error = await t.throwsAsync(sign(Buffer.from('letter')), { instanceOf: Unavailable })
  t.is(error?.part, 'keys')
})
