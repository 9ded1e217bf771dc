import type { World } from '../world.ts'
import { RETENTION } from './erasures.ts'

export const keepFor = (world: World, token: string, body: object) =>
  world.ask(RETENTION, { method: 'PUT', token, body })

export const readKept = async (world: World, token: string) =>
  (await world.ask(RETENTION, { token })).json<Record<string, unknown>>()

/** A tenant of its own, with a token that may do everything. */
export async function addNewTenant(world: World) {
  const client = await world.addTenant()
  return { ...client, token: await world.tokenOf(client) }
}
