import test from 'ava'
import { PDF_TEMPLATE_EXAMPLE } from '../../api/compact-credentials/pdf.examples.ts'
import { inTenant } from '../../entities/orm.ts'
import { COURSE, create, lines, results, until as untilBatch } from '../support/credentials/batches.ts'
import { createPdfTemplate, signCompact, strangeCompact } from '../support/credentials/compact.ts'
import { createDid, sign } from '../support/credentials/credentials.ts'
import { until } from '../support/credentials/dids.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let issuer: string
test.before(async () => {
  world = await openWorld({ workflows: true })
  issuer = await createDid(world)
})
test.after.always(() => world?.close())

interface Event {
  at: string
  type: string
  operation?: string
  client_id?: string
  request_id?: string
  workflow_id?: string
  workflow_path?: string
  schedule_id?: string
  details: Record<string, unknown>
}

interface Page {
  data: Event[]
  total_count: number
}

const AREA = '/v1/credentials/web-semantic'
const ask = (path: string, body?: unknown) => world.ask(path, { token: world.token, body })

async function timeline(id: string, query = ''): Promise<Page> {
  const reply = await ask(`/v1/credentials/${id}/timeline${query}`)
  if (reply.status !== 200) throw new Error(reply.text)
  return reply.json<Page>()
}

const typesOf = ({ data }: Page) => data.map(({ type }) => type)
const named = ({ data }: Page, type: string): Event => {
  const event = data.find((each) => each.type === type)
  if (!event) throw new Error(`no ${type} in ${data.map((each) => each.type).join()}`)
  return event
}

/** Reads the list, which signs it where it was not yet. */
const publish = async (id: string) => {
  const listId = String(named(await timeline(id), 'status_entry.allocated').details.list_id)
  t200(await ask(`/v1/revocation-lists/${listId}`))
  return listId
}
const t200 = ({ status, text }: { status: number; text: string }) => {
  if (status !== 200) throw new Error(text)
}
const revoke = async (id: string, is_revoked: boolean) => {
  const reply = await ask(`${AREA}/${id}/revocation-status`, { is_revoked })
  t200(reply)
  return reply.headers.get('x-request-id')
}
const published = (id: string, count: number) =>
  until('the list', async () => {
    const page = await timeline(id)
    return typesOf(page).filter((type) => type === 'status_list.published').length === count && page
  })

test('a credential is told from its signing to the last change of its status, with who caused each step (D-309)', async (t) => {
  const { id } = await sign(world, issuer, { revocable: true })
  const listId = await publish(id)
  const first = await revoke(id, true)
  await published(id, 1)
  const second = await revoke(id, false)
  await revoke(id, false) // changes nothing
  const page = await published(id, 2)
  t.deepEqual(typesOf(page), [
    'credential.issued',
    'status_entry.allocated',
    'credential.revoked',
    'status_list.published',
    'credential.unrevoked',
    'status_list.published',
  ])
  t.is(page.total_count, 6)
  const [issued, entry, revoked, list, unrevoked] = page.data
  const caller = { client_id: world.first.clientId }
  t.like(issued, { ...caller, operation: 'CREDENTIAL_WEB_SEMANTIC_SIGN', details: {} })
  t.deepEqual([entry?.details.list_id, entry?.details.purpose], [listId, 'revocation'])
  const operation = 'CREDENTIAL_WEB_SEMANTIC_REVOCATION_SET_STATUS'
  t.like(revoked, { ...caller, operation, request_id: first, details: {} })
  t.like(unrevoked, { ...caller, operation, request_id: second })
  t.like(list, { schedule_id: 'publish-status-lists', details: { list_id: listId, purpose: 'revocation' } })
  t.deepEqual(
    page.data.map(({ at }) => at).toSorted(),
    page.data.map(({ at }) => at),
  )
  const parts = [await timeline(id, '?limit=4'), await timeline(id, '?limit=4&page=2')]
  t.deepEqual(
    parts.flatMap(({ data }) => data),
    page.data,
  )
  t.like(await timeline(id, '?limit=0'), { data: [], total_count: 6 })
})

test('a credential of a batch shows the batch, its row, its workflow, and the bulk revocation that revoked it', async (t) => {
  const batch = await create(world, lines(3), {
    issuer,
    proofType: 'eddsa-rdfc-2022',
    revocable: 'true',
    context: COURSE,
  })
  await untilBatch(world, batch.id, ({ status }) => status === 'COMPLETED')
  const [, row] = await results(world, batch.id)
  const id = row?.id ?? ''
  const revocation = await ask(`/v1/credentials/batches/${batch.id}/revocation`, {})
  t.is(revocation.status, 202, revocation.text)
  const page = await until('the revocation', async () => {
    const read = await timeline(id)
    return typesOf(read).includes('credential.revoked') && read
  })
  t.deepEqual(
    typesOf(page).filter((type) => type !== 'status_list.published'),
    ['batch.created', 'credential.issued', 'status_entry.allocated', 'batch.completed', 'credential.revoked'],
  )
  const workflow = `${world.first.tenantId}/semantic-credentials/batches/${batch.id}`
  const created = named(page, 'batch.created')
  const issued = named(page, 'credential.issued')
  t.like(issued, {
    request_id: created.request_id,
    client_id: world.first.clientId,
    operation: 'CREDENTIAL_WEB_SEMANTIC_BATCH_CREATE',
    workflow_id: workflow,
    workflow_path: `/namespaces/default/workflows/${encodeURIComponent(workflow)}`,
    details: { batch_id: batch.id, batch_row: 2 },
  })
  const revoked = named(page, 'credential.revoked')
  t.is(revoked.request_id, revocation.headers.get('x-request-id') ?? '')
  t.is(revoked.operation, 'CREDENTIAL_WEB_SEMANTIC_BATCH_REVOKE')
  t.is(revoked.details.by, 'batch')
  t.is(
    revoked.workflow_id,
    `${world.first.tenantId}/semantic-credentials/revocations/${String(revoked.details.revocation_id)}`,
  )
})

