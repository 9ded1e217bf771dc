import { randomBytes, randomUUID } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import test from 'ava'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { createRoutes } from '../../activities/messaging/routes.ts'
import { inTenant } from '../../entities/orm.ts'
import { type DidDocument, type PublicJwk, toJwk } from '../../protocol/dids/index.ts'
import { Refusal } from '../../protocol/errors.ts'
import { createDid } from '../support/credentials/credentials.ts'
import { loggedAbout, withStanding } from '../support/credentials/dids.ts'
import { type Forgery, forged } from '../support/messaging/didcomm.ts'
import { agreementIn, encryptionOf } from '../support/messaging/encryption.ts'
import { walletsOf } from '../support/messaging/wallets.ts'
import { deliveryOf, inboxesOf } from '../support/messaging.ts'
import { openWorldBeside, type WorldBeside } from '../support/parts/elsewhere.ts'
import { createReceiver } from '../support/receiver.ts'
import type { Reply, World } from '../support/world.ts'

const PER_HOUR = 3

const receiver = createReceiver()
let beside: WorldBeside
let world: World
test.before(async () => {
  // no worker: what is accepted waits
  beside = await openWorldBeside('wallet.acme.test', receiver.listener, {
    env: { MESSAGE_LIMIT_PER_HOUR: `${PER_HOUR}` },
  })
  world = beside.world
})
test.after.always(() => beside?.close())

const wallet = walletsOf(() => beside, receiver)

const send = (to: string, message: unknown, token = world.token) =>
  world.ask('/v1/messaging/send', { token, body: { to, message } })

const problemOf = (reply: Reply) => reply.json<{ type: string; errors: { path: string; code: string }[] }>()

/** An inbox of the first tenant with a DID that agrees. */
async function mailbox() {
  const own = inboxesOf(world, world.token)
  const [inboxId, did] = [await own.created(), await createDid(world, 'x25519')]
  await own.register(inboxId, did)
  return { did, count: async () => (await own.messages(inboxId)).messages.length }
}

const zipped = (plaintext: Uint8Array): Forgery => ({ plaintext: deflateRawSync(plaintext), header: { zip: 'DEF' } })

/** What shows without a key. */
const BROKEN: [what: string, forgery: Forgery][] = [
  ['alg none', { header: { alg: 'none' } }],
  ['alg dir', { header: { alg: 'dir' } }],
  ['alg RSA1_5', { header: { alg: 'RSA1_5' } }],
  ['alg of a wrong type', { header: { alg: ['ECDH-ES+A256KW'] } }],
  ['ECDH-1PU with a cipher that commits to no key', { header: { alg: 'ECDH-1PU+A256KW' } }],
  ['an unknown enc', { header: { enc: 'A512GCM' } }],
  ['enc of a wrong type', { header: { enc: { name: 'A256GCM' } } }],
  ['crit', { header: { crit: ['exp'] } }],
  ['an empty crit', { header: { crit: [] } }],
  ['an unknown zip', { header: { zip: 'GZIP' } }],
  ['zip outside of the protected header', { recipient: { zip: 'DEF' } }],
  ['no recipients', { members: { recipients: [] } }],
  [
    '101 recipients',
    { members: { recipients: Array.from({ length: 101 }, (_, n) => ({ header: { kid: `did:x:y#${n}` } })) } },
  ],
  ['10,000 recipients', { members: { recipients: Array.from({ length: 10_000 }, () => ({})) } }],
  ['recipients of a wrong type', { members: { recipients: 'all' } }],
  ['a protected header of a wrong type', { members: { protected: { alg: 'none' } } }],
  ['a ciphertext of a wrong type', { members: { ciphertext: ['AAAA'] } }],
  ['a tag of a wrong length', { members: { tag: 'AAAA' } }],
  ['a kid of a wrong type', { recipient: { kid: 1 } }],
]

