import { randomUUID } from 'node:crypto'
import test from 'ava'
import { workUnderWay } from '../../activities/administration/reconcile.ts'
import type { Work } from '../../activities/frame/pending-work.ts'
import { UPLOADS } from '../../api/frame/openapi/areas.ts'
import { SentMessage } from '../../entities/messaging.ts'
import type { Sql } from '../../entities/orm.ts'
import { asSystem, connect, inTenant, sqlOf } from '../../entities/orm.ts'
import { OPERATOR_SCOPES } from '../../protocol/tokens-logs/index.ts'
import { tenantsOf } from '../support/administration.ts'
import { create, lines } from '../support/credentials/batches.ts'
import { createDid, sign } from '../support/credentials/credentials.ts'
import { didsOf } from '../support/credentials/dids.ts'
import { createDomain } from '../support/domains.ts'
import { addClient } from '../support/frame/tenants.ts'
import { requestsOf } from '../support/openid/requests.ts'
import { CLAIMS, createMobileTemplate, sessionsOf } from '../support/openid/wallet.ts'
import { erase } from '../support/privacy/erasures.ts'
import { transfersOf } from '../support/transfers/transfers.ts'
import { createWebhook, webhooksOf } from '../support/webhooks.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let superuser: Sql
const undo: (() => Promise<unknown>)[] = []
test.before(async () => {
  world = await openWorld() // no worker: what is under way stays so
  const orm = await connect(world.superuserUrl, 2)
  undo.push(() => orm.close())
  superuser = await sqlOf(orm)
})
test.after.always(async () => {
  for (const last of undo) await last()
  await world?.close()
})

const change = async (text: string, ...values: unknown[]) => (await superuser.query({ text, values })).rows
const AREA = '/v1/credentials/web-semantic'

let template: string | undefined

const operatorToken = async () => {
  const { tenantId } = world.first
  return world.tokenOf(await addClient(world.dependencies.systemSql, { tenantId, scopes: OPERATOR_SCOPES }))
}

/** Tenants as an operator manages them. */
const tenants = async () => tenantsOf(world, await operatorToken())
const transfers = async () => transfersOf(world, await operatorToken())