test('a bulk revocation by issuer, notifications, an end and refused changes are events too', async (t) => {
  const own = await createDid(world)
  const holder = await createDid(world)
  const more = { credentialSubject: { id: holder, course: 'CS-101' } }
  const { id } = await sign(world, own, { revocable: true, more })
  t.is((await ask(`${AREA}/${id}/suspension-status`, { is_suspended: true })).status, 400)
  const revocation = await ask(`${AREA}/revocations`, { by: 'issuer', id: own, is_revoked: true })
  t.is(revocation.status, 202, revocation.text)
  await until('the revocation', async () => typesOf(await timeline(id)).includes('credential.revoked'))
  t200(await ask(`${AREA}/${id}/revocation-status/notification`, {}))
  const page = await until('the notification', async () => {
    const read = await timeline(id)
    return typesOf(read).includes('notification.no_service') && read
  })
  const revoked = named(page, 'credential.revoked')
  t.is(revoked.operation, 'CREDENTIAL_WEB_SEMANTIC_REVOCATION_CASCADE')
  t.deepEqual(revoked.details, { by: 'issuer', revocation_id: revocation.json<{ id: string }>().id })
  const sent = named(page, 'notification.no_service')
  const notificationId = String(sent.details.notification_id)
  t.is(sent.workflow_id, `${world.first.tenantId}/semantic-credentials/notifications/${notificationId}`)
  t.is(named(page, 'notification.requested').details.notification_id, notificationId)
  t.like(named(page, 'operation.failed'), {
    operation: 'CREDENTIAL_WEB_SEMANTIC_SUSPENSION_SET_STATUS',
    details: { error: 'credential.not_suspendable' },
  })
  t.false(JSON.stringify(page).includes(holder), 'no personal data')
  await world.dependencies.systemSql.query({
    text: "update credentials set expiration_date = now() - interval '1 second' where id = $1",
    values: [id],
  })
  t.true(typesOf(await timeline(id)).includes('credential.expired'))
})

test('a QR code of a compact credential is an event of the credential', async (t) => {
  const own = await createDid(world, 'P-256')
  const { encoded } = await signCompact(world, { iss: own, name: 'Ada' })
  const list = (await ask(`/v1/credentials?issuer=${encodeURIComponent(own)}`)).json<{ data: { id: string }[] }>()
  const id = list.data[0]?.id ?? ''
  t200(await ask('/v1/credentials/compact/qrcode', { payload: encoded }))
  t.deepEqual(typesOf(await timeline(id)), ['credential.issued', 'qr_code.created'])
})

test('a credential of somebody else with the same id is no event of ours (D-339)', async (t) => {
  const own = await createDid(world, 'P-256')
  const { encoded } = await signCompact(world, { iss: own, name: 'Ada', course: 'CS-101' })
  const list = (await ask(`/v1/credentials?issuer=${encodeURIComponent(own)}`)).json<{ data: { id: string }[] }>()
  const id = list.data[0]?.id ?? ''
  const templateId = await createPdfTemplate(world, PDF_TEMPLATE_EXAMPLE)
  const strange = await strangeCompact(id, { course: 'CS-101' })
  for (const [path, body] of [
    ['compact/qrcode', { payload: strange }],
    ['compact/qrcode', { payload: await strangeCompact(id, { course: 'CS-101' }, own) }],
    ['compact/pdf', { templateId, payload: strange }],
    ['compact/pdf', { templateId, payload: encoded }],
  ] as const)
    t200(await ask(`/v1/credentials/${path}`, body))
  t.deepEqual(typesOf(await timeline(id)), ['credential.issued', 'pdf.created'])
})

test('what was revoked through no request of the API, and before publications were recorded, has no more than its time', async (t) => {
  const { id } = await sign(world, issuer, { revocable: true })
  await world.dependencies.systemSql.query({
    text: `update credentials set revoked = true, status_changed_at = now() where id = $1`,
    values: [id],
  })
  const { tenantId } = world.first
  await inTenant(world.dependencies.database.tenants, tenantId, (em) =>
    em.execute(
      `insert into credential_status_changes (tenant_id, credential_id, purpose, value, changed_at)
       values (?, ?, 'revocation', true, now())`,
      [tenantId, id],
    ),
  )
  const page = await timeline(id)
  t.deepEqual(typesOf(page), ['credential.issued', 'status_entry.allocated', 'credential.revoked'])
  t.deepEqual(Object.keys(page.data[2] ?? {}), ['at', 'type', 'details'])
})
