import { setTimeout as wait } from 'node:timers/promises'
import test from 'ava'
import { OPERATOR_SCOPES } from '../../../protocol/tokens-logs/index.ts'
import { newSubdomain } from '../../support/administration.ts'
import { until } from '../../support/credentials/dids.ts'
import { addClient, addTenant } from '../../support/frame/tenants.ts'
import { openProcesses, type Processes } from '../../support/parts/processes.ts'
import { sampled, thoroughly } from '../../support/parts/thorough.ts'
import { manyCredentials } from '../../support/transfers/rows.ts'
import { fileOf, type ImportAnswer, linesOf, transfersOf } from '../../support/transfers/transfers.ts'
import { type Ask, send } from '../../support/world.ts'

let platform: Processes
let transfers: ReturnType<typeof transfersOf>
let tenantId: string
const ask = (path: string, question: Ask = {}) => send(`${platform.url}${path}`, question)

const CREDENTIALS = 3_000

test.before(async () => {
  platform = await openProcesses({ RATE_LIMIT_PER_MINUTE: '100000' })
  const { systemSql } = platform.dependencies
  const { clientId, clientSecret } = await addClient(systemSql, {
    tenantId: platform.first.tenantId,
    scopes: OPERATOR_SCOPES,
  })
  const reply = await ask('/v1/auth/token', { body: { clientId, clientSecret, grantType: 'client_credentials' } })
  transfers = transfersOf({ ask, url: platform.url }, reply.json<{ access_token: string }>().access_token)
  tenantId = (await addTenant(systemSql)).tenantId
  await manyCredentials(systemSql, tenantId, CREDENTIALS)
})
test.after.always(() => platform?.close())

const rows = async <Row extends object>(text: string, ...values: unknown[]): Promise<Row[]> =>
  (await platform.dependencies.systemSql.query<Row>({ text, values })).rows

async function restart(): Promise<void> {
  await platform.worker.kill()
  await platform.worker.start()
}

const countOf = async (id: string) =>
  (await rows<{ count: number }>('select count(*)::int as count from credentials where tenant_id = $1', id))[0]?.count

for (const afterMs of sampled([0, 200, 600], 1))
  test.serial(
    `kill -9 of the worker ${afterMs} ms after an export was asked for: the file has each row once`,
    async (t) => {
      const { id } = (await transfers.create(tenantId)).json<{ id: string }>()
      await wait(afterMs)
      await restart()
      const ended = await transfers.ended(tenantId, id)
      t.is(ended.state, 'DONE')
      const lines = linesOf(await transfers.content(tenantId, id))
      t.is(lines.length, ended.lines)
      t.is(new Set(lines).size, lines.length)
      t.is(lines.filter((line) => line.startsWith('{"kind":"credentials"')).length, CREDENTIALS)
    },
  )

const fileAndSubdomain = async () => {
  const { id } = await transfers.exported(tenantId)
  return { file: await transfers.content(tenantId, id), subdomain: newSubdomain() }
}

for (const step of sampled(['CHECKING', 'WRITING'] as const, 1))
  test.serial(`kill -9 of the worker while an import is ${step}: the tenant has each row once`, async (t) => {
    const { file, subdomain } = await fileAndSubdomain()
    const { id, tenantId: made } = (await transfers.import(file, { subdomain })).json<ImportAnswer>()
    await until(step, async () => {
      const { state, lines } = (await transfers.readImport(id)).json<ImportAnswer>()
      return state === 'DONE' || (state === step && (step === 'CHECKING' || lines > 0))
    })
    await restart()
    await until('the end', async () => (await transfers.readImport(id)).json<ImportAnswer>().state === 'DONE', 120_000)
    t.is(await countOf(made), CREDENTIALS)
    // that of the tenant, and the first client of the import
    t.is((await rows('select 1 from oauth2_clients where tenant_id = $1', made)).length, 2)
    const entries = `select 1 from logs where type = 'TENANT_IMPORT_SUCCESS' and metadata ->> 'id' = $1`
    t.is((await rows(entries, id)).length, 1)
  })

thoroughly('kill -9 of the worker while a failed import is undone: nothing of the tenant stays', async (t) => {
  const { file, subdomain } = await fileAndSubdomain()
  const lines = linesOf(file)
  const last = lines.findLastIndex((line) => line.startsWith('{"kind":"credentials"'))
  const { kind, row } = JSON.parse(lines[last] ?? '') as { kind: string; row: object }
  lines[last] = JSON.stringify({ kind, row: { ...row, statusListId: crypto.randomUUID(), statusIndex: 1 } })
  const { id, tenantId: made } = (await transfers.import(fileOf(lines), { subdomain })).json<ImportAnswer>()
  await until(
    'its failure',
    async () => (await transfers.readImport(id)).json<ImportAnswer>().state === 'FAILED',
    120_000,
  )
  await restart()
  await until(
    'the end of the tenant',
    async () => (await rows('select 1 from tenants where id = $1', made)).length === 0,
    120_000,
  )
  t.is(await countOf(made), 0)
})
