import { setTimeout } from 'node:timers/promises'
import test from 'ava'
import type { Json } from '../../../protocol/data-integrity/index.ts'
import { resolveDidKey } from '../../../protocol/dids/key.ts'
import { createDid, sign, verify } from '../../support/credentials/credentials.ts'
import { peerVerifies } from '../../support/credentials/linkage.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

for (const [proofType, keyType] of [
  ['Ed25519Signature2018', 'ed25519'],
  ['eddsa-rdfc-2022', 'ed25519'],
  ['ecdsa-rdfc-2019', 'p256'],
  ['bbs-2023', 'bls12381g2'],
] as const)
  for (const base of ['https://www.w3.org/2018/credentials/v1', 'https://www.w3.org/ns/credentials/v2'])
    test.serial(`the list of ${proofType} under ${base} is anybody’s to verify: a BBS one is derived`, async (t) => {
      const did = await createDid(world, keyType)
      const more = { '@context': [base, { course: 'https://schema.org/courseCode' }] }
      const { credential } = await sign(world, did, { proofType, revocable: true, more })
      const entry = credential.credentialStatus as Record<string, string>
      const url = entry.revocationListCredential ?? entry.statusListCredential ?? ''
      const list = (await world.ask(new URL(url).pathname)).json<Json>()
      t.is(list.issuer, did)
      const peer = await peerVerifies(list, async (issuer) => resolveDidKey(issuer))
      t.true(peer.verified, JSON.stringify(peer.error))
      t.deepEqual(await verify(world, list), { verified: true, reason: [] })
    })

test.serial('a list whose key is gone, as after a restore, is away and no fault of the reader', async (t) => {
  const did = await createDid(world)
  const { credential } = await sign(world, did, { revocable: true })
  const url = (credential.credentialStatus as Record<string, string>).statusListCredential ?? ''
  await world.dependencies.systemSql.query({
    text: 'delete from keys where did_id = (select id from dids where did = $1)',
    values: [did],
  })
  await setTimeout(5_100) // an issuer is remembered for 5 s
  const reply = await world.ask(new URL(url).pathname)
  t.is(reply.status, 503, reply.text)
  t.is(reply.json<{ type: string }>().type, '/problems#keys.unavailable')
  t.is(reply.headers.get('retry-after'), '3600')
})

test.serial('a list that nobody read before its issuer was deleted is gone (D-332)', async (t) => {
  const did = await createDid(world)
  const { credential } = await sign(world, did, { revocable: true })
  const url = (credential.credentialStatus as Record<string, string>).statusListCredential ?? ''
  t.is((await world.ask(`/v1/dids/${did}`, { method: 'DELETE', token: world.token })).status, 204)
  const reply = await world.ask(new URL(url).pathname)
  t.is(reply.status, 410, reply.text)
  t.is(reply.json<{ type: string }>().type, '/problems#status_list.issuer_gone')
})
