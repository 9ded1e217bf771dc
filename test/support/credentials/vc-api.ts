import type { Reply, World } from '../world.ts'

export type Json = Record<string, unknown>

export const vcApiSettings = (world: World, vcApi: boolean, token = world.token): Promise<Reply> =>
  world.ask('/v1/settings', { method: 'PUT', token, body: { fetchUnknownContexts: true, vcApi } })

/** An empty token asks without one. */
export const vcApi = (world: World, path: string, body: unknown, token = world.token): Promise<Reply> =>
  world.ask(`/vc-api/${path}`, { body, ...(token && { token }) })

export async function vcApiIssue(
  world: World,
  credential: Json,
  options: Json = {},
  path = 'credentials/issue',
): Promise<Json> {
  const reply = await vcApi(world, path, { credential, options })
  if (reply.status !== 201) throw new Error(reply.text)
  return reply.json<{ verifiableCredential: Json }>().verifiableCredential
}

/** Of a problem, and of each of its errors. */
export function codesOf(text: string): string[] {
  const { type, errors = [] } = JSON.parse(text) as { type: string; errors?: { code: string; path: string }[] }
  return [type.replace('/problems#', ''), ...errors.map(({ code }) => code)]
}

/** Where the errors of a problem lie in the request. */
export const pathsOf = (text: string): string[] =>
  (JSON.parse(text) as { errors?: { path: string }[] }).errors?.map(({ path }) => path) ?? []
