import type { ClaimSource } from '../../entities/claim-sources.ts'
import { queryOf } from '../../protocol/claim-sources/parameters.ts'
import { Refusal } from '../../protocol/errors.ts'
import { parseJson } from '../../protocol/json.strict.ts'
import { isObject, type Json } from '../../protocol/json.ts'
import { OutboundFault } from '../frame/outbound/faults.ts'
import type { Outbound, OutboundRequest, OutboundResponse } from '../frame/outbound/index.ts'
import { MAX_URL } from '../frame/outbound/url.ts'
import { CallFailed, mayPass, named } from './failures.ts'
import type { OpenAuthorization } from './records.ts'
import type { TokenSource } from './tokens.ts'

/** A source, and what it is asked for one subject. */
export interface SourceCall {
  source: Pick<ClaimSource, 'id' | 'url' | 'requestMethod' | 'secret'>
  authorization: OpenAuthorization | null
  parameters: Readonly<Record<string, unknown>>
  timeoutMs: number
}

/** Of an answer. */
const MAX_BYTES = 256 * 1024
/** Of the parameters in a body. */
const MAX_BODY = 64 * 1024

const JSON_TYPE = /^application\/([\w.-]+\+)?json\s*(;|$)/i
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const failed = (code: string, reason: string, more: { responseCode?: number; mayPass?: boolean } = {}) =>
  new CallFailed('claim_source', { code, reason, mayPass: false, ...more })

function requestOf({ source, parameters }: SourceCall): Pick<OutboundRequest, 'url' | 'method' | 'body'> {
  const { url, requestMethod } = source
  if (requestMethod === 'POST') {
    const body = JSON.stringify(parameters)
    if (Buffer.byteLength(body) > MAX_BODY) throw failed('too_long', `the body is larger than ${MAX_BODY} bytes`)
    return { url, method: 'POST', body }
  }
  const query = queryOf(parameters)
  const called = query === '' ? url : `${url}?${query}`
  if (called.length > MAX_URL)
    throw failed('too_long', `the URL with its query is longer than ${MAX_URL} characters; use POST`)
  return { url: called, method: 'GET' }
}

/** The claims of an answer: one JSON object that every reader reads alike. */
function claimsOf({ status, headers, body }: OutboundResponse): Json {
  if (status < 200 || status > 299)
    throw failed('answer', `answered ${status}`, { responseCode: status, mayPass: mayPass(status) })
  const responseCode = { responseCode: status }
  if (!JSON_TYPE.test(headers['content-type'] ?? ''))
    throw failed('not_json', 'the Content-Type of the answer is not application/json', responseCode)
  let value: unknown
  try {
    value = parseJson(UTF8.decode(body))
  } catch (error) {
    const rule = error instanceof Refusal ? error.code.replace(/^request\./, '') : 'not_utf8'
    throw failed('not_json', `the answer is not JSON that can be used: ${rule}`, responseCode)
  }
  if (!isObject(value)) throw failed('not_object', 'the answer is JSON, but no object', responseCode)
  return value
}

/** Makes one attempt to call a claim source. Throws `CallFailed`. */
export function createSourceCall({ outbound, tokens }: { outbound: Outbound; tokens: TokenSource }) {
  async function authorized(call: SourceCall, remainingMs: () => number): Promise<Record<string, string>> {
    const { authorization } = call
    if (!authorization) return {}
    const { terms, secret } = authorization
    if (terms.kind === 'ApiKey') return { [terms.header]: secret }
    const asked = { key: keyOf(call), terms, secret, timeoutMs: remainingMs() }
    const token = await named('token_endpoint', () => tokens.tokenFor(asked))
    return { authorization: `Bearer ${token}` }
  }

  async function ask(call: SourceCall, remainingMs: () => number): Promise<OutboundResponse> {
    const request = requestOf(call)
    const headers = await authorized(call, remainingMs)
    const type: Record<string, string> = request.body === undefined ? {} : { 'content-type': 'application/json' }
    return named('claim_source', () =>
      outbound.fetch({
        ...request,
        headers: { ...type, ...headers },
        accept: 'application/json',
        maxBytes: MAX_BYTES,
        timeoutMs: remainingMs(),
      }),
    )
  }

  return async (call: SourceCall): Promise<Json> => {
    const until = performance.now() + call.timeoutMs
    const remainingMs = () => {
      const left = Math.ceil(until - performance.now())
      if (left > 0) return left
      throw new OutboundFault('timeout', 'The claim source did not answer in time.')
    }
    return named('claim_source', async () => {
      const answer = await ask(call, remainingMs)
      // a token from the cache may have been revoked since
      const isRefused = answer.status === 401 && tokens.forget(keyOf(call))
      return claimsOf(isRefused ? await ask(call, remainingMs) : answer)
    })
  }
}

/** The nonce of the sealed secret is a new one for each secret. */
const keyOf = ({ source, authorization }: SourceCall): string =>
  JSON.stringify([source.id, source.secret?.subarray(0, 12).toString('base64'), authorization?.terms])