/** One of each kind, asked for over HTTP: its id by workflow type, and a change of its row by which the work is over. */
const KINDS: Record<string, { begin(): Promise<string>; over: string; since: string }> = {
  registerWebDid: {
    begin: async () => (await didsOf(world, world.token).createWeb(`${randomUUID()}.example.org`)).id,
    over: `update dids set registration_status = 'COMPLETED' where id = $1`,
    since: 'update dids set created_at = $2 where id = $1',
  },
  deleteDid: {
    async begin() {
      const { createWeb, remove } = didsOf(world, world.token)
      const { did, id } = await createWeb(`${randomUUID()}.example.org`)
      await remove(did)
      return id
    },
    over: 'with gone as (delete from keys where did_id = $1) delete from dids where id = $1',
    since: 'update dids set deleted_at = $2 where id = $1',
  },
  deliverMail: {
    async begin() {
      const [id, { tenantId }] = [randomUUID(), world.first]
      await asSystem(world.dependencies.database.system, async (em) => {
        const columns = 'id, recipient_index, kind, content, request_id, next_attempt_at'
        const values = [id, Buffer.alloc(0), 'VERIFY_EMAIL', Buffer.alloc(0), id]
        await em.execute(`insert into account_mails (${columns}) values (?, ?, ?, ?, ?, now())`, values)
        await world.dependencies.outbox.start(em, 'deliverMail', { tenantId, mailId: id })
      })
      return id
    },
    over: `update account_mails set state = 'SENT', content = null, ended_at = now() where id = $1`,
    since: 'update account_mails set next_attempt_at = $2 where id = $1',
  },
  deliverMessage: {
    async begin() {
      const { database, outbox } = world.dependencies
      const [id, { tenantId }] = [randomUUID(), world.first]
      await inTenant(database.tenants, tenantId, async (em) => {
        const row = { id, tenantId, content: Buffer.alloc(0), requestId: id, clientId: id, createdAt: new Date() }
        em.create(SentMessage, row)
        await outbox.start(em, 'deliverMessage', { tenantId, sentId: id })
      })
      return id
    },
    over: 'delete from sent_messages where id = $1',
    since: 'update sent_messages set created_at = $2 where id = $1',
  },
  verifyDomain: {
    begin: async () => (await createDomain(world, {}, world.token)).id,
    over: 'update domains set given_up_at = now() where id = $1',
    since: 'update domains set waiting_since = $2 where id = $1',
  },
  signBatch: {
    async begin() {
      const issuer = await createDid(world)
      return (await create(world, lines(3), { proofType: 'eddsa-rdfc-2022', issuer })).id
    },
    over: `update credential_batches set state = 'COMPLETED' where id = $1`,
    since: 'update credential_batches set created_at = $2, resumed_at = $2 where id = $1',
  },
  revokeCredentials: {
    async begin() {
      const body = { by: 'issuer', id: await createDid(world), is_revoked: true }
      return (await world.ask(`${AREA}/revocations`, { token: world.token, body })).json<{ id: string }>().id
    },
    over: `update credential_revocations set state = 'REVOKED' where id = $1`,
    since: 'update credential_revocations set created_at = $2 where id = $1',
  },
  deliverWebhook: {
    async begin() {
      const webhook = await createWebhook(world, world.token)
      return (await webhooksOf(world, world.token).test(webhook.id)).json<{ id: string }>().id
    },
    over: `update webhook_deliveries set state = 'DELIVERED', ended_at = now() where id = $1`,
    since: 'update webhook_deliveries set created_at = $2 where id = $1',
  },
  issueOpenIdCredentials: {
    async begin() {
      template ??= await createMobileTemplate(world)
      const body = { credentials: [template], claims: CLAIMS }
      const { id } = await sessionsOf(world).offer(body)
      await change('update openid_sessions set ends_at = now() where id = $1', id) // before that it waits for its wallet
      return id
    },
    over: `update openid_sessions set state = 'EXPIRED', ended_at = now() where id = $1`,
    since: 'update openid_sessions set ends_at = $2 where id = $1',
  },
  expirePresentation: {
    async begin() {
      const { id } = await requestsOf(world, await createDid(world, 'p256')).create()
      await change('update openid_presentations set expires_at = now() where id = $1', id) // before that it waits
      return id
    },
    over: `update openid_presentations set state = 'EXPIRED', ended_at = now() where id = $1`,
    since: 'update openid_presentations set expires_at = $2 where id = $1',
  },
  provisionTenant: {
    begin: async () => (await (await tenants()).created({ did: { keyType: 'ed25519' } })).id,
    over: `update tenants set status = 'ready' where id = $1`,
    since: 'update tenants set created_at = $2 where id = $1',
  },
  deleteTenant: {
    async begin() {
      const { id } = await (await tenants()).created()
      await (await tenants()).remove(id)
      return id
    },
    over: `update deleted_tenants set erased_at = now(), step = 'erased' where id = $1`,
    since: 'update deleted_tenants set requested_at = $2 where id = $1',
  },
  erasePerson: {
    async begin() {
      const reply = await erase(world, { subjectDid: `did:example:${randomUUID()}` })
      return reply.json<{ id: string }>().id
    },
    over: `update erasures set state = 'ERASED', step = null, subject = null, ended_at = now() where id = $1`,
    since: 'update erasures set started_at = $2 where id = $1',
  },
  exportTenant: {
    async begin() {
      const { id } = await (await tenants()).created()
      return (await (await transfers()).create(id)).json<{ id: string }>().id
    },
    over: `update tenant_exports set state = 'DONE', ended_at = now() where id = $1`,
    since: 'update tenant_exports set created_at = $2 where id = $1',
  },
  importTenant: {
    async begin() {
      const example = UPLOADS.createTenantImport?.examples['application/x-ndjson'] ?? ''
      const reply = await (await transfers()).import(Buffer.from(example), { type: 'application/x-ndjson' })
      return reply.json<{ id: string }>().id
    },
    over: `update tenant_imports set state = 'DONE', ended_at = now() where id = $1`,
    since: 'update tenant_imports set created_at = $2 where id = $1',
  },
  notifyStatus: {
    async begin() {
      const { id } = await sign(world, await createDid(world), { revocable: true })
      await world.ask(`${AREA}/${id}/revocation-status/notification`, { token: world.token, body: {} })
      const [row] = await change('select id from credential_notifications where credential_id = $1', id)
      return (row as { id: string }).id
    },
    over: `update credential_notifications set state = 'FAILED' where id = $1`,
    since: 'update credential_notifications set created_at = $2 where id = $1',
  },
}

const kinds = () => workUnderWay(world.config)
const found = async (work: Work, id: string, seconds = 0) =>
  (await work.find(world.dependencies.systemSql, { ids: [id], seconds })).length

const started = (id: string) => change('update outbox set started_at = now() where object_id = $1', id)