/** What shows to who has the key. */
const HOSTILE: [what: string, forgery: Forgery][] = [
  ['a bomb', zipped(Buffer.alloc(50_000_000))],
  ['another ciphertext', { members: { ciphertext: 'AAAA' } }],
  ['a private ephemeral key', { header: { epk: { kty: 'OKP', crv: 'X25519', x: 'AA', d: 'AA' } } }],
]

test('decryptCredentials refuses every hostile JWE by one and the same problem (D-379)', async (t) => {
  const { did } = await mailbox()
  const { key, kid } = agreementIn(did)
  const problems = new Set<string>()
  for (const [what, forgery] of [...BROKEN, ...HOSTILE])
    for (const jwe of [
      forged({ ...toJwk(key), kid }, forgery),
      JSON.stringify(forged({ ...toJwk(key), kid }, forgery)),
    ]) {
      const reply = await encryptionOf(world).ask('decrypt', { jwe }, world.token)
      t.is(reply.status, 400, what)
      problems.add(JSON.stringify({ ...problemOf(reply), instance: '' }))
    }
  t.is(problems.size, 1)
  t.true([...problems][0]?.includes('/problems#jwe.undecryptable'))
  t.is((await encryptionOf(world).decrypt(forged({ ...toJwk(key), kid }), world.token)).payload, '"a letter"')
})

test('sendMessage refuses them too, for a DID here and for one elsewhere, and nothing is stored or posted', async (t) => {
  const { did, count } = await mailbox()
  const { key, kid } = agreementIn(did)
  const far = wallet('hostile')
  const refused = async (to: string, message: unknown, what: string, codes: string[]) => {
    const reply = await send(to, message)
    t.is(reply.status, 400, `${what}: ${reply.text}`)
    const { type, errors } = problemOf(reply)
    t.is(type, '/problems#message.envelope_invalid', what)
    t.is(errors[0]?.path, 'message')
    t.true(codes.includes(String(errors[0]?.code)), `${what}: ${errors[0]?.code}`)
  }
  for (const [what, forgery] of BROKEN) {
    await refused(did, forged({ ...toJwk(key), kid }, forgery), what, ['jwe', 'recipient'])
    await refused(far.did, forged(far.jwk, forgery), what, ['jwe', 'recipient'])
  }
  for (const [what, forgery] of HOSTILE) await refused(did, forged({ ...toJwk(key), kid }, forgery), what, ['closed'])
  await refused(far.did, forged({ ...toJwk(key), kid }), 'a JWE for somebody else', ['recipient'])
  await refused(far.did, forged(wallet('hostile-2').jwk), 'a JWE for a DID that begins alike', ['recipient'])
  for (const message of [
    { protected: 1, ciphertext: 1 },
    { protected: 'AAAA', ciphertext: 'AAAA', recipients: [[]] },
    '{"ciphertext":"AAAA"}',
    'AAAA.AAAA.AAAA.AAAA.AAAA',
  ])
    await refused(far.did, message, JSON.stringify(message), ['jwe'])
  t.is(await count(), 0)
  t.is(receiver.at(far.inbox).length, 0)
})

test('a tenant sends a bounded number of messages to one host in an hour, and into inboxes as many as they hold', async (t) => {
  const token = await world.tokenOf(await world.addTenant())
  const [one, two] = [wallet('limit-one'), wallet('limit-two')]
  const { did } = await mailbox()
  for (let n = 0; n < PER_HOUR; n++) t.is((await send(n === 0 ? two.did : one.did, `${n}`, token)).status, 200)
  for (const to of [one.did, two.did]) {
    const reply = await send(to, 'one more', token)
    t.is(reply.status, 429, reply.text)
    t.is(problemOf(reply).type, '/problems#message.too_many')
    const seconds = Number(reply.headers.get('retry-after'))
    t.true(seconds > 3000 && seconds <= 3600, `${seconds}`)
  }
  for (let n = 0; n <= PER_HOUR; n++) t.is((await send(did, `${n}`, token)).status, 200)
  t.is((await send(one.did, 'of another tenant', await world.tokenOf(await world.addTenant()))).status, 200)
})

