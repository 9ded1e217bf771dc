import { randomUUID } from 'node:crypto'
import type { Client, World } from '../world.ts'
import { type Database, RETENTION } from './erasures.ts'

export const keepFor = (world: World, token: string, body: object) =>
  world.ask(RETENTION, { method: 'PUT', token, body })

export const readKept = async (world: World, token: string) =>
  (await world.ask(RETENTION, { token })).json<Record<string, unknown>>()

/** A tenant of its own, with a token that may do everything. */
export async function addNewTenant(world: World) {
  const client = await world.addTenant()
  return { ...client, token: await world.tokenOf(client) }
}

/** A session that ended so many days ago; null: one that is under way. */
export async function addSessionOf(
  database: Database,
  { tenantId }: Pick<Client, 'tenantId'>,
  userId: string | null,
  endedDays: number | null,
): Promise<string> {
  const id = randomUUID()
  await database.rows(
    `insert into openid_sessions (id, tenant_id, user_id, grant_type, state, steps, request_id, client_id, ends_at, ended_at)
     values ($1, $2, $3, 'pre-authorized_code', $5, '[]', $1, 'c', now(), now() - make_interval(days => $4))`,
    ...[id, tenantId, userId, endedDays, endedDays === null ? 'OFFERED' : 'COMPLETED'],
  )
  return id
}
