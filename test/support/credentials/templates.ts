import type { Reply, World } from '../world.ts'

export const TEMPLATES = '/v1/credentials/web-semantic/configurations'

export interface Template {
  id: string
  version: number
  name: string
  type: string
  contexts?: unknown
}

/** A template whose terms its own contexts define. */
export const course = (more: Record<string, unknown> = {}) => ({
  name: 'Course certificate',
  type: 'CourseCredential',
  additional_types: [],
  contexts: ['https://www.w3.org/ns/credentials/v2', { '@vocab': 'https://example.edu/terms#' }],
  issuer: { name: 'Example University' },
  revocable: false,
  ...more,
})

export async function createTemplate(
  world: World,
  more: Record<string, unknown> = {},
  token = world.token,
): Promise<Template> {
  const reply = await world.ask(TEMPLATES, { token, body: course(more) })
  if (reply.status !== 200) throw new Error(`no template: ${reply.text}`)
  return reply.json<Template>()
}

/** The code of a refusal that has the status, or what came in its place. */
export function refusal(reply: Reply, status: number): string {
  if (reply.status !== status) return `${reply.status} ${reply.text}`
  return reply.json<{ type: string }>().type.replace('/problems#', '')
}
