import { randomUUID } from 'node:crypto'
import test from 'ava'
import { decodeProtectedHeader } from 'jose'
import { createPayloadCodec } from '../../activities/frame/temporal/codec.ts'
import { createActivities } from '../../activities/index.ts'
import { inTenant } from '../../entities/orm.ts'
import type { DidDocument } from '../../protocol/dids/index.ts'
import type { GeneralJwe } from '../../protocol/messaging/jwe.form.ts'
import { readStatusEntry } from '../../protocol/status-list/entry.ts'
import { createDid, type Signed, sign } from '../support/credentials/credentials.ts'
import { until } from '../support/credentials/dids.ts'
import { encryptionOf } from '../support/messaging/encryption.ts'
import { DIDCOMM, didcomm } from '../support/messaging/python.ts'
import { walletsOf, withJwks } from '../support/messaging/wallets.ts'
import { inboxesOf, stranger } from '../support/messaging.ts'
import { openWorldBeside, type WorldBeside } from '../support/parts/elsewhere.ts'
import { createReceiver, type Received, status } from '../support/receiver.ts'
import type { World } from '../support/world.ts'

const AREA = '/v1/credentials/web-semantic'
const TYPE = 'urn:countersign:credentials/revocation-status/1.0/status'

const receiver = createReceiver()
let beside: WorldBeside
let world: World
/** A token of another tenant. */
let other: string
test.before(async () => {
  beside = await openWorldBeside('wallet.acme.test', receiver.listener, { workflows: true })
  world = beside.world
  other = await world.tokenOf(await world.addTenant())
})
test.after.always(() => beside?.close())

const wallet = walletsOf(() => beside, receiver)

const documentOf = async (did: string): Promise<DidDocument> =>
  (await world.ask(`/v1/dids/${encodeURIComponent(did)}`, { token: world.token })).json<{ didDocument: DidDocument }>()
    .didDocument

const about = (issuer: string, holder: string): Promise<Signed> =>
  sign(world, issuer, { revocable: true, more: { credentialSubject: { id: holder, course: 'CS-101' } } })

interface Notice {
  id: string
  status: string
  reason?: string
}

/** Notifies the holder, and waits for the end. */
async function notify(id: string, body: object = {}): Promise<Notice> {
  const path = `${AREA}/${id}/revocation-status/notification`
  const reply = await world.ask(path, { token: world.token, body })
  if (reply.status !== 200) throw new Error(reply.text)
  return until('the outcome', async () => {
    const [latest] = (await world.ask(path, { token: world.token })).json<{ data: Notice[] }>().data
    return latest && latest.status !== 'PENDING' && latest
  })
}

interface Opened {
  message: Record<string, unknown>
  from: string | null
  anonymous: boolean
  authenticated: boolean
  signer: string | null
}

/** What a library of other authors finds in the message, as the holder. */
async function opened(received: Received | undefined, holder: ReturnType<typeof wallet>, sender: string) {
  const documents = [holder.document, withJwks(await documentOf(sender))]
  const packed: unknown = JSON.parse(String(received?.body))
  return JSON.parse(await didcomm(DIDCOMM, JSON.stringify({ documents, secrets: [holder.jwk], packed }))) as Opened
}

test('a holder with a key gets the status encrypted from the issuer, and PyPI’s didcomm opens it (authcrypt)', async (t) => {
  const [issuer, holder] = [await createDid(world), wallet('authcrypt')]
  const { id, credential } = await about(issuer, holder.did)
  const notice = await notify(id)
  t.is(notice.status, 'SENT', notice.reason)
  const [received, ...more] = receiver.at(holder.inbox)
  t.deepEqual(more, [])
  t.is(received?.headers['content-type'], 'application/didcomm-encrypted+json')
  const { listUrl, index } = readStatusEntry(credential.credentialStatus)
  for (const text of [listUrl, notice.id, 'isRevoked']) t.false(String(received?.body).includes(text))
  const { message, from, ...proof } = await opened(received, holder, issuer)
  t.deepEqual(proof, { anonymous: false, authenticated: true, signer: null })
  t.true(from?.startsWith(`${issuer}#`))
  const { created_time, thid: _thread, ...rest } = message // the library adds the thread of a first message
  t.true(Math.abs(Date.now() / 1000 - Number(created_time)) < 60, 'seconds, as DIDComm v2 has them')
  const body = { revocationListCredential: listUrl, revocationListIndex: index, isRevoked: false }
  t.deepEqual(rest, {
    id: notice.id,
    typ: 'application/didcomm-plain+json',
    type: TYPE,
    from: issuer,
    to: [holder.did],
    body,
  })
})