test('at most 1,000 messages of a tenant wait for services elsewhere', async (t) => {
  const other = await world.addTenant()
  const { tenantId, clientId } = other
  const [token, { did }] = [await world.tokenOf(other), wallet('waiting')]
  const filling = `insert into sent_messages (id, tenant_id, content, request_id, client_id)
    select gen_random_uuid(), ?, '', gen_random_uuid(), ?::uuid from generate_series(1, 999)`
  await inTenant(world.dependencies.database.tenants, tenantId, (em) => em.execute(filling, [tenantId, clientId]))
  const replies = await Promise.all([send(did, 'one', token), send(did, 'two', token)])
  t.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 429])
  const refused = replies.find(({ status }) => status === 429)
  t.is(refused?.headers.get('retry-after'), '60')
})

test('a registration by a jwt ends when the document no longer has the key that signed it (D-419)', async (t) => {
  const { privateKey, publicKey } = await generateKeyPair('EdDSA', { extractable: true })
  const methodOf = (did: string, name: string, publicKeyJwk: PublicJwk) => ({
    id: `${did}#${name}`,
    type: 'JsonWebKey2020',
    controller: did,
    publicKeyJwk,
  })
  const name = `rotating-${randomUUID()}`
  const { did, document } = wallet(name)
  const { kty = '', crv, x = '' } = await exportJWK(publicKey)
  const jwk = { kty, x, ...(crv !== undefined && { crv }) } as PublicJwk
  const withKey = (key: string, publicKeyJwk: PublicJwk): DidDocument => ({
    ...document,
    verificationMethod: [...(document.verificationMethod ?? []), methodOf(did, key, publicKeyJwk)],
    authentication: [`${did}#${key}`],
  })
  receiver.script(`/${name}/did.json`, (_nth, response) => void response.end(JSON.stringify(withKey('one', jwk))))
  const own = inboxesOf(world, world.token)
  const inboxId = await own.created()
  const jwtFor = () =>
    new SignJWT({ iss: did, aud: inboxId, jti: randomUUID() })
      .setProtectedHeader({ alg: 'EdDSA', kid: `${did}#one` })
      .setExpirationTime('5m')
      .sign(privateKey)
  t.is((await own.register(inboxId, did, await jwtFor())).status, 201)

  let current: DidDocument | undefined
  const resolve = async () => {
    if (!current) throw new Refusal('did.unresolvable', 'The DID does not resolve.')
    return { did, document: current, source: 'web' as const, retrievedAt: new Date().toISOString() }
  }
  const parts = { ...withStanding(world.dependencies), messageDelivery: deliveryOf(world) }
  const { inboxesOf: placesOf } = createRoutes({ ...parts, didResolver: { resolve } })
  const find = async (now: DidDocument | undefined) => {
    current = now
    return (await placesOf(did, randomUUID())).length
  }
  const otherKey: PublicJwk = { kty, crv: 'Ed25519', x: randomBytes(32).toString('base64url') }
  t.is(await find(withKey('one', jwk)), 1)
  t.is(await find(withKey('renamed', jwk)), 1, 'the key counts, not its name')
  t.is(await find(undefined), 1, 'a host that is away for an hour ends nothing')
  t.is((await own.dids(inboxId)).totalCount, 1)
  current = withKey('one', otherKey)
  const [first, second] = await Promise.all([placesOf(did, randomUUID()), placesOf(did, randomUUID())])
  t.deepEqual([first.length, second.length], [0, 0])
  t.is((await own.dids(inboxId)).totalCount, 0)
  const entries = await loggedAbout(world, world.token, 'MESSAGING_INBOX_DID_END_SUCCESS', inboxId)
  t.is(entries.length, 1)
  t.false(JSON.stringify(entries).includes(did))
  t.is((await own.register(inboxId, did, await jwtFor())).status, 201, 'who has the key registers again')
})
