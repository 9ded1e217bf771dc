import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { logActivities } from '../../activities/tokens-logs/logs/index.ts'
import { connected } from './stack/backup.ts'
import type { World } from './world.ts'

export interface Verdict {
  intact: boolean
  complete: boolean
  checked: { from: number; to: number }
  fault: { kind: string; position: number | null; id: string | null } | null
  next: number | null
  signedTo: number | null
  keptHead: string | null
  waiting: number
}

const INSERT = `insert into logs (id, tenant_id, category, type, timestamp, request_id, data, metadata, object_ids)
select gen_random_uuid(), $1, 'did', 'DID_CREATE_SUCCESS', clock_timestamp() + n * interval '1 microsecond', gen_random_uuid(),
  '{}', json_build_object('clientId', $1::uuid, 'n', n), array[gen_random_uuid()] from generate_series(1, $2) as n`

/** What the tests of the log's chain do to a tenant's log. */
export function logsOf(world: World) {
  const { systemSql } = world.dependencies
  const ask = async <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
    (await systemSql.query<Row>({ text, values })).rows

  const write = (tenantId: string, entries: number) => ask(INSERT, [tenantId, entries])
  const settle = async () => {
    for (let more = true; more; ) {
      const [row] = await ask<{ settled: number }>('select chain_log_entries(1000) as settled')
      more = row?.settled === 1000 || row?.settled === -1
    }
  }

  return {
    ask,
    write,
    settle,
    /** The scheduled work at a time. */
    activitiesAt: (at: Date) => logActivities({ ...world.dependencies, now: () => at }),
    sign: () => logActivities(world.dependencies).signLogHeads({ keyId: randomUUID() }),

    /** A tenant with so many entries. */
    async tenantWith(entries: number) {
      const client = await world.addTenant()
      const token = await world.tokenOf(client)
      // the API has written the entry of the token
      const written = 'select id from logs where tenant_id = $1'
      while ((await ask(written, [client.tenantId])).length < 1) await setTimeout(20)
      await write(client.tenantId, entries - 1)
      return { ...client, token }
    },

    async verify(token: string, body: object = {}): Promise<Verdict> {
      const reply = await world.ask('/v1/analytics/verify', { token, body })
      if (reply.status !== 200) throw new Error(reply.text)
      return reply.json<Verdict & Record<string, unknown>>()
    },

    /** As somebody who has the whole database: no right, no policy and no trigger holds. */
    attack: (text: string, values: unknown[] = []) =>
      connected(world.superuserUrl, async (client) => {
        await client.query('set session_replication_role = replica')
        return (await client.query(text, values)).rows
      }),
  }
}

export type Logs = ReturnType<typeof logsOf>
