import test from 'ava'
import { createExporting } from '../../../activities/administration/transfers/exporting.ts'
import { createImporting } from '../../../activities/administration/transfers/importing.ts'
import { OPERATOR_SCOPES } from '../../../protocol/tokens-logs/index.ts'
import { TENANTS } from '../../support/administration.ts'
import { addClient } from '../../support/frame/tenants.ts'
import { refusalOf } from '../../support/transfers/files.ts'
import { type ExportAnswer, type ImportAnswer, transfersOf } from '../../support/transfers/transfers.ts'
import { openWorld, type World } from '../../support/world.ts'

// no worker: an export is under way until it is written here
let world: World
let operator: string
test.before(async () => {
  world = await openWorld()
  const { tenantId } = world.first
  operator = await world.tokenOf(await addClient(world.dependencies.systemSql, { tenantId, scopes: OPERATOR_SCOPES }))
})
test.after.always(() => world?.close())

const transfers = () => transfersOf(world, operator)

test('of many exports of a tenant at once one begins, and its file is there when it is whole', async (t) => {
  const { tenantId } = await world.addTenant()
  const replies = await Promise.all(Array.from({ length: 10 }, () => transfers().create(tenantId)))
  t.deepEqual(replies.map(({ status }) => status).sort(), [202, ...Array<number>(9).fill(409)])
  const refused = replies.find(({ status }) => status === 409)
  t.deepEqual(refused && refusalOf(refused).slice(0, 2), [409, 'tenant_export.under_way'])
  const exportId = replies.find(({ status }) => status === 202)?.json<ExportAnswer>().id ?? ''
  const content = () => world.ask(`${TENANTS}/${tenantId}/exports/${exportId}/content`, { token: operator })
  t.deepEqual(refusalOf(await content()).slice(0, 2), [409, 'tenant_export.not_done'])
  const { state } = await createExporting(world.dependencies).writeTenantExport({
    tenantId: world.first.tenantId,
    exportId,
  })
  t.is(state, 'DONE')
  t.is((await content()).status, 200)
  t.is((await transfers().create(tenantId)).status, 202, 'another one may begin')
})

test('an export is found under its own tenant alone, and its file by operators who write', async (t) => {
  const [one, other] = [await world.addTenant(), await world.addTenant()]
  const { id } = (await transfers().create(one.tenantId)).json<ExportAnswer>()
  t.is((await transfers().read(one.tenantId, id)).status, 200)
  t.deepEqual(refusalOf(await transfers().read(other.tenantId, id)).slice(0, 2), [404, 'tenant_export.not_found'])
  const { tenantId } = world.first
  const reader = await addClient(world.dependencies.systemSql, { tenantId, scopes: ['platform:read'] })
  const token = await world.tokenOf(reader)
  t.is((await transfersOf(world, token).read(one.tenantId, id)).status, 200)
  const content = await world.ask(`${TENANTS}/${one.tenantId}/exports/${id}/content`, { token })
  t.deepEqual(refusalOf(content).slice(0, 2), [403, 'token.insufficient_scope'])
})

test('attempts at one import at the same time make one tenant', async (t) => {
  const { tenantId } = await world.addTenant()
  const { id: exportId } = (await transfers().create(tenantId)).json<ExportAnswer>()
  await createExporting(world.dependencies).writeTenantExport({ tenantId: world.first.tenantId, exportId })
  const file = await transfers().content(tenantId, exportId)
  const { continueTenantImport } = createImporting(world.dependencies)
  for (let nth = 0; nth < 5; nth++) {
    const { id, tenantId: made } = (await transfers().import(file)).json<ImportAnswer>()
    const attempt = () => continueTenantImport({ tenantId: world.first.tenantId, importId: id })
    const steps = await Promise.all([attempt(), attempt(), attempt()])
    t.deepEqual(new Set(steps.map(({ state }) => state)), new Set(['DONE']))
    const answer = (await transfers().readImport(id)).json<ImportAnswer>()
    t.deepEqual([answer.state, answer.failure], ['DONE', null])
    t.is((await world.ask(`${TENANTS}/${made}`, { token: operator })).status, 200)
  }
})