test('where issuer and holder have keys of two curves, the issuer’s signature is encrypted anonymously', async (t) => {
  const [issuer, from, holder] = [await createDid(world), await createDid(world, 'p256'), wallet('anoncrypt')]
  const { id } = await about(issuer, holder.did)
  const notice = await notify(id, { from })
  t.is(notice.status, 'SENT', notice.reason)
  const [received] = receiver.at(holder.inbox)
  t.is(received?.headers['content-type'], 'application/didcomm-encrypted+json')
  t.false(String(received?.body).includes(from), 'who sends it is in the ciphertext alone')
  const { message, signer, ...proof } = await opened(received, holder, from)
  t.deepEqual(proof, { from: null, anonymous: true, authenticated: true })
  t.true(signer?.startsWith(`${from}#`))
  t.like(message, { id: notice.id, type: TYPE, from, to: [holder.did] })
})

test('a service that wants another envelope than DIDComm v2, or a mediator’s, is none', async (t) => {
  const issuer = await createDid(world)
  for (const [name, endpoint] of [
    ['version-1', { uri: beside.urlOf('version-1/inbox'), accept: ['didcomm/aip1'] }],
    ['mediated', { uri: beside.urlOf('mediated/inbox'), routingKeys: ['did:example:mediator#1'] }],
  ] as const) {
    const holder = wallet(name, { service: [{ id: '#m', type: 'DIDCommMessaging', serviceEndpoint: endpoint }] })
    t.is((await notify((await about(issuer, holder.did)).id)).status, 'NO_SERVICE')
    t.deepEqual(receiver.at(holder.inbox), [])
  }
})

test('a holder whose DID is registered here has the message in the inbox, once, without the network', async (t) => {
  const [issuer, holder] = [await createDid(world), await createDid(world, 'x25519', other)]
  const own = inboxesOf(world, other)
  const inboxId = await own.created()
  t.is((await own.register(inboxId, holder)).status, 201)
  const { id } = await about(issuer, holder)
  const notice = await notify(id)
  t.is(notice.status, 'SENT', notice.reason)
  t.is((await notify(id)).id, notice.id)
  const { messages } = await own.messages(inboxId)
  t.is(messages.length, 1)
  t.like(JSON.parse(messages[0]?.payload ?? ''), { id: notice.id, type: TYPE, from: issuer, to: [holder] })
})

test('an inbox of somebody else’s DID gets the message closed; one without a key gets it signed', async (t) => {
  const issuer = await createDid(world)
  const own = inboxesOf(world, world.token)
  const inboxId = await own.created()
  const signer = await stranger()
  t.is((await own.register(inboxId, signer.did, await signer.jwt(inboxId))).status, 201)
  t.is((await notify((await about(issuer, signer.did)).id)).status, 'SENT')
  const [closed] = (await own.messages(inboxId)).messages
  const { recipients } = JSON.parse(closed?.payload ?? '') as GeneralJwe
  t.true(String(recipients[0]?.header?.kid).startsWith(`${signer.did}#`))
  t.false(closed?.payload.includes('isRevoked'))
  t.is((await encryptionOf(world).ask('decrypt', { jwe: closed?.payload }, world.token)).status, 400, 'nobody here')

  const keyless = wallet('keyless', { keyAgreement: [] })
  t.is((await notify((await about(issuer, keyless.did)).id)).status, 'SENT')
  const [plain] = receiver.at(keyless.inbox)
  t.is(plain?.headers['content-type'], 'application/jose')
  t.is(decodeProtectedHeader(String(plain?.body)).typ, 'JWM')
})

