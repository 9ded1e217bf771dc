import type { World } from '../world.ts'

export interface Readiness {
  status: string
  parts: Record<string, 'up' | 'down'>
}

export const readiness = async (world: World) => {
  const reply = await world.ask('/health/ready')
  return { code: reply.status, ...reply.json<Readiness>() }
}
