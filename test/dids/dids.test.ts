import test from 'ava'
import { createPlatform } from '../../activities/index.ts'
import { publicKeyOf } from '../../protocol/dids/index.ts'
import { didKeyMethodId, resolveDidKey } from '../../protocol/dids/key.ts'
import { createDid, sign } from '../support/credentials/credentials.ts'
import { type DidAnswer, didsOf, loggedAbout, type Resolved } from '../support/credentials/dids.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let dids: ReturnType<typeof didsOf>
test.before(async () => {
  world = await openWorld()
  dids = didsOf(world, world.token)
})
test.after.always(() => world?.close())

const count = async (table: 'dids' | 'keys' | 'key_envelopes' | 'outbox', where: string, value: string) =>
  (await world.dependencies.systemSql.query({ text: `select 1 from ${table} where ${where} = $1`, values: [value] }))
    .rows.length

const logged = (type: string, id: string) => loggedAbout(world, world.token, type, id)

for (const [method, keyType, expected, prefix] of [
  ['KEY', undefined, 'ed25519', 'z6Mk'],
  ['key', 'ed25519', 'ed25519', 'z6Mk'],
  ['Key', 'ED25519', 'ed25519', 'z6Mk'],
  ['KEY', 'p256', 'p256', 'zDn'],
  ['KEY', 'P-256', 'p256', 'zDn'],
  ['KEY', 'P-384', 'p384', 'z82'],
  ['KEY', 'bls12381g2', 'bls12381g2', 'zUC7'],
  ['KEY', 'Bls12381G2', 'bls12381g2', 'zUC7'],
  ['KEY', 'x25519', 'x25519', 'z6LS'],
  ['KEY', 'X25519', 'x25519', 'z6LS'],
] as const)
  test.serial(
    `${method} with keyType ${keyType ?? 'left out'} is a did:key, COMPLETED at once (specification, DID record)`,
    async (t) => {
      const reply = await dids.create(method, keyType ? { keyType } : {})
      t.is(reply.status, 201)
      const created = reply.json<DidAnswer>()
      t.deepEqual(Object.keys(created), ['did', 'id', 'metadata', 'registrationStatus'])
      t.true(created.did.startsWith(`did:key:${prefix}`), created.did)
      t.is(created.registrationStatus, 'COMPLETED')
      const resolved = (await dids.resolve(created.did)).json<Resolved>()
      t.deepEqual(resolved.didDocument as object, resolveDidKey(created.did) as object)
      t.like(resolved, { registrationStatus: 'COMPLETED', hosting: 'none', localMetadata: created.metadata })
      const [key] = created.metadata.keys
      t.is(created.metadata.keys.length, 1)
      const method0 = resolveDidKey(created.did).verificationMethod?.find(({ id }) => id === key?.didDocumentKeyId)
      if (!method0) return t.fail('the key is in the document')
      const publicKey = publicKeyOf(method0)
      t.is(publicKey.keyType, expected)
      t.is(key?.didDocumentKeyId, didKeyMethodId(created.did, publicKey))
      t.is(await count('key_envelopes', 'key_id', key?.kmsKeyId ?? ''), 1)
    },
  )

test.serial('an Ed25519 DID has a key agreement of its own', async (t) => {
  const did = await createDid(world)
  const { didDocument } = (await dids.resolve(did)).json<Resolved>()
  t.is((didDocument.keyAgreement as unknown[]).length, 1)
})

for (const [body, path] of [
  [{ method: 'ION', options: {} }, 'method'],
  [{ method: 'KEY', options: { keyType: 'secp256k1' } }, 'options.keyType'],
  [{ method: 'KEY', options: { keytype: 'p256' } }, 'options.keytype'],
  [{ method: 'KEY', options: { url: 'issuer.example' } }, 'options.url'],
  [{ method: 'WEB', options: { url: 'issuer.example', keyType: 'p256' } }, 'options.keyType'],
  [{ method: 'WEB', options: {} }, 'options.url'],
  [{ method: 'WEB', options: { url: 'https://10.0.0.1' } }, 'options.url'],
  [{ method: 'WEB', options: { url: 'metadata.google.internal' } }, 'options.url'],
  [{ method: 'WEB', options: { url: 'https://issuer.example.org:22' } }, 'options.url'],
  [{ method: 'WEB', options: { url: 'https://issuer.example.org:5432/users/7' } }, 'options.url'],
  [{ method: 'WEB', options: { url: 'intranet' } }, 'options.url'],
  [{ method: 'WEB', options: { url: 'issuer.local' } }, 'options.url'],
  [{ method: 'WEB', options: { url: 'router.home.arpa' } }, 'options.url'],
  [
    { method: 'KEY', options: Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`o${at}`, 'x'])) },
    'options.o0',
  ],
] as const)
  test.serial(`${JSON.stringify(body).slice(0, 80)} is a 400 that names ${path}, and makes nothing`, async (t) => {
    const client = await world.addTenant()
    const reply = await didsOf(world, await world.tokenOf(client)).create(body.method, body.options)
    t.is(reply.status, 400)
    t.is(reply.json<{ errors: { path: string }[] }>().errors[0]?.path, path)
    t.is(await count('keys', 'tenant_id', client.tenantId), 0)
  })

