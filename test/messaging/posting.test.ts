import { randomBytes, randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import test from 'ava'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { createActivities } from '../../activities/index.ts'
import { messageWork } from '../../activities/messaging/pending-work.ts'
import { createRoutes } from '../../activities/messaging/routes.ts'
import type { DidDocument, PublicJwk } from '../../protocol/dids/index.ts'
import { Unavailable } from '../../protocol/errors.ts'
import { encryptJwe } from '../../protocol/messaging/jwe.encrypt.ts'
import { createDid } from '../support/credentials/credentials.ts'
import { loggedAbout, until, withStanding } from '../support/credentials/dids.ts'
import { agreementIn } from '../support/messaging/encryption.ts'
import { walletsOf } from '../support/messaging/wallets.ts'
import { deliveryOf, inboxesOf } from '../support/messaging.ts'
import { openWorldBeside, type WorldBeside } from '../support/parts/elsewhere.ts'
import { createReceiver, status } from '../support/receiver.ts'
import type { World } from '../support/world.ts'

const receiver = createReceiver()
let beside: WorldBeside
let world: World
test.before(async () => {
  // no worker: the tests make the attempts
  const env = { MESSAGE_RETRY_SECONDS: '10,20,30' }
  beside = await openWorldBeside('wallet.acme.test', receiver.listener, { env })
  world = beside.world
})
test.after.always(() => beside?.close())

const wallet = walletsOf(() => beside, receiver)

async function sender() {
  const client = await world.addTenant()
  const token = await world.tokenOf(client)
  const waiting = async () => {
    const text = 'select id, attempts from sent_messages where tenant_id = $1'
    const { systemSql } = world.dependencies
    return (await systemSql.query<{ id: string; attempts: number }>({ text, values: [client.tenantId] })).rows
  }
  const send = (to: string, message: unknown, headers: Record<string, string> = {}) =>
    world.ask('/v1/messaging/send', { token, headers, body: { to, message } })
  return { ...client, token, send, waiting }
}

/** A path that answers once two requests are there: two workers make one attempt. */
function answersTwo(path: string, code: number) {
  const open: ServerResponse[] = []
  receiver.script(path, (_nth, response) => {
    open.push(response)
    if (open.length === 2) for (const each of open.splice(0)) each.writeHead(code).end()
  })
}

test('an attempt to post a message is recorded once, and is not made again once it was', async (t) => {
  const { tenantId, token, send, waiting } = await sender()
  const { did, inbox } = wallet('posting')
  t.is((await send(did, 'x')).status, 200)
  const [row] = await waiting()
  const { attemptMessage } = createActivities(world.dependencies)
  const attempt = (nth: number) => attemptMessage({ tenantId, sentId: row?.id ?? '', nth })
  receiver.script(inbox, status(503))
  t.deepEqual(await attempt(1), { state: 'PENDING', code: 'answer', nextInMs: 10_000 })
  const again = await attempt(1)
  t.is(again.state, 'PENDING')
  t.true((again.nextInMs ?? 0) > 5_000 && (again.nextInMs ?? 0) <= 10_000, 'the wait goes on')
  t.is(receiver.at(inbox).length, 1)
  let answer: () => void = () => t.fail('nothing came')
  receiver.script(inbox, (nth, response) => {
    answer = () => void response.writeHead(503).end()
    if (nth > 1) answer()
  })
  const late = attempt(2)
  await until('the call', async () => receiver.at(inbox).length === 2)
  const answerLate = answer
  t.like(await attempt(2), { state: 'PENDING', nextInMs: 20_000 }, 'of a worker that knows nothing of the first')
  t.like(await attempt(3), { state: 'PENDING', nextInMs: 30_000 })
  answerLate()
  t.deepEqual(await late, { state: 'PENDING', nextInMs: 0 }, 'the third attempt was made')
  t.like((await waiting())[0], { attempts: 3 })
  answersTwo(inbox, 503)
  const last = await Promise.all([attempt(4), attempt(4)])
  t.deepEqual(last.map(({ state }) => state).toSorted(), ['FAILED', 'OVER'])
  t.deepEqual(await attempt(4), { state: 'OVER' })
  t.is(receiver.at(inbox).length, 6)
  t.is((await loggedAbout(world, token, 'MESSAGING_DELIVERY_FAIL', row?.id ?? '')).length, 1)
})

test('reconciliation misses the delivery of a message from its next attempt on', async (t) => {
  const { tenantId, send, waiting } = await sender()
  const { did, inbox } = wallet('reconciled')
  t.is((await send(did, 'x')).status, 200)
  const [{ id } = { id: '' }] = await waiting()
  const { systemSql } = world.dependencies
  await systemSql.query({ text: 'update outbox set started_at = now() where object_id = $1', values: [id] })
  const missed = async () => (await messageWork.find(systemSql, { ids: [id] })).length
  t.is(await missed(), 1)
  receiver.script(inbox, status(503))
  const { attemptMessage } = createActivities(world.dependencies)
  t.like(await attemptMessage({ tenantId, sentId: id, nth: 1 }), { state: 'PENDING' })
  t.is(await missed(), 0)
})

test('messages that wait for their turn at a slow service lose no attempt by that (D-1090)', async (t) => {
  const { tenantId, send, waiting } = await sender()
  const { did, inbox } = wallet('slow')
  for (const text of Array.from({ length: 20 }, (_, at) => `${at}`)) t.is((await send(did, text)).status, 200)
  receiver.script(inbox, (_nth, response) => void setTimeout(() => response.writeHead(200).end(), 700))
  const { attemptMessage } = createActivities(world.dependencies)
  let left = (await waiting()).map(({ id }) => id)
  let sentAway = 0
  while (left.length > 0) {
    const steps = await Promise.all(
      left.map((sentId) =>
        attemptMessage({ tenantId, sentId, nth: 1 }).catch((error: unknown) => {
          if (!(error instanceof Unavailable)) throw error
          return { state: error.part }
        }),
      ),
    )
    t.true(steps.every(({ state }) => state === 'DELIVERED' || state === 'outbound'))
    t.true((await waiting()).every(({ attempts }) => attempts === 0))
    left = left.filter((_, at) => steps[at]?.state === 'outbound')
    sentAway += left.length
  }
  t.true(sentAway > 0)
  t.is(receiver.at(inbox).length, 20, 'and none is sent twice')
})

test('an Idempotency-Key that was forgotten is another message when it is used again', async (t) => {
  const { tenantId, send, waiting } = await sender()
  const { did } = wallet('forgotten')
  const headers = { 'idempotency-key': 'reminder' }
  t.is((await send(did, 'one', headers)).status, 200)
  const { systemSql } = world.dependencies
  await systemSql.query({ text: 'delete from idempotency_keys where tenant_id = $1', values: [tenantId] })
  t.is((await send(did, 'two', headers)).status, 200)
  t.is((await waiting()).length, 2)
})

test('one Idempotency-Key of two tenants is two messages', async (t) => {
  const { did } = wallet('keys')
  const headers = { 'idempotency-key': 'the-same' }
  for (const { send, waiting } of [await sender(), await sender()]) {
    for (const _ of [1, 2]) t.is((await send(did, 'x', headers)).status, 200)
    t.is((await waiting()).length, 1)
  }
})

test('an inbox opens an envelope by the keys of its own DID alone', async (t) => {
  const own = inboxesOf(world, world.token)
  const [inboxId, did, other] = [
    await own.created(),
    await createDid(world, 'x25519'),
    await createDid(world, 'x25519'),
  ]
  t.is((await own.register(inboxId, did)).status, 201)
  const recipients = [agreementIn(did), agreementIn(other)]
  const envelope = await encryptJwe({ plaintext: Buffer.from('"a letter"'), recipients, random: randomBytes })
  const [first, ...rest] = envelope.recipients
  const encrypted_key = Buffer.alloc(72).toString('base64url')
  const post = (body: object) =>
    world.ask('/didcomm', {
      raw: JSON.stringify(body),
      headers: { 'content-type': 'application/didcomm-encrypted+json' },
    })
  t.is((await post({ ...envelope, recipients: [{ ...first, encrypted_key }, ...rest] })).status, 202)
  t.is((await own.messages(inboxId)).totalCount, 0)
  t.is((await post(envelope)).status, 202)
  t.is((await own.messages(inboxId)).totalCount, 1)
})

/** A did:web elsewhere with two keys that sign. */
async function controlled() {
  const name = `controlled-${randomUUID()}`
  const { did, document } = wallet(name)
  const keys = await Promise.all(
    ['one', 'two'].map(async (key) => {
      const { privateKey, publicKey } = await generateKeyPair('EdDSA', { extractable: true })
      const method = { id: `${did}#${key}`, type: 'JsonWebKey2020', controller: did }
      return { key, privateKey, method: { ...method, publicKeyJwk: (await exportJWK(publicKey)) as PublicJwk } }
    }),
  )
  const withKeys = (...wanted: string[]): DidDocument => ({
    ...document,
    verificationMethod: [...(document.verificationMethod ?? []), ...keys.map(({ method }) => method)],
    authentication: wanted.map((key) => `${did}#${key}`),
  })
  const jwtBy = async (key: string, aud: string) => {
    const { privateKey } = keys.find((each) => each.key === key) ?? {}
    if (!privateKey) throw new Error(`there is no key ${key}`)
    const claims = new SignJWT({ iss: did, aud, jti: randomUUID() })
    return claims
      .setProtectedHeader({ alg: 'EdDSA', kid: `${did}#${key}` })
      .setExpirationTime('5m')
      .sign(privateKey)
  }
  const publish = (published: DidDocument) =>
    receiver.script(`/${name}/did.json`, (_nth, response) => void response.end(JSON.stringify(published)))
  return { did, withKeys, jwtBy, publish }
}

test('control is proved by a key under authentication: one that makes statements proves none', async (t) => {
  const own = inboxesOf(world, world.token)
  const [inboxId, { did, withKeys, jwtBy, publish }] = [await own.created(), await controlled()]
  publish({ ...withKeys('two'), assertionMethod: [`${did}#one`] })
  const refused = await own.register(inboxId, did, await jwtBy('one', inboxId))
  t.like(refused.json(), { type: '/problems#inbox.jwt_invalid', errors: [{ path: 'jwt', code: 'signature' }] })
  t.is((await own.register(inboxId, did, await jwtBy('two', inboxId))).status, 201)
})

test('control that is proved anew keeps the registration, also while a message finds the former key gone (D-419)', async (t) => {
  const own = inboxesOf(world, world.token)
  const [inboxId, { did, withKeys, jwtBy, publish }] = [await own.created(), await controlled()]
  publish(withKeys('one', 'two'))
  const prove = async (key: string) => t.is((await own.register(inboxId, did, await jwtBy(key, inboxId))).status, 201)
  await prove('one')
  await prove('two')
  let meanwhile = async () => undefined as unknown
  const parts = { ...withStanding(world.dependencies), messageDelivery: deliveryOf(world) }
  const placesWith = (document: DidDocument) => {
    const resolve = async () => {
      await meanwhile()
      return { did, document, source: 'web' as const, retrievedAt: new Date().toISOString() }
    }
    return createRoutes({ ...parts, didResolver: { resolve } }).inboxesOf(did, randomUUID())
  }
  t.is((await placesWith(withKeys('two'))).length, 1, 'the key of the last proof counts')
  meanwhile = () => prove('one')
  await placesWith(withKeys('one'))
  t.is((await own.dids(inboxId)).totalCount, 1)
  meanwhile = async () => undefined
  t.is((await placesWith(withKeys('two'))).length, 0)
  t.is((await own.dids(inboxId)).totalCount, 0)
})