test('a full inbox, and a service that is away, are tried again; one that refuses is not', async (t) => {
  const [issuer, holder] = [await createDid(world), await createDid(world, 'x25519')]
  const own = inboxesOf(world, world.token)
  const inboxId = await own.created()
  t.is((await own.register(inboxId, holder)).status, 201)
  const { tenantId } = world.first
  const asTenant = (text: string, values: unknown[]) =>
    inTenant(world.dependencies.database.tenants, tenantId, (em) => em.execute<{ id: string }[]>(text, values))
  await asTenant(
    `insert into inbox_messages (id, tenant_id, inbox_id, payload, size)
      select gen_random_uuid(), ?, ?, '', 262144 from generate_series(1, 64)`,
    [tenantId, inboxId],
  )
  const [away, refusing] = [wallet('away'), wallet('refusing')]
  receiver.script(away.inbox, status(503))
  receiver.script(refusing.inbox, status(403))
  const { deliverNotification } = createActivities(world.dependencies)
  const add = `insert into credential_notifications (id, tenant_id, credential_id, recipient, sender, message, request_id, client_id)
    values (?, ?, ?, ?, ?, ?::json, ?, '') returning id`
  for (const [to, outcome] of [
    [holder, { state: 'later', reason: 'inbox.full' }],
    [away.did, { state: 'later', reason: 'answered 503' }],
    [refusing.did, { state: 'FAILED', reason: 'answered 403' }],
    ['did:example:somebody', { state: 'NO_SERVICE', reason: 'did.method_unsupported' }],
    [`did:web:nowhere.invalid`, { state: 'later', reason: 'did.unresolvable' }],
  ] as const) {
    const { id } = await about(issuer, to)
    const message = { id: randomUUID(), type: 'x', to: [to], from: issuer, created_time: Date.now(), body: {} }
    const values = [randomUUID(), tenantId, id, to, issuer, JSON.stringify(message), randomUUID()]
    const [row] = await asTenant(add, values)
    t.deepEqual(await deliverNotification({ tenantId, notificationId: row?.id ?? '' }), outcome)
  }
})

test('Temporal is given references: no message, address or DID is in a history in clear or in its payloads', async (t) => {
  const [issuer, holder] = [await createDid(world), wallet('history')]
  const secret = `secret ${randomUUID()}`
  const notice = await notify((await about(issuer, holder.did)).id)
  const reply = await world.ask('/v1/messaging/send', { token: world.token, body: { to: holder.did, message: secret } })
  t.is(reply.status, 200, reply.text)
  await until('the message', async () => receiver.at(holder.inbox).length === 2)
  const { temporal, config } = world.dependencies
  const sent: string[] = []
  for await (const { workflowId } of temporal.client.workflow.list({ query: `WorkflowType = 'deliverMessage'` }))
    sent.push(workflowId)
  t.true(sent.length > 0)
  for (const id of [...sent, `${world.first.tenantId}/semantic-credentials/notifications/${notice.id}`]) {
    const handle = temporal.client.workflow.getHandle(id)
    await handle.result()
    const { events } = await handle.fetchHistory()
    const payloads = (events ?? []).flatMap((event) => [
      ...(event.workflowExecutionStartedEventAttributes?.input?.payloads ?? []),
      ...(event.activityTaskScheduledEventAttributes?.input?.payloads ?? []),
      ...(event.activityTaskCompletedEventAttributes?.result?.payloads ?? []),
      ...(event.workflowExecutionCompletedEventAttributes?.result?.payloads ?? []),
    ])
    const decoded = await createPayloadCodec(config.masterKey).decode(payloads)
    const told = decoded.map(({ data }) => Buffer.from(data ?? '').toString())
    t.true(told.length >= 4)
    const clear = JSON.stringify(events, function (this: Record<string, unknown>, name, value: unknown) {
      const own = this[name]
      return own instanceof Uint8Array ? Buffer.from(own).toString('latin1') : value
    })
    for (const text of [clear, ...told])
      for (const hidden of [secret, holder.did, issuer, holder.inbox]) t.false(text.includes(hidden), text)
  }
})
