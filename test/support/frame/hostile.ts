import type { ExecutionContext } from 'ava'
import { type RawAsk, type RawReply, rawClient } from '../parts/raw.ts'
import { openWorld } from '../world.ts'
import { EXAMPLES } from './examples/index.ts'
import { makeSample, type Sample } from './examples/sample.ts'
import { areaOfToken, bodySchema, fill, isPublic, type Operation, synthesize } from './openapi.ts'
import { PLATFORM_PATHS } from './permissions.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Why an answer is no problem details of ours (specification, Errors; RFC 9457); undefined when it is. */
export function faultOf({ status, headers, text }: RawReply, expected: readonly number[] = []): string | undefined {
  const shown = `${status} ${text.slice(0, 200)}`
  if (status < 400 || status > 499) return `no refusal: ${shown}`
  if (expected.length > 0 && !expected.includes(status)) return `not ${expected.join(' or ')}: ${shown}`
  const type = headers['content-type'] ?? 'none'
  if (!/^application\/(problem\+)?json/.test(type)) return `${type}: ${shown}`
  const problem = JSON.parse(text) as Record<string, unknown>
  // wallets get errors of OAuth 2.0 with the same members
  if (type.startsWith('application/json') !== (typeof problem.error === 'string')) return `${type}: ${shown}`
  if (problem.status !== status || typeof problem.title !== 'string' || !problem.title) return `members: ${shown}`
  if (typeof problem.instance !== 'string' || !UUID.test(problem.instance)) return `instance: ${shown}`
  if (headers['x-request-id'] !== problem.instance) return `x-request-id ${headers['x-request-id']}: ${shown}`
  return undefined
}

/** A problem for a person at a browser: it names the request, and nobody can frame it. */
const isProblemPage = ({ status, headers, text }: RawReply): boolean =>
  status >= 400 &&
  status < 500 &&
  headers['content-type'] === 'text/html; charset=utf-8' &&
  /frame-ancestors 'none'/.test(String(headers['content-security-policy'])) &&
  text.includes(String(headers['x-request-id']))

/** A defined success passes; everything else must be a problem. */
export const faultUnlessSuccess = (reply: RawReply): string | undefined =>
  isProblemPage(reply) ||
  (reply.status >= 200 && reply.status < 400 && !reply.headers['content-type']?.includes('html'))
    ? undefined
    : faultOf(reply)

/** A world under attack, with one tenant's things in it and a look at the process' pulse. */
export async function openTarget() {
  const world = await openWorld()
  const client = rawClient(world.url)
  // what a tenant may turn on is attacked as well
  const settings = { fetchUnknownContexts: true, vcApi: true }
  await world.ask('/v1/settings', { method: 'PUT', token: world.token, body: settings })
  const sample: Sample = await makeSample(world, world.first)
  const pulse: number[] = []
  const heart = setInterval(async () => {
    const from = performance.now()
    const { status } = await client.ask({ path: '/health/live' }).catch(() => ({ status: 0 }))
    pulse.push(status === 200 ? performance.now() - from : Number.POSITIVE_INFINITY)
  }, 50)

  const pathOf = ({ operationId, path }: Operation): string => fill(path, EXAMPLES[operationId]?.path?.(sample) ?? {})

  /** Of the tenant's client, of an operator or of a person, as the operation's scope asks. */
  const tokenFor = (operation: Operation): string => {
    const area = areaOfToken(operation)
    if (area === 'platform' || (area === undefined && PLATFORM_PATHS.test(operation.path))) return sample.operatorToken
    return area === 'accounts' ? sample.personToken : sample.token
  }

  return {
    world,
    client,
    sample,
    tokenFor,
    pathOf,
    exampleBody: (operation: Operation): Record<string, unknown> =>
      EXAMPLES[operation.operationId]?.body?.(sample) ?? (synthesize(bodySchema(operation)) as Record<string, unknown>),
    /** One request to an operation: its own path and token, the rest as told. */
    attack: (operation: Operation, ask: Partial<RawAsk>): Promise<RawReply> =>
      client.ask({
        method: operation.method,
        path: pathOf(operation),
        ...(isPublic(operation) ? {} : { token: tokenFor(operation) }),
        ...ask,
      }),
    /** Attempts at passwords count no more: the examples find the account as it was, whatever was sent before. */
    forgetAttempts: () => world.dependencies.systemSql.query({ text: 'delete from account_attempts', values: [] }),
    /** A tenant has few trust lists, and an enforced one decides what verifies: the sample's stay, and decide nothing. */
    async forgetTrustLists(): Promise<void> {
      const { token, trustListId, spareTrustListId } = sample
      const lists = await world.ask('/v1/trust-lists?limit=100', { token })
      for (const { id } of lists.json<{ data: { id: string }[] }>().data) {
        const isSample = id === trustListId || id === spareTrustListId
        const change = isSample ? { method: 'PUT', body: { enforced: false } } : { method: 'DELETE' }
        await world.ask(`/v1/trust-lists/${id}`, { token, ...change })
      }
    },
    /** The process lives, and answered others while it was attacked. */
    checkPulse(t: ExecutionContext) {
      const sorted = [...pulse].sort((a, b) => a - b)
      const p95Ms = sorted[Math.floor(sorted.length * 0.95)] ?? Number.POSITIVE_INFINITY
      t.true(p95Ms < 500, `p95 of /health/live was ${p95Ms} ms in ${sorted.length} looks`)
      const longestMs = sorted.at(-1) ?? Number.POSITIVE_INFINITY
      t.true(longestMs < 5_000, `the slowest of /health/live took ${longestMs} ms`)
    },
    async close() {
      clearInterval(heart)
      client.close()
      await world.close()
    },
  }
}

export type Target = Awaited<ReturnType<typeof openTarget>>