test.serial('the list pages, newest first, with totals (specification, getDIDsList)', async (t) => {
  const token = await world.tokenOf(await world.addTenant())
  const own = didsOf(world, token)
  const made: string[] = []
  for (let at = 0; at < 5; at++) made.unshift(await createDid(world, 'ed25519', token))
  const first = await own.list('?limit=2')
  t.deepEqual(Object.keys(first), ['dids', 'limit', 'totalCount', 'totalPages'])
  t.like(first, { limit: 2, totalCount: 5, totalPages: 3 })
  const pages = [first, await own.list('?limit=2&page=2'), await own.list('?limit=2&page=3')]
  t.deepEqual(
    pages.flatMap((page) => page.dids.map(({ did }) => did)),
    made,
  )
  t.deepEqual((await own.list('?limit=2&page=4')).dids, [])
  t.like(await own.list('?limit=0'), { dids: [], limit: 0, totalCount: 5 })
  for (const query of ['?limit=-1', '?limit=1001', '?page=-1', '?limit=1.5', '?limit=x'])
    t.is((await world.ask(`/v1/dids${query}`, { token })).status, 400, query)
})

test.serial('what is no DID of the tenant is a 404, whatever it looks like', async (t) => {
  for (const id of [
    'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK',
    'did:web:issuer.example',
    'nothing',
    '../x',
    '%00',
    'did:key:\ud7ff',
    `did:key:${'z'.repeat(5000)}`,
    `'; drop table dids; --`,
  ]) {
    t.is((await dids.resolve(id)).status, 404, id)
    t.is((await dids.remove(id)).status, 404, id)
  }
})

test.serial('another tenant’s DID is a 404 to read and to delete, and stays', async (t) => {
  const did = await createDid(world)
  const other = didsOf(world, await world.tokenOf(await world.addTenant()))
  t.is((await other.resolve(did)).status, 404)
  t.is((await other.remove(did)).status, 404)
  t.is((await other.list()).totalCount, 0)
  t.is((await dids.resolve(did)).status, 200)
  t.deepEqual((await sign(world, did)).credential.issuer, { id: did })
})

test.serial('a deletion destroys the keys at once, without Temporal too; a second one is a 404', async (t) => {
  const created = (await dids.create('KEY', {})).json<DidAnswer>()
  const keyId = created.metadata.keys[0]?.kmsKeyId ?? ''
  const reply = await dids.remove(created.did)
  t.is(reply.status, 204)
  t.is(reply.text, '')
  t.is(await count('key_envelopes', 'key_id', keyId), 0)
  t.is(await count('keys', 'id', keyId), 1, 'the row goes last, when the workflow has seen to the key')
  t.is(await count('outbox', 'object_id', created.id), 1)
  t.is((await dids.resolve(created.did)).status, 404)
  t.is((await dids.remove(created.did)).status, 404)
  t.false((await dids.list('?limit=1000')).dids.some(({ id }) => id === created.id))
  t.is((await logged('DID_DELETE_SUCCESS', created.id)).length, 1)
})

test.serial('of ten deletions at once one is a 204, the others 404', async (t) => {
  const { did, id } = (await dids.create('KEY', {})).json<DidAnswer>()
  const replies = await Promise.all(Array.from({ length: 10 }, () => dids.remove(did)))
  t.deepEqual(replies.map(({ status }) => status).toSorted(), [204, ...Array.from({ length: 9 }, () => 404)])
  t.is((await logged('DID_DELETE_SUCCESS', id)).length, 1)
})

for (const keyType of ['ed25519', 'p256', 'bls12381g2'])
  test.serial(`nobody signs with a deleted ${keyType} DID, not even a process that remembers it`, async (t) => {
    const proofType = { ed25519: 'eddsa-rdfc-2022', p256: 'ecdsa-rdfc-2019', bls12381g2: 'bbs-2023' }[keyType]
    const did = await createDid(world, keyType)
    await sign(world, did, { proofType })
    const { dependencies, first } = world
    const call = { tenantId: first.tenantId, clientId: first.clientId, requestId: dependencies.uuid() }
    await createPlatform(dependencies).dids.deleteDid(call, did) // by another process, as the API sees it
    await t.throwsAsync(sign(world, did, { proofType }), { message: /"status":400/ })
    await t.throwsAsync(sign(world, did, { proofType }), { message: /issuer_unknown/ })
  })

test.serial('a creation is one entry in the log, without the DID’s keys (specification, logs)', async (t) => {
  const { id } = (await dids.create('KEY', {})).json<DidAnswer>()
  const [entry, ...more] = await logged('DID_CREATE_SUCCESS', id)
  t.deepEqual(more, [])
  t.deepEqual(entry, { clientId: world.first.clientId, id, method: 'KEY', keyType: 'ed25519' })
})
