import test, { type ExecutionContext } from 'ava'
import { OPERATOR_SCOPES } from '../../../protocol/tokens-logs/index.ts'
import { addClient, addTenant } from '../../support/frame/tenants.ts'
import { openProcesses, type Processes } from '../../support/parts/processes.ts'
import { manyCredentials } from '../../support/transfers/rows.ts'
import { transfersOf } from '../../support/transfers/transfers.ts'
import { type Ask, send } from '../../support/world.ts'

let platform: Processes
const ask = (path: string, question: Ask = {}) => send(`${platform.url}${path}`, question)
test.before(async () => {
  platform = await openProcesses({ RATE_LIMIT_PER_MINUTE: '100000' })
})
test.after.always(() => platform?.close())

const MB = 1024 * 1024
const MOST_MS = 15 * 60_000

type Transfers = ReturnType<typeof transfersOf>

/** The most memory that API and worker had while so many credentials left and arrived. */
async function peaks(t: ExecutionContext, transfers: Transfers, credentials: number): Promise<number[]> {
  const { systemSql } = platform.dependencies
  const { tenantId } = await addTenant(systemSql)
  await manyCredentials(systemSql, tenantId, credentials)
  const most = [0, 0]
  const watch = setInterval(() => {
    for (const [at, bytes] of [platform.api.memoryBytes(), platform.worker.memoryBytes()].entries())
      most[at] = Math.max(most[at] ?? 0, bytes)
  }, 100)
  t.teardown(() => clearInterval(watch))
  const start = performance.now()
  const exported = await transfers.exported(tenantId)
  const written = performance.now()
  const file = await transfers.content(tenantId, exported.id)
  const downloaded = performance.now()
  const done = await transfers.imported(file)
  const imported = performance.now()
  clearInterval(watch)
  t.is(done.state, 'DONE', JSON.stringify(done.failure))
  t.is(done.counts.find(({ kind }) => kind === 'credentials')?.rows, credentials)
  const [api = 0, worker = 0] = most.map((bytes) => Math.round(bytes / MB))
  t.log(
    `${credentials} credentials: export ${Math.round(written - start)} ms, download ${Math.round(downloaded - written)} ms of ${file.length} bytes, import ${Math.round(imported - downloaded)} ms; the API had ${api} MB, the worker ${worker} MB`,
  )
  return [api, worker]
}

test.serial('four times as many credentials leave and arrive in the same memory', async (t) => {
  const { systemSql } = platform.dependencies
  const { tenantId: first } = platform.first
  const { clientId, clientSecret } = await addClient(systemSql, { tenantId: first, scopes: OPERATOR_SCOPES })
  const reply = await ask('/v1/auth/token', { body: { clientId, clientSecret, grantType: 'client_credentials' } })
  const { access_token: token } = reply.json<{ access_token: string }>()
  const transfers = transfersOf({ ask, url: platform.url }, token, MOST_MS)
  const few = await peaks(t, transfers, 15_000)
  const many = await peaks(t, transfers, 60_000)
  // what threads and buffers take comes with the first ones
  for (const [at, peak] of many.entries()) t.true(peak - (few[at] ?? 0) < 100, `${few[at]} MB, then ${peak} MB`)
})
