import { randomBytes, randomUUID } from 'node:crypto'
import test from 'ava'
import type { DidDocument } from '../../protocol/dids/index.ts'
import { packEncrypted } from '../../protocol/messaging/didcomm.pack.ts'
import { recipientsOf } from '../../protocol/messaging/recipients.ts'
import { createDid } from '../support/credentials/credentials.ts'
import { loggedAbout, until } from '../support/credentials/dids.ts'
import { agreementOf } from '../support/messaging/didcomm.ts'
import { DIDCOMM, didcomm } from '../support/messaging/python.ts'
import { walletsOf } from '../support/messaging/wallets.ts'
import { inboxesOf, type Message } from '../support/messaging.ts'
import { openWorldBeside, type WorldBeside } from '../support/parts/elsewhere.ts'
import { createReceiver, status } from '../support/receiver.ts'
import type { World } from '../support/world.ts'

const PING = 'https://didcomm.org/trust-ping/2.0/ping'
const ENCRYPTED = 'application/didcomm-encrypted+json'

const receiver = createReceiver()
let beside: WorldBeside
let world: World
test.before(async () => {
  const env = { MESSAGE_RETRY_SECONDS: '0.2,0.4' }
  beside = await openWorldBeside('wallet.acme.test', receiver.listener, { workflows: true, env })
  world = beside.world
})
test.after.always(() => beside?.close())

const send = (to: string, message: unknown, token = world.token, headers: Record<string, string> = {}) =>
  world.ask('/v1/messaging/send', { token, headers, body: { to, message } })

const didcommPost = (body: unknown, type = ENCRYPTED) =>
  world.ask('/didcomm', { raw: JSON.stringify(body), headers: { 'content-type': type } })

const wallet = walletsOf(() => beside, receiver)

const documentOf = async (did: string): Promise<DidDocument> =>
  (await world.ask(`/v1/dids/${encodeURIComponent(did)}`, { token: world.token })).json<{ didDocument: DidDocument }>()
    .didDocument

/** An inbox of the first tenant with a DID that agrees. */
async function mailbox() {
  const own = inboxesOf(world, world.token)
  const [inboxId, did] = [await own.created(), await createDid(world, 'x25519')]
  await own.register(inboxId, did)
  const messages = async (): Promise<Message[]> => (await own.messages(inboxId)).messages
  return { inboxId, did, messages, contents: async () => (await messages()).map(({ payload }) => JSON.parse(payload)) }
}

test('a message to a DID elsewhere is encrypted from its sender, posted again after a 500, and opens there', async (t) => {
  const holder = wallet('holder')
  const from = await createDid(world, 'x25519')
  receiver.script(holder.inbox, (nth, response) => void response.writeHead(nth < 1 ? 500 : 202).end())
  const message = { id: randomUUID(), type: PING, from, to: [holder.did], body: { text: 'Grüße' } }
  const reply = await send(holder.did, message)
  t.is(reply.status, 200, reply.text)
  t.deepEqual(reply.json(), {})
  const [first, second] = await until('two attempts', async () => {
    const posts = receiver.at(holder.inbox)
    return posts.length > 1 && posts
  })
  t.deepEqual([first?.method, first?.headers['content-type']], ['POST', ENCRYPTED])
  t.deepEqual(first?.body, second?.body)
  t.false(String(first?.body).includes(message.id))
  const documents = [holder.document, await documentOf(from)]
  const task = { documents, secrets: [holder.jwk], packed: JSON.parse(String(first?.body)) }
  const opened = JSON.parse(await didcomm(DIDCOMM, JSON.stringify(task))) as { message: object; from: string }
  t.like(opened.message, message)
  t.true(opened.from.startsWith(`${from}#`))
  const gone = await until('the end', async () => {
    const { rows } = await world.dependencies.systemSql.query({ text: 'select from sent_messages', values: [] })
    return rows.length === 0
  })
  t.true(gone)
  const { rows } = await world.dependencies.systemSql.query<{ id: string }>({
    text: `select metadata->>'id' as id from logs where request_id = $1 and type = 'MESSAGING_DELIVERY_SUCCESS'`,
    values: [reply.headers.get('x-request-id')],
  })
  t.is((await loggedAbout(world, world.token, 'MESSAGING_SEND_SUCCESS', rows[0]?.id ?? '')).length, 1)
})

