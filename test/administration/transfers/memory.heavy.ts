import test from 'ava'
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

test.serial(
  '20,000 credentials leave and arrive, and neither the API nor the worker grows by more than 150 MB',
  async (t) => {
    const { systemSql } = platform.dependencies
    const { tenantId: first } = platform.first
    const { clientId, clientSecret } = await addClient(systemSql, { tenantId: first, scopes: OPERATOR_SCOPES })
    const reply = await ask('/v1/auth/token', { body: { clientId, clientSecret, grantType: 'client_credentials' } })
    const { access_token: token } = reply.json<{ access_token: string }>()
    const transfers = transfersOf({ ask, url: platform.url }, token)
    const small = await addTenant(systemSql)
    await transfers.exported(small.tenantId) // what is loaded at the first use is no growth
    const { tenantId } = await addTenant(systemSql)
    await manyCredentials(systemSql, tenantId, 20_000)
    const before = [platform.api.memoryBytes(), platform.worker.memoryBytes()]
    const most = [...before]
    const watch = setInterval(() => {
      for (const [at, bytes] of [platform.api.memoryBytes(), platform.worker.memoryBytes()].entries())
        most[at] = Math.max(most[at] ?? 0, bytes)
    }, 100)
    const start = performance.now()
    const exported = await transfers.exported(tenantId)
    const written = performance.now()
    const file = await transfers.content(tenantId, exported.id)
    const downloaded = performance.now()
    const done = await transfers.imported(file)
    const imported = performance.now()
    clearInterval(watch)
    t.is(done.state, 'DONE', JSON.stringify(done.failure))
    t.is(done.counts.find(({ kind }) => kind === 'credentials')?.rows, 20_000)
    const grown = most.map((bytes, at) => Math.round((bytes - (before[at] ?? 0)) / MB))
    t.log(
      `export ${Math.round(written - start)} ms, download ${Math.round(downloaded - written)} ms of ${file.length} bytes, import ${Math.round(imported - downloaded)} ms; the API grew by ${grown[0]} MB, the worker by ${grown[1]} MB`,
    )
    for (const each of grown) t.true(each < 150, `${each} MB`)
  },
)
