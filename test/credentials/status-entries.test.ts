import test from 'ava'
import { createDid, sign, verify } from '../support/credentials/credentials.ts'
import { makeSample, type Sample } from '../support/frame/examples/sample.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let sample: Sample
test.before(async () => {
  world = await openWorld()
  sample = await makeSample(world, world.first)
})
test.after.always(() => world?.close())

const entry = () => sample.credential.credentialStatus as Record<string, string>

/** Reasons for a credential of ours whose status was changed; its proof is broken by that, which is not the point here. */
async function reasons(change: Record<string, unknown>): Promise<string[]> {
  const { reason } = await verify(world, { ...sample.credential, credentialStatus: { ...entry(), ...change } })
  return reason.map(({ type }) => type).filter((type) => type !== 'Proof')
}

for (const index of [
  '131072',
  '2147483647',
  '2147483648',
  '999999999999999',
  '9007199254740993',
  '-1',
  '1e3',
  '0x10',
  '1.5',
  ' 1',
  '',
])
  test(`index ${JSON.stringify(index)} of our own list: no status, and no fault of ours`, async (t) => {
    t.deepEqual(await reasons({ statusListIndex: index }), ['StatusUnavailable'])
  })

test('an address that is none of our lists is no status', async (t) => {
  const list = (path: string, base = world.url) =>
    reasons({ statusListCredential: `${base}/v1/revocation-lists/${path}` })
  for (const path of [
    '-'.repeat(36),
    '00000000-0000-4000-8000-000000000000',
    `${sample.listId}/`,
    sample.listId.toUpperCase(),
    '',
  ])
    t.deepEqual(await list(path), ['StatusUnavailable'], path)
  t.deepEqual(await list(sample.listId, world.url.replace('localhost', 'nobody.localhost')), ['StatusUnavailable'])
  const { subdomain } = await world.addTenant()
  t.deepEqual(await list(sample.listId, world.url.replace('localhost', `${subdomain}.localhost`)), [
    'StatusUnavailable',
  ])
  t.deepEqual(await list(sample.listId), [])
})

test('a list of another purpose or kind is no status', async (t) => {
  t.deepEqual(await reasons({ statusPurpose: 'suspension' }), ['StatusUnavailable'])
  t.deepEqual(await reasons({ type: 'StatusList2021Entry' }), ['Context', 'StatusUnavailable'], 'no context defines it')
})

test('an entry in another issuer’s list says nothing of a credential, in our lists as in any', async (t) => {
  const other = await createDid(world)
  const { credential } = await sign(world, other, { more: { credentialStatus: entry() } })
  t.deepEqual(
    (await verify(world, credential)).reason.map(({ type }) => type),
    ['StatusUnavailable'],
  )
})