test('a message that is refused, or never taken, is given up, and the log says so', async (t) => {
  for (const [name, code, attempts] of [
    ['refusing', 403, 1],
    ['moved', 307, 1],
    ['broken', 503, 3],
  ] as const) {
    const { did, inbox } = wallet(name)
    receiver.script(inbox, status(code, { location: beside.urlOf('elsewhere') }))
    const reply = await send(did, 'hello')
    t.is(reply.status, 200, reply.text)
    const entry = await until(`the end of ${name}`, async () => {
      const { rows } = await world.dependencies.systemSql.query<{ metadata: object }>({
        text: `select metadata from logs where request_id = $1 and type = 'MESSAGING_DELIVERY_FAIL'`,
        values: [reply.headers.get('x-request-id')],
      })
      return rows[0]
    })
    t.like(entry.metadata, { status: 'FAILED', attempts, code: 'answer', responseCode: code })
    t.is(receiver.at(inbox).length, attempts)
  }
  t.is(receiver.at('/elsewhere').length, 0)
})

test('a message to a DID that is registered here is in its inbox at once, without the network', async (t) => {
  const { did, contents } = await mailbox()
  const key = { 'idempotency-key': randomUUID() }
  for (const _ of [1, 2]) t.is((await send(did, { course: 'CS-101' }, world.token, key)).status, 200)
  t.is((await send(did, 'a text')).status, 200)
  const from = await createDid(world, 'x25519')
  const message = { id: '1', type: PING, from, body: {} }
  for (const _ of [1, 2]) t.is((await send(`${did}#${did.slice(8)}`, message)).status, 200)
  const [own, text, json, ...more] = await contents()
  t.deepEqual(own, { typ: 'application/didcomm-plain+json', ...message }, 'typ is there, for readers that need it')
  t.like(text, { to: [did], body: { content: 'a text' } })
  t.like(json, { to: [did], body: { content: { course: 'CS-101' } } })
  t.deepEqual(more, [])
  const other = await world.tokenOf(await world.addTenant())
  for (const token of [world.token, other])
    t.is((await send(did, { id: '2', type: PING, body: {} }, token)).status, 200)
  t.is((await contents()).length, 5, 'a tenant does not occupy the id of another one’s message')
})

test('a DID in an inbox of its tenant and in one of somebody else: the one gets the message, the other gets it closed', async (t) => {
  const token = await world.tokenOf(await world.addTenant())
  const [own, theirs, did] = [inboxesOf(world, world.token), inboxesOf(world, token), await createDid(world)]
  const [inboxId, theirId] = [await own.created(), await theirs.created()]
  const payload = { iss: did, aud: theirId, exp: Math.floor(Date.now() / 1000) + 60 }
  const body = { didUrl: `${did}#${did.slice('did:key:'.length)}`, payload }
  const { jws } = (await world.ask('/v1/messaging/sign', { token: world.token, body })).json<{ jws: string }>()
  t.is((await own.register(inboxId, did)).status, 201)
  t.is((await theirs.register(theirId, did, jws)).status, 201)
  t.is((await send(did, 'a confidence')).status, 200)
  const [[clear], [closed]] = [(await own.messages(inboxId)).messages, (await theirs.messages(theirId)).messages]
  t.like(JSON.parse(clear?.payload ?? ''), { body: { content: 'a confidence' } })
  t.deepEqual(Object.keys(JSON.parse(closed?.payload ?? '')).toSorted(), [
    ...['ciphertext', 'iv', 'protected', 'recipients', 'tag'],
  ])
})

