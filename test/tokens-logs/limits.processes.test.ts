import { randomUUID } from 'node:crypto'
import test from 'ava'
import { openProcesses } from '../support/parts/processes.ts'
import { rawClient } from '../support/parts/raw.ts'

const LIMIT = 60

test('limits by address and by client id hold over two processes, whatever a caller writes into headers (D-005)', async (t) => {
  t.timeout(300_000)
  const platform = await openProcesses({ API_PROCESSES: '2', TOKEN_RATE_LIMIT_PER_MINUTE: String(LIMIT) })
  const client = rawClient(platform.url, 12)
  t.teardown(async () => {
    client.close()
    await platform.close()
  })
  const ask = async (clientId: string, clientSecret: string, nth: number) => {
    const body = JSON.stringify({ clientId, clientSecret, grantType: 'client_credentials' })
    const headers = { 'x-forwarded-for': `192.0.2.${nth}`, forwarded: `for=192.0.2.${nth}` }
    return (await client.ask({ method: 'POST', path: '/v1/auth/token', body, headers })).status
  }
  const { clientId, clientSecret } = platform.first
  const begun = Date.now()
  const statuses = await Promise.all(Array.from({ length: 3 * LIMIT }, (_, nth) => ask(randomUUID(), 'wrong', nth)))
  t.true(Date.now() - begun < 55_000, 'in one window')
  t.deepEqual(new Set(statuses), new Set([401, 429]))
  t.is(statuses.filter((status) => status === 401).length, LIMIT)
  t.is(await ask(clientId, 'wrong', 1), 429)
  const right = await Promise.all(Array.from({ length: 20 }, (_, nth) => ask(clientId, clientSecret, nth)))
  t.deepEqual(new Set(right), new Set([200]), 'a right secret')
})
