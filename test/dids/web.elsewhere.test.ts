import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import proto from '@temporalio/proto'
import test from 'ava'
import { PLATFORM_KEYS } from '../../activities/administration/key-inventory.ts'
import { createPlatform } from '../../activities/index.ts'
import { sign, verify } from '../support/credentials/credentials.ts'
import { didsOf, type Resolved, until } from '../support/credentials/dids.ts'
import { type Names, openNames } from '../support/frame/names.ts'
import { inboxesOf } from '../support/messaging.ts'
import { openWorld, type World } from '../support/world.ts'

let names: Names
let world: World
let dids: ReturnType<typeof didsOf>
test.before(async () => {
  names = await openNames()
  world = await openWorld({ workflows: true, env: names.env })
  names.platform.apiPort = world.config.port
  dids = didsOf(world, world.token)
})
test.after.always(async () => {
  await world?.close()
  await names?.close()
})

const didAt = (path: string) => `did:web:elsewhere.test%3A${names.port}:${path}`
const urlOf = (path: string) => `https://elsewhere.test:${names.port}/${path}`
const fileOf = (path: string) => `/${path}/did.json`

const withKeys = (did: string) =>
  until(`the document of ${did}`, async () => {
    const resolved = (await dids.resolve(did)).json<Resolved>()
    return resolved.didDocument.verificationMethod && resolved
  })

const handleOf = (id: string, job = 'register') =>
  world.dependencies.temporal.client.workflow.getHandle(`${world.first.tenantId}/dids/${id}/${job}`)

/** Looks over HTTPS so far. */
const looks = async (id: string): Promise<number> => {
  const { events } = await handleOf(id).fetchHistory()
  const scheduled = (events ?? []).map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name)
  return scheduled.filter((name) => name === 'lookUpDid').length
}

/** A look that began after the call has come to its end. */
const looksAgain = async (id: string) => {
  const before = await looks(id)
  return until('another look', async () => {
    await handleOf(id).signal('lookNow')
    return (await looks(id)) > before + 1
  })
}

const rows = async (table: 'dids' | 'keys' | 'key_envelopes', ids: string[]): Promise<number> => {
  const column = table === 'key_envelopes' ? 'key_id' : 'id'
  const text = `select 1 from ${table} where ${column} = any($1::uuid[])`
  return (await world.dependencies.systemSql.query({ text, values: [ids] })).rows.length
}

test.serial(
  'a DID elsewhere: ours to make, the caller’s to host; COMPLETED when the world sees our keys',
  async (t) => {
    const did = didAt('issuer')
    const created = await dids.createWeb(urlOf('issuer'))
    t.like(created, { did, registrationStatus: 'PROCESSING' })
    const { didDocument, hosting, localMetadata } = await withKeys(did)
    t.is(hosting, 'caller')
    t.is(localMetadata.keys.length, 5)
    t.is((await names.read('issuer.test', '/issuer/did.json')).status, 404, 'we do not host it')
    await looksAgain(created.id)
    t.is((await dids.resolve(did)).json().registrationStatus, 'PROCESSING', 'nobody hosts it yet')

    const wrong = [
      'no JSON',
      JSON.stringify({ ...didDocument, id: didAt('other') }),
      JSON.stringify({ ...didDocument, verificationMethod: didDocument.verificationMethod?.slice(1) }),
      JSON.stringify({ ...didDocument, assertionMethod: [] }),
      JSON.stringify({
        ...didDocument,
        verificationMethod: didDocument.verificationMethod?.map((method, at, all) =>
          at === 0 ? { ...method, publicKeyMultibase: all[2]?.publicKeyMultibase } : method,
        ),
      }),
    ]
    for (const page of wrong) {
      names.elsewhere.set(fileOf('issuer'), page)
      await looksAgain(created.id)
      t.is((await dids.resolve(did)).json().registrationStatus, 'PROCESSING', page.slice(0, 200))
    }
    await t.throwsAsync(sign(world, did), { message: /issuer_not_ready/ })

    // the caller's own formatting and additions are the caller's business
    const { id, '@context': context, ...members } = didDocument
    const service = [{ id: `${did}#site`, type: 'LinkedDomains', serviceEndpoint: 'https://elsewhere.test' }]
    names.elsewhere.set(fileOf('issuer'), JSON.stringify({ ...members, service, id, '@context': context }, null, 4))
    await handleOf(created.id).signal('lookNow')
    await dids.reaches(did, 'COMPLETED')
    const { credential } = await sign(world, did)
    t.deepEqual(await verify(world, credential), { verified: true, reason: [] })
  },
)

