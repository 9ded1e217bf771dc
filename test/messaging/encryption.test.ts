import { randomUUID } from 'node:crypto'
import test from 'ava'
import { CompactEncrypt, FlattenedEncrypt, generalDecrypt, importJWK, type JWK } from 'jose'
import { MAX_PAYLOAD_BYTES } from '../../activities/messaging/encryption.ts'
import { type DidDocument, toJwk } from '../../protocol/dids/index.ts'
import { didKeyOf } from '../../protocol/dids/key.ts'
import { createDid } from '../support/credentials/credentials.ts'
import { didsOf } from '../support/credentials/dids.ts'
import { type Names, openNames } from '../support/frame/names.ts'
import {
  agreementIn,
  type DecryptAnswer,
  encryptionOf,
  foreigner,
  type Jwe,
  keyOf,
  problemOf,
  rfc7516,
} from '../support/messaging/encryption.ts'
import { encrypt, inboxesOf } from '../support/messaging.ts'
import { openWorld, type World } from '../support/world.ts'

let names: Names
let world: World
/** Tokens of other tenants. */
let other: string
let third: string
test.before(async () => {
  names = await openNames()
  world = await openWorld({ workflows: true, env: names.env })
  names.platform.apiPort = world.config.port
  other = await world.tokenOf(await world.addTenant())
  third = await world.tokenOf(await world.addTenant())
})
test.after.always(async () => {
  await world?.close()
  await names?.close()
})

const ask = (verb: 'encrypt' | 'decrypt', body: unknown, token = world.token) =>
  encryptionOf(world).ask(verb, body, token)
const decrypt = (jwe: unknown, token: string): Promise<DecryptAnswer> => encryptionOf(world).decrypt(jwe, token)

const PAYLOADS: unknown[] = [
  { course: 'CS-101', grade: 1.5, list: [1, { deep: null }], '': { ' ': '\u2028 👋' } },
  'a text, with "quotes" and 👋',
  '42',
  42,
  false,
  null,
  '',
  [],
]

for (const keyType of ['ed25519', 'x25519', 'p256'])
  test(`from a DID of ${keyType} to one of another tenant, which alone opens it (specification, encryptCredentials)`, async (t) => {
    const [from, to] = [await createDid(world, keyType), await createDid(world, keyType, other)]
    for (const payload of PAYLOADS) {
      const reply = await ask('encrypt', { payload, recipientDidUrls: [to], senderDidUrl: from })
      t.is(reply.status, 200, reply.text)
      const { jwe } = reply.json<{ jwe: Jwe }>()
      t.deepEqual(Object.keys(jwe).toSorted(), ['ciphertext', 'iv', 'protected', 'recipients', 'tag'])
      t.like(jwe.recipients, [{ header: { alg: 'ECDH-1PU+A256KW', kid: keyOf(to), skid: keyOf(from) } }])
      t.is(jwe.recipients[0]?.header.epk.kty, keyType === 'p256' ? 'EC' : 'OKP')
      for (const sent of [JSON.stringify(jwe), jwe, JSON.stringify(rfc7516(JSON.stringify(jwe)))])
        t.deepEqual(await decrypt(sent, other), {
          payload,
          recipientDidUrl: keyOf(to),
          senderDidUrl: keyOf(from),
          senderPublicJwk: toJwk(agreementIn(from).key) as JWK,
        })
      for (const token of [world.token, third])
        t.is((await ask('decrypt', { jwe }, token)).status, 400, 'neither the sender nor a third tenant')
    }
  })

