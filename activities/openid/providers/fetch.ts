import type { CustomFetch } from 'openid-client'
import { Refusal } from '../../../protocol/errors.ts'
import { jsonDepth } from '../../../protocol/json.depth.ts'
import type { Outbound, OutboundRequest } from '../../frame/outbound/index.ts'

/** Of metadata, key sets, tokens and claims. */
const MAX_BYTES = 256 * 1024
const MAX_DEPTH = 32

/** Statuses whose response has no body (Fetch, null body status). */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304])

const METHODS: Readonly<Record<string, 'GET' | 'POST'>> = { GET: 'GET', POST: 'POST' }

const bodyOf = (body: unknown): Pick<OutboundRequest, 'body'> => {
  if (body === undefined || body === null) return {}
  if (typeof body === 'string') return { body }
  if (body instanceof URLSearchParams) return { body: body.toString() }
  throw new Error('openid-client sends a body of a kind that it did not send before')
}

/**
 * The network of openid-client: every call goes through the rules of outbound calls, with their addresses, limits and
 * times. Throws what they throw, and `Refusal('outbound.bad_answer')` for JSON that is nested too deeply.
 */
export const createFetch =
  (outbound: Outbound): CustomFetch =>
  async (url, { method, headers, body, signal }) => {
    const known = METHODS[method]
    if (!known) throw new Error(`openid-client sends ${method}, which it did not do before`)
    const { 'user-agent': _library, ...sent } = headers
    const request = { url, method: known, headers: sent, maxBytes: MAX_BYTES, ...(signal && { signal }) }
    const answer = await outbound.fetch({ ...request, ...bodyOf(body) })
    if (jsonDepth(answer.body.toString('latin1')) > MAX_DEPTH)
      throw new Refusal('outbound.bad_answer', `The answer of ${new URL(url).host} is nested too deeply.`)
    const { status } = answer
    const content = WITHOUT_BODY.has(status) ? null : new Uint8Array(answer.body)
    return new Response(content, { status: status < 200 ? 502 : status, headers: answer.headers })
  }