test.serial(
  'out of patience it is FAILED, and the list says why; deleted, it may be tried again (specification, DID record)',
  async (t) => {
    const did = didAt('never')
    const { dependencies, first } = world
    const didWeb = { checkSeconds: 1, patienceDays: 2 / 86_400 }
    const impatient = createPlatform({ ...dependencies, config: { ...dependencies.config, didWeb } })
    const call = { tenantId: first.tenantId, clientId: first.clientId, requestId: dependencies.uuid() }
    const { id } = await impatient.dids.createDid(call, {
      method: 'WEB',
      options: { url: urlOf('never') },
      isDefaultIssuer: false,
    })
    await dids.reaches(did, 'FAILED')
    const listed = (await dids.list('?limit=1000')).dids.find((each) => each.did === did)
    t.is(listed?.id, id)
    t.regex(listed?.failureReason ?? '', /404/)
    t.is(await handleOf(id).result(), 'FAILED')

    t.is((await dids.create('WEB', { url: urlOf('never') })).status, 409)
    t.is((await dids.remove(did)).status, 204)
    await dids.createWeb(urlOf('never'))
    names.elsewhere.set(fileOf('never'), JSON.stringify((await withKeys(did)).didDocument))
    await dids.reaches(did, 'COMPLETED')
  },
)

test.serial('the document of a DID elsewhere decides who gets and who sends its messages (D-492, D-493)', async (t) => {
  const did = didAt('letters')
  await dids.createWeb(urlOf('letters'))
  const { didDocument } = await withKeys(did)
  names.elsewhere.set(fileOf('letters'), JSON.stringify(didDocument))
  await dids.reaches(did, 'COMPLETED')
  const { dependencies, first } = world
  let ahead = 0
  const { sending } = createPlatform({ ...dependencies, now: () => new Date(Date.now() + ahead) })
  const inboxes = inboxesOf(world, world.token)
  const inbox = await inboxes.created()
  const mailbox = (await dids.create('KEY', { keyType: 'x25519' })).json<{ did: string }>().did
  for (const each of [did, mailbox]) t.is((await inboxes.register(inbox, each)).status, 201)
  const received = async () => (await inboxes.messages(inbox)).totalCount
  const send = (to: string, from?: string) => {
    const call = { tenantId: first.tenantId, clientId: first.clientId, requestId: dependencies.uuid() }
    const message = { id: dependencies.uuid(), type: 'https://didcomm.org/trust-ping/2.0/ping', body: {} }
    return sending.sendMessage(call, { to, message: from === undefined ? message : { ...message, from } })
  }
  await send(did)
  await send(mailbox, did)
  t.is(await received(), 2)
  ahead = 6 * 60_000
  names.elsewhere.delete(fileOf('letters'))
  await send(did)
  t.is(await received(), 3, 'its host may be away')
  await t.throwsAsync(send(mailbox, did), { code: 'message.sender_unfit' }, 'nobody else would believe it')
  ahead = 12 * 60_000
  const other = await withKeys((await dids.createWeb(urlOf('other'))).did)
  const text = JSON.stringify(other.didDocument).replaceAll(other.didDocument.id, did)
  names.elsewhere.set(fileOf('letters'), text)
  await t.throwsAsync(send(did), { code: 'message.cannot_send' }, 'it is somebody else now, who takes no messages')
  await t.throwsAsync(send(mailbox, did), { code: 'message.sender_unfit' })
  t.is(await received(), 3)
})