test('to many recipients: did:key and did:web of the platform, of another host, by DID and by key; jose opens it', async (t) => {
  const dids = didsOf(world, world.token)
  const { did: web } = await dids.createWeb(`${names.origin}/${randomUUID()}`)
  await dids.reaches(web, 'COMPLETED')
  const [wallet, host, key] = [await foreigner(), await foreigner(), await createDid(world, 'x25519', other)]
  const path = randomUUID()
  const elsewhere = `did:web:elsewhere.test%3A${names.port}:${path}`
  const jwk = toJwk(agreementIn(host.did).key)
  const method = { id: '#agree', type: 'JsonWebKey', controller: elsewhere, publicKeyJwk: jwk }
  const document = { id: elsewhere, verificationMethod: [method], keyAgreement: ['#agree'] }
  names.elsewhere.set(`/${path}/did.json`, JSON.stringify(document))
  const from = await createDid(world)
  const to = [wallet.kid, elsewhere, keyOf(key), web]
  const payload = { course: randomUUID() }

  const anonymous = await encrypt(world, { to, payload, token: world.token })
  for (const { privateKey } of [wallet, host]) {
    const { plaintext } = await generalDecrypt(rfc7516(anonymous), privateKey)
    t.deepEqual(JSON.parse(Buffer.from(plaintext).toString()) as unknown, payload)
  }
  const proved = await encrypt(world, { from, to, payload, token: world.token })
  for (const [token, owner, mine] of [
    [other, 'a did:key', keyOf(key)],
    [world.token, 'a did:web', `${web}#z6LS`],
  ] as const)
    for (const [text, senderDidUrl] of [
      [anonymous, undefined],
      [proved, keyOf(from)],
    ] as const) {
      const decrypted = await decrypt(text, token)
      t.true(decrypted.recipientDidUrl.startsWith(mine), owner)
      t.deepEqual([decrypted.payload, decrypted.senderDidUrl], [payload, senderDidUrl])
      t.is('senderPublicJwk' in decrypted, senderDidUrl !== undefined)
    }
  const back = await encrypt(world, { from: web, to: [key], payload, token: world.token })
  t.true((await decrypt(back, other)).senderDidUrl?.startsWith(`${web}#z6LS`))
})

test('the document of a did:web has the service for messages while it is registered, on every tenant’s host (D-408)', async (t) => {
  const client = await world.addTenant('letters')
  for (const [token, host] of [
    [world.token, 'issuer.test'],
    [await world.tokenOf(client), 'letters.issuer.test'],
  ] as const) {
    const [dids, inboxes, path] = [didsOf(world, token), inboxesOf(world, token), randomUUID()]
    const { did } = await dids.createWeb(`https://${host}:${names.port}/${path}`)
    await dids.reaches(did, 'COMPLETED')
    const inboxId = await inboxes.created()
    const service = async () => (await names.read(host, `/${path}/did.json`)).json<DidDocument>().service
    t.is(await service(), undefined)
    t.is((await inboxes.register(inboxId, did)).status, 201)
    const serviceEndpoint = { uri: `${names.origin}/didcomm`, accept: ['didcomm/v2'] }
    t.deepEqual(await service(), [{ id: `${did}#messages`, type: 'DIDCommMessaging', serviceEndpoint }])
    t.is((await inboxes.unregister(inboxId, did)).status, 204)
    t.is(await service(), undefined)
  }
})

test('JWEs that jose makes are decrypted; what is no JSON is text, and what is no text is refused (D-394)', async (t) => {
  const did = await createDid(world, 'x25519')
  const kid = keyOf(did)
  const jwk = toJwk(agreementIn(did).key)
  const publicKey = await importJWK(jwk as JWK, 'ECDH-ES')
  const header = { alg: 'ECDH-ES+A256KW', enc: 'A256GCM', kid }
  const sealed = (bytes: Uint8Array, more: object = {}) =>
    new CompactEncrypt(bytes).setProtectedHeader({ ...header, ...more }).encrypt(publicKey)
  for (const [text, more, payload] of [
    ['{"a":1}', {}, { a: 1 }],
    ['{"a":1}', { cty: 'text/plain' }, '{"a":1}'],
    ['42', {}, '42'],
    ['42', { cty: 'application/json' }, 42],
    ['{"a":1,"a":2}', {}, '{"a":1,"a":2}'],
    ['hello', { alg: 'ECDH-ES' }, 'hello'],
    ['', {}, ''],
  ] as const)
    t.deepEqual(await decrypt(await sealed(Buffer.from(text), more), world.token), { payload, recipientDidUrl: kid })
  const flattened = await new FlattenedEncrypt(Buffer.from('hello')).setProtectedHeader(header).encrypt(publicKey)
  t.is((await decrypt(flattened, world.token)).payload, 'hello')
  for (const [bytes, more] of [
    [Buffer.from('ff00', 'hex'), {}],
    [Buffer.from('{"a":'), { cty: 'json' }],
  ] as const) {
    const reply = await ask('decrypt', { jwe: await sealed(bytes, more) })
    t.is(reply.status, 400)
    t.like(problemOf(reply), { type: '/problems#jwe.payload_unreadable', errors: [{ path: 'jwe', code: 'payload' }] })
  }
})