test.serial('every kind of work that a request begins is in the table of what is under way', async (t) => {
  const begun = await change('select distinct workflow_type from outbox')
  t.deepEqual(begun, [])
  for (const { begin } of Object.values(KINDS)) await begin()
  const types = (await change('select distinct workflow_type as type from outbox order by 1')) as { type: string }[]
  t.deepEqual(
    types.map(({ type }) => type),
    kinds()
      .map(({ workflowType }) => workflowType)
      .toSorted(),
  )
})

for (const [type, { begin, over, since }] of Object.entries(KINDS)) {
  const work = () => kinds().find(({ workflowType }) => workflowType === type) ?? Promise.reject(new Error(type))

  test.serial(`${type}: the start is the one that the request wrote down`, async (t) => {
    const id = await begin()
    const { outbox, systemSql } = world.dependencies
    const text = `select id, tenant_id as "tenantId", area, object_id as "objectId", object_ids as "objectIds", workflow_type as "workflowType",
      workflow_id as "workflowId", summary, payload from outbox where object_id = $1 and workflow_type = $2`
    type Written = { id: string; tenantId: string; workflowId: string; payload: Buffer }
    const [row] = (await systemSql.query<Written>({ text, values: [id, type] })).rows
    if (!row) return t.fail('nothing was written')
    await started(id)
    const [again] = await (await work()).find(systemSql, { ids: [id] })
    const { id: _, ...written } = { ...row, payload: outbox.open(row) }
    t.deepEqual(again?.start, written)
  })

  test.serial(`${type}: a row that the outbox is still to start is left to it`, async (t) => {
    const id = await begin()
    t.is(await found(await work(), id), 0)
    await started(id)
    t.is(await found(await work(), id), 1)
  })

  test.serial(`${type}: a row that is younger than asked for is left alone`, async (t) => {
    const id = await begin()
    await started(id)
    await change(since, id, new Date(Date.now() - 50_000))
    t.is(await found(await work(), id, 60), 0)
    await change(since, id, new Date(Date.now() - 70_000))
    t.is(await found(await work(), id, 60), 1)
  })

  test.serial(`${type}: a row whose work is over is not found`, async (t) => {
    const id = await begin()
    await started(id)
    await change(over, id)
    t.is(await found(await work(), id), 0)
  })
}

test.serial('a deletion is found although the outbox is still to start the registration of its DID', async (t) => {
  const id = await KINDS.deleteDid?.begin()
  const work = kinds().find(({ workflowType }) => workflowType === 'deleteDid')
  if (!id || !work) return t.fail()
  await change(`update outbox set started_at = now() where object_id = $1 and workflow_type = 'deleteDid'`, id)
  t.is((await change('select 1 from outbox where object_id = $1 and started_at is null', id)).length, 1)
  t.is(await found(work, id), 1)
})

const batch = (set: string) => `update credential_batches set ${set} where id = $1`
for (const [what, text, expected] of [
  ['paused on request', batch(`state = 'PAUSED', pause_code = 'batch.requested'`), 0],
  ['paused for the key store', batch(`state = 'PAUSED', pause_code = 'keys.unavailable'`), 1],
  ['cancelled with rows that are not erased', batch(`state = 'CANCELLED', ended_at = now()`), 1],
  ['cancelled and erased', batch(`state = 'CANCELLED', ended_at = now(), discarded_at = now()`), 0],
  ['still being uploaded', batch(`state = 'RECEIVING'`), 0],
] as const)
  test.serial(`a batch that is ${what} has ${expected ? 'work' : 'no work'} left for a workflow`, async (t) => {
    const id = await KINDS.signBatch?.begin()
    if (!id) return t.fail()
    await started(id)
    await change(text, id)
    const work = kinds().find(({ workflowType }) => workflowType === 'signBatch')
    t.is(work && (await found(work, id)), expected)
  })

test.serial('rows are found page by page, each once', async (t) => {
  const work = kinds().find(({ workflowType }) => workflowType === 'registerWebDid')
  if (!work) return t.fail()
  for (let nth = 0; nth < 5; nth += 1) await KINDS.registerWebDid?.begin()
  await change('update outbox set started_at = now()')
  const { systemSql } = world.dependencies
  const all = (await work.find(systemSql, { limit: 1_000 })).map(({ id }) => id)
  const paged: string[] = []
  for (let page = await work.find(systemSql, { limit: 2 }); page.length > 0; ) {
    paged.push(...page.map(({ id }) => id))
    page = await work.find(systemSql, { limit: 2, after: paged.at(-1) })
  }
  t.true(all.length >= 5)
  t.deepEqual(paged, all)
})