test.serial('a deletion while PROCESSING ends the registration at once, with keys and rows', async (t) => {
  const did = didAt('withdrawn')
  const { id } = await dids.createWeb(urlOf('withdrawn'))
  const { localMetadata } = await withKeys(did)
  const keyIds = localMetadata.keys.map(({ kmsKeyId }) => kmsKeyId)
  t.is(await rows('key_envelopes', keyIds), 5)
  await until('a longer wait', async () => (await looks(id)) >= 3)
  t.is((await dids.remove(did)).status, 204)
  t.is((await dids.remove(did)).status, 404)
  t.is(await handleOf(id).result(), 'DELETED')
  await until('the deletion', () =>
    handleOf(id, 'delete')
      .result()
      .then(
        () => true,
        () => false,
      ),
  )
  t.deepEqual([await rows('key_envelopes', keyIds), await rows('keys', keyIds), await rows('dids', [id])], [0, 0, 0])
})

test.serial('a deletion right after the creation leaves no key behind, whoever comes first', async (t) => {
  const created: string[] = []
  for (let at = 0; at < 8; at++) {
    const { did, id } = await dids.createWeb(urlOf(`brief/${at}`))
    await wait(at * 60)
    t.is((await dids.remove(did)).status, 204)
    created.push(id)
  }
  for (const id of created) {
    await until('the deletion', () =>
      handleOf(id, 'delete')
        .result()
        .then(
          () => true,
          () => false,
        ),
    )
    t.is(
      await until('the registration', () =>
        handleOf(id)
          .result()
          .catch(() => undefined),
      ),
      'DELETED',
    )
  }
  const { systemSql } = world.dependencies
  const orphans = `select e.key_id, e.tenant_id, e.key_type from key_envelopes e where not exists (select 1 from keys k where k.id = e.key_id)
    and e.key_id not in (${PLATFORM_KEYS})`
  t.deepEqual((await systemSql.query({ text: orphans, values: [] })).rows, [])
  t.is(await rows('dids', created), 0)
})

test.serial(
  'an operator finds a registration by its object, with a line to read; what it knows is not in plain text',
  async (t) => {
    const { id, did } = await dids.createWeb(urlOf('secret-department'))
    names.elsewhere.set(fileOf('secret-department'), JSON.stringify((await withKeys(did)).didDocument))
    await dids.reaches(did, 'COMPLETED')
    const { workflow } = world.dependencies.temporal.client
    const found = await until('visibility', async () => {
      const executions = []
      for await (const execution of workflow.list({ query: `ObjectId = '${id}'` })) executions.push(execution)
      return String(executions[0]?.searchAttributes.Summary).endsWith('COMPLETED') && executions
    })
    t.deepEqual(
      found.map(({ workflowId, type }) => [workflowId, type]),
      [[`${world.first.tenantId}/dids/${id}/register`, 'registerWebDid']],
    )
    t.like(found[0]?.searchAttributes, {
      TenantId: [world.first.tenantId],
      Area: ['dids'],
      Summary: [`register did:web ${id}: COMPLETED`],
      ObjectIds: [id, createHash('sha256').update(did).digest('hex')],
    })
    const raw = await workflow.workflowService.getWorkflowExecutionHistory({
      namespace: world.dependencies.temporal.namespace,
      execution: { workflowId: found[0]?.workflowId ?? '' },
    })
    const stored = Buffer.from(proto.temporal.api.history.v1.History.encode(raw.history ?? {}).finish()).toString(
      'latin1',
    )
    t.true(stored.includes(id), 'the history is what we looked at')
    t.false(stored.includes('elsewhere'))
    t.false(stored.includes('secret-department'))
    t.false(stored.includes('"didId"'))
  },
)