test('a payload has at most 512 KiB, and its JWE can be decrypted', async (t) => {
  const to = await createDid(world, 'x25519')
  const largest = 'ß'.repeat(MAX_PAYLOAD_BYTES / 2)
  const recipients = Array.from({ length: 99 }, () => didKeyOf('x25519', crypto.getRandomValues(new Uint8Array(32))))
  for (const from of [undefined, to]) {
    const text = await encrypt(world, { from, to: [...recipients, to], payload: largest, token: world.token })
    t.true((await decrypt(text, world.token)).payload === largest)
  }
  const body = { payload: `${largest}x`, recipientDidUrls: [to] }
  t.like(problemOf(await ask('encrypt', body)), {
    type: '/problems#jwe.payload_too_large',
    errors: [{ path: 'payload' }],
  })
  const deep: unknown = JSON.parse(`${'['.repeat(63)}${']'.repeat(63)}`)
  t.deepEqual(
    (await decrypt(await encrypt(world, { to: [to], payload: deep, token: world.token }), world.token)).payload,
    deep,
  )
  t.is((await ask('encrypt', { payload: [deep], recipientDidUrls: [to] })).status, 400)
})

test('neither the payload nor the JWE nor a DID is in the log of the tenant', async (t) => {
  const canary = `canary-${randomUUID()}`
  const { did } = await foreigner()
  const mine = await createDid(world)
  const text = await encrypt(world, { from: mine, to: [mine, did], payload: { canary }, token: world.token })
  await decrypt(text, world.token)
  await ask('decrypt', { jwe: canary })
  await ask('encrypt', { payload: canary, recipientDidUrls: [canary], senderDidUrl: canary })
  const body = {
    categories: ['messaging'],
    types: ['ENCRYPT', 'DECRYPT'].flatMap((name) => ['SUCCESS', 'FAIL'].map((end) => `MESSAGING_${name}_${end}`)),
    ids: [],
    requestIds: [],
    dateFrom: new Date(Date.now() - 3600_000).toISOString(),
    dateTo: new Date(Date.now() + 3600_000).toISOString(),
  }
  const log = await world.ask('/v1/analytics/events?limit=1000', { token: world.token, body })
  const types = log.json<{ data: { type: string }[] }>().data.map(({ type }) => type)
  for (const type of body.types) t.true(types.includes(type), type)
  const { id } = (await didsOf(world, world.token).resolve(mine)).json<{ id: string }>()
  const about = { token: world.token, body: { ...body, objectIds: [id] } }
  const found = (await world.ask('/v1/analytics/events', about)).json<{ data: { type: string }[] }>().data
  t.deepEqual(
    found.map(({ type }) => type).toSorted(),
    ['MESSAGING_DECRYPT_SUCCESS', 'MESSAGING_ENCRYPT_SUCCESS'],
    'it names an own DID by the id of its row',
  )
  for (const secret of [canary, did, mine, (JSON.parse(text) as Jwe).ciphertext]) t.false(log.text.includes(secret))
})
