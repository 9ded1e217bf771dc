import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createPurge } from '../../../activities/administration/purge.ts'
import { OPERATOR_SCOPES, SCOPES } from '../../../protocol/tokens-logs/index.ts'
import { clientsOf, newSubdomain } from '../../support/administration.ts'
import { addClient } from '../../support/frame/tenants.ts'
import { type FileWorld, openFileWorld, refusalOf } from '../../support/transfers/files.ts'
import { type ImportAnswer, rowsOf, transfersOf } from '../../support/transfers/transfers.ts'

let here: FileWorld
test.before(async () => {
  here = await openFileWorld()
})
test.after.always(() => here?.close())

const purge = () => createPurge(here.world.dependencies).purgeExpiredRows()

test.serial('the file of an export is there for seven days, and then a 404 before it is deleted', async (t) => {
  const { tenantId } = await here.world.addTenant()
  const done = await here.transfers.exported(tenantId)
  t.is(Date.parse(done.expiresAt) - Date.parse(done.createdAt), 7 * 86_400_000)
  await purge()
  t.is((await here.transfers.read(tenantId, done.id)).status, 200)
  await here.rows('update tenant_exports set expires_at = now() where id = $1', done.id)
  t.deepEqual(refusalOf(await here.transfers.read(tenantId, done.id)).slice(0, 2), [404, 'tenant_export.not_found'])
  await t.throwsAsync(here.transfers.content(tenantId, done.id), { message: /tenant_export.not_found/ })
  t.is((await purge()).tenantExports, 1)
  t.deepEqual(await here.rows('select 1 from tenant_export_chunks where export_id = $1', done.id), [])
})

test.serial('the report of an import is there until its time is over', async (t) => {
  const { id, expiresAt, createdAt } = await here.transfers.imported(here.file)
  t.is(Date.parse(expiresAt) - Date.parse(createdAt), 30 * 86_400_000)
  await here.rows('update tenant_imports set expires_at = now() where id = $1', id)
  t.deepEqual(refusalOf(await here.transfers.readImport(id)).slice(0, 2), [404, 'tenant_import.not_found'])
  t.is((await purge()).tenantImports, 1)
})

/** An import without a workflow, as old as told. */
async function left(state: string, age: string, subdomain = newSubdomain()): Promise<string> {
  const id = randomUUID()
  await here.rows(
    `insert into tenant_imports (id, state, environment_id, subdomain, name, subject_tenant_id, first_client_id, secret_hash,
       request_id, client_id, created_at, expires_at)
     select $1, $2, t.environment_id, $3, 'left', gen_random_uuid(), gen_random_uuid(), 'x', $1, 'left',
       now() - $4::interval, now() - $4::interval + interval '30 days' from tenants t where t.is_first`,
    ...[id, state, subdomain, age],
  )
  return id
}

test.serial('an upload that nobody finished goes after a day, and not before', async (t) => {
  const [young, old] = [await left('RECEIVING', '23 hours'), await left('RECEIVING', '25 hours')]
  t.is((await purge()).tenantImports, 1)
  t.deepEqual(await here.rows('select id from tenant_imports where id = any($1)', [young, old]), [{ id: young }])
})

for (const state of ['CHECKING', 'WRITING'])
  test.serial(`an import that is ${state.toLowerCase()} when its time is over is undone`, async (t) => {
    const [young, old] = [await left(state, '29 days'), await left(state, '31 days')]
    await here.rows(
      `insert into tenant_import_segments (import_id, place, first_line, content) values ($1, 0, 2, 'x')`,
      old,
    )
    await purge()
    t.deepEqual(await here.rows('select state from tenant_imports where id = $1', young), [{ state }])
    // what failed goes with the same purge, as its time is over
    t.deepEqual(await here.rows('select state from tenant_imports where id = $1', old), [])
    t.deepEqual(await here.rows('select 1 from tenant_import_segments where import_id = $1', old), [])
    const entries = await here.rows<{ reason: string }>(
      `select metadata ->> 'reason' as reason from logs where request_id = $1 and type = 'TENANT_IMPORT_FAIL'`,
      old,
    )
    t.deepEqual(entries, [{ reason: 'tenant_import.abandoned' }])
  })

test.serial('the same file from another caller is no repetition: its subdomain is taken', async (t) => {
  const subdomain = newSubdomain()
  const first = await here.transfers.imported(here.file, { subdomain })
  const { tenantId } = here.world.first
  const other = await here.world.tokenOf(
    await addClient(here.world.dependencies.systemSql, { tenantId, scopes: OPERATOR_SCOPES }),
  )
  const reply = await transfersOf(here.world, other).import(here.file, { subdomain })
  t.deepEqual(refusalOf(reply).slice(0, 2), [409, 'tenant.subdomain_taken'])
  t.is((await here.transfers.import(here.file, { subdomain })).json<ImportAnswer>().id, first.id)
})

test.serial('a file has neither deleted clients nor scopes of operators; nothing of an upload stays', async (t) => {
  const tenant = await here.world.addTenant()
  const clients = clientsOf(here.world, await here.world.tokenOf(tenant))
  const gone = await clients.created({ name: 'Deleted' })
  t.is((await clients.remove(gone.id)).status, 204)
  const { systemSql } = here.world.dependencies
  const strong = await addClient(systemSql, { tenantId: tenant.tenantId, scopes: ['dids:read', 'platform:write'] })
  const { id, state } = await here.transfers.exported(tenant.tenantId)
  t.is(state, 'DONE')
  const file = await here.transfers.content(tenant.tenantId, id)
  const rows = rowsOf(file, 'clients') as unknown as { id: string; scopes: string[] }[]
  t.false(rows.some((row) => row.id === gone.id))
  t.deepEqual(rows.find((row) => row.id === strong.clientId)?.scopes, ['dids:read'])
  t.deepEqual([...(rows.find((row) => row.id === tenant.clientId)?.scopes ?? [])].sort(), [...SCOPES].sort())
  const done = await here.transfers.imported(file)
  t.is(done.state, 'DONE', JSON.stringify(done.failure))
  t.deepEqual(await here.rows('select 1 from tenant_import_segments where import_id = $1', done.id), [])
})
