import { setTimeout as wait } from 'node:timers/promises'
import type { Reply, World as WholeWorld } from '../world.ts'

type World = Pick<WholeWorld, 'ask' | 'token'>

export interface Batch {
  id: string
  status: string
  template_id?: string
  template_version?: number
  total: number
  signed: number
  failed: number
  pending: number
  rows_per_second?: number
  paused?: { code: string; message: string }
  waiting?: { part: string; since: string }
  revocation?: { status: string; revoked: number }
}

export const BATCHES = '/v1/credentials/batches'
export const COURSE = JSON.stringify({
  course: 'https://schema.org/courseCode',
  grade: 'https://schema.org/gradeLevel',
})

export const query = (options: Record<string, string | string[]>): string =>
  `?${new URLSearchParams(Object.entries(options).flatMap(([name, value]) => [value].flat().map((one): [string, string] => [name, one])))}`

export interface Posting {
  token?: string
  type?: string
  headers?: Record<string, string>
}

export function post(
  world: World,
  raw: string | Uint8Array<ArrayBuffer> | ReadableStream,
  options: Record<string, string | string[]> = {},
  { token = world.token, type = 'application/x-ndjson', headers = {} }: Posting = {},
): Promise<Reply> {
  return world.ask(`${BATCHES}${query(options)}`, { token, raw, headers: { 'content-type': type, ...headers } })
}

export async function create(
  world: World,
  ...[raw, options, posting]: Parameters<typeof post> extends [World, ...infer R] ? R : never
) {
  const reply = await post(world, raw, options, posting)
  if (reply.status !== 201) throw new Error(`no batch: ${reply.text}`)
  return reply.json<Batch>()
}

export async function read(world: World, id: string, token = world.token): Promise<Batch> {
  const reply = await world.ask(`${BATCHES}/${id}`, { token })
  if (reply.status !== 200) throw new Error(`no batch: ${reply.text}`)
  return reply.json<Batch>()
}

/** The batch once it is so; throws with its last state after `limitMs`. */
export async function until(world: World, id: string, so: (batch: Batch) => boolean, limitMs = 20_000): Promise<Batch> {
  const end = Date.now() + limitMs
  for (;;) {
    const batch = await read(world, id)
    if (so(batch)) return batch
    if (Date.now() > end) throw new Error(`not in ${limitMs} ms: ${JSON.stringify(batch)}`)
    await wait(50)
  }
}

export const steer = async (world: World, id: string, verb: string, token = world.token): Promise<Reply> =>
  world.ask(`${BATCHES}/${id}/${verb}`, { token, method: 'POST' })

export interface Result {
  row: number
  id: string
  credential: Record<string, unknown>
}

export interface RowError {
  row: number
  field: string
  code: string
  rule: string
  message: string
}

export const linesOf = <T>(text: string): T[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T)

export async function results(world: World, id: string, after = 0, token = world.token): Promise<Result[]> {
  const reply = await world.ask(`${BATCHES}/${id}/results?after=${after}`, { token })
  if (reply.status !== 200) throw new Error(`no results: ${reply.text}`)
  return linesOf<Result>(reply.text)
}

export async function errors(world: World, id: string): Promise<RowError[]> {
  return linesOf<RowError>((await world.ask(`${BATCHES}/${id}/errors`, { token: world.token })).text)
}

/** JSON lines of rows whose claims the options' contexts define. */
export const lines = (count: number, more: (row: number) => Record<string, unknown> = () => ({})): string =>
  Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      payload: { credentialSubject: { id: `did:example:holder-${index + 1}`, course: `C-${index + 1}` } },
      ...more(index + 1),
    }),
  ).join('\n')

/** JSON lines of claims for a template. */
export const claimLines = (count: number, more: (row: number) => Record<string, unknown> = () => ({})): string =>
  Array.from({ length: count }, (_, index) =>
    JSON.stringify({ claims: { id: `did:example:holder-${index + 1}`, course: `C-${index + 1}` }, ...more(index + 1) }),
  ).join('\n')