test('what cannot be sent encrypted is not sent, and the answer says why', async (t) => {
  const { did: noKey } = wallet('no-key', { keyAgreement: [] })
  const { did: noService } = wallet('no-service', { service: [] })
  const { did: mediated } = wallet('mediated', {
    service: [
      {
        id: '#m',
        type: 'DIDCommMessaging',
        serviceEndpoint: { uri: beside.urlOf('x'), routingKeys: ['did:example:mediator#1'] },
      },
    ],
  })
  const inside = await createDid(world, 'x25519')
  const other = await world.addTenant()
  const foreign = await createDid(world, 'x25519', await world.tokenOf(other))
  const { did } = wallet('reachable')
  const ping = { id: '1', type: PING, body: {} }
  for (const [to, message, code, path, rule] of [
    ['did:example:nobody', 'x', 'message.cannot_send', 'to', 'unresolvable'],
    [noKey, 'x', 'message.cannot_send', 'to', 'no_key'],
    [noService, 'x', 'message.cannot_send', 'to', 'no_service'],
    [mediated, 'x', 'message.cannot_send', 'to', 'no_service'],
    [inside, 'x', 'message.cannot_send', 'to', 'no_service'],
    ['nobody', 'x', 'did.invalid', 'to', 'did_url'],
    [did, { ...ping, from: foreign }, 'message.sender_unfit', 'message.from', 'unknown'],
    [did, { ...ping, to: [foreign] }, 'didcomm.invalid', 'message.to', 'didcomm'],
    [did, { ...ping, type: 'ping' }, 'didcomm.invalid', 'message.type', 'didcomm'],
    [did, { protected: 'x', ciphertext: 'y' }, 'message.envelope_invalid', 'message', 'jwe'],
  ] as const) {
    const reply = await send(to, message)
    t.is(reply.status, 400, reply.text)
    const { type, errors } = reply.json<{ type: string; errors: { path: string; code: string }[] }>()
    t.true(type.endsWith(code), `${type} is not ${code}`)
    t.like(errors[0], { path, code: rule })
  }
  t.is((await send(did, 'x'.repeat(256 * 1024))).status, 413)
  t.is((await world.ask('/v1/messaging/send', { token: world.token, body: { to: did } })).status, 400)
})

test('a stranger’s encrypted message comes in at /didcomm, once, as the message in it', async (t) => {
  const { did, contents } = await mailbox()
  const sender = wallet('sender')
  const recipients = recipientsOf(await documentOf(did), did, { now: new Date() })
  const message = { id: randomUUID(), type: PING, from: sender.did, to: [did], body: { text: 'hello' } }
  const packing = { message, recipients, sender: agreementOf(sender.jwk), random: randomBytes }
  const packed = await packEncrypted(packing)
  for (const envelope of [packed, packed, await packEncrypted(packing)]) {
    const reply = await didcommPost(envelope)
    t.deepEqual([reply.status, reply.text], [202, ''])
  }
  t.deepEqual(await contents(), [message])
  const plain = { id: message.id, type: PING, to: [did], body: { text: 'from nobody' } }
  t.is((await didcommPost(await packEncrypted({ message: plain, recipients, random: randomBytes }))).status, 202)
  t.deepEqual(await contents(), [plain, message], 'an anonymous message does not occupy the id of another one')
  const another = wallet('another-sender')
  const same = { ...message, from: another.did }
  const bySame = { message: same, recipients, sender: agreementOf(another.jwk), random: randomBytes }
  t.is((await didcommPost(await packEncrypted(bySame))).status, 202)
  t.deepEqual(await contents(), [same, plain, message], 'nor does one that somebody else has proved')
})

test('strangers get one answer whatever becomes of their message', async (t) => {
  const { did, contents } = await mailbox()
  const recipients = recipientsOf(await documentOf(did), did, { now: new Date() })
  const [first] = recipients
  if (!first) return t.fail()
  const pack = (message: object, to = recipients) =>
    packEncrypted({ message: { id: randomUUID(), type: PING, ...message }, recipients: to, random: randomBytes })
  const good = await pack({ body: {} })
  const nobody = wallet('nobody')
  const dropped = [
    await pack({ body: {} }, recipientsOf(nobody.document, nobody.did, { now: new Date() })), // registered nowhere
    await pack({ from: nobody.did }), // nobody has proved the sender
    await pack({ to: [nobody.did] }),
    await pack({ expires_time: 1 }),
    await pack({ body: { text: 'x'.repeat(300_000) } }), // more than a message may have
    { ...good, tag: Buffer.alloc(16).toString('base64url') },
    { ...good, recipients: [{ header: { kid: `${did}#unknown` }, encrypted_key: 'AAAA' }] },
  ]
  for (const envelope of dropped) {
    const reply = await didcommPost(envelope)
    t.deepEqual([reply.status, reply.text], [202, ''])
  }
  t.deepEqual(await contents(), [])
  for (const type of ['application/didcomm-plain+json', 'application/didcomm-signed+json', 'text/plain'])
    t.is((await didcommPost(good, type)).status, 415)
  for (const body of [{}, { ciphertext: 'x' }, { id: '1', type: PING, body: {} }, { ...good, recipients: [] }])
    t.is((await didcommPost(body)).status, 400)
  t.is((await didcommPost({ ...good, ciphertext: 'A'.repeat(1_100_000) })).status, 413)
})
