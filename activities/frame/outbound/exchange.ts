import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { SecureContext } from 'node:tls'
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent'
import { Refusal, Unavailable } from '../../../protocol/errors.ts'
import { notCalled, type ResolvedAddress } from './dns.ts'
import { OutboundFault } from './faults.ts'
import type { OutboundTarget } from './url.ts'

export interface Exchange {
  target: OutboundTarget
  /** Checked addresses: the connection goes to one of these and to no other. */
  addresses: ResolvedAddress[]
  /** Those of `addresses` that are not public, but allowed by configuration. */
  exempt: string[]
  method: string
  headers: Record<string, string>
  body: string | Uint8Array | undefined
  maxBytes: number
  /** Whether an answer above `maxBytes` is refused, or cut there. */
  whenTooLarge: 'refuse' | 'cut'
  /** The status alone is asked for: a redirect and an encoded body are answers as well. */
  statusOnly: boolean
  secureContext: SecureContext
  signal: AbortSignal
}

export interface OutboundResponse {
  status: number
  /** Lower-case names; repeated headers are joined with a comma. */
  headers: Record<string, string>
  body: Buffer
  /** Address that answered. */
  finalAddress: string
}

const MAX_HEADER_BYTES = 16 * 1024

const flatten = (headers: IncomingHttpHeaders): Record<string, string> => {
  const flat: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) flat[name] = [value].flat().join(', ')
  return flat
}

/** Certificate and handshake failures of Node and OpenSSL, for which a retry does not help. */
const TLS_CODE = /^(ERR_TLS|ERR_SSL|EPROTO)|CERT|SIGNATURE|CRL/

function explain(error: Error, host: string): Error {
  if (error instanceof Refusal || error instanceof Unavailable) return error
  const code = 'code' in error ? String(error.code) : 'unknown'
  if (error.message.includes('is not allowed')) return notCalled(host, 'the agent found an address that is not public')
  if (TLS_CODE.test(code))
    return new Refusal('outbound.tls', `The TLS connection to ${host} is not trustworthy: ${code}.`)
  if (code === 'HPE_HEADER_OVERFLOW')
    return new Refusal('outbound.too_large', `The headers in the answer of ${host} are too large.`)
  if (code.startsWith('HPE_'))
    return new Refusal('outbound.bad_answer', `${host} does not answer with valid HTTP: ${code}.`)
  return new OutboundFault('connection', `The connection to ${host} failed: ${code}.`)
}

/** Reads at most `maxBytes` of the body; the rest is never read. */
async function readBody(response: IncomingMessage, { maxBytes, whenTooLarge, target }: Exchange): Promise<Buffer> {
  const tooLarge = () =>
    new Refusal('outbound.too_large', `The answer of ${target.host} is larger than ${maxBytes} bytes.`)
  if (whenTooLarge === 'refuse' && Number(response.headers['content-length'] ?? 0) > maxBytes) throw tooLarge()
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    chunks.push(chunk)
    size += chunk.length
    if (size <= maxBytes) continue
    if (whenTooLarge === 'refuse') throw tooLarge()
    break
  }
  return Buffer.concat(chunks).subarray(0, maxBytes)
}

async function readAnswer(response: IncomingMessage, exchange: Exchange): Promise<OutboundResponse> {
  const { host } = exchange.target
  const status = response.statusCode ?? 0
  if (!exchange.statusOnly && status >= 300 && status < 400 && status !== 304) {
    throw new Refusal(
      'outbound.redirected',
      `${host} answered with a redirect (${status}); redirects are not followed.`,
    )
  }
  const encoding = response.headers['content-encoding'] ?? 'identity'
  if (!exchange.statusOnly && encoding.toLowerCase() !== 'identity') {
    throw new Refusal('outbound.bad_answer', `${host} compressed its answer, which the request did not allow.`)
  }
  const finalAddress = response.socket.remoteAddress ?? ''
  return { status, headers: flatten(response.headers), body: await readBody(response, exchange), finalAddress }
}

/** Looks at every address again when the socket is made: a second fence behind our own check. */
function filteringAgent({ target, exempt, secureContext }: Exchange) {
  const common = { allowIPAddressList: exempt, keepAlive: false }
  if (!target.isSecure) return new RequestFilteringHttpAgent(common)
  return new RequestFilteringHttpsAgent({ ...common, maxCachedSessions: 0, secureContext, rejectUnauthorized: true })
}

/** One request on one fresh connection. Throws `Refusal('outbound.…')` or `Unavailable('outbound')`. */
export function exchangeOnce(exchange: Exchange): Promise<OutboundResponse> {
  const { target, addresses, method, headers, body, signal } = exchange
  return new Promise((resolve, reject) => {
    const outgoing = (target.isSecure ? httpsRequest : httpRequest)({
      host: target.host,
      ...(target.isSecure && { servername: target.isAddress ? '' : target.host }),
      port: target.port,
      path: target.url.pathname + target.url.search,
      method,
      headers: { ...headers, host: target.url.host },
      maxHeaderSize: MAX_HEADER_BYTES,
      agent: filteringAgent(exchange),
      lookup: (_name, options, done) => {
        const [first] = addresses
        if (options.all) done(null, addresses)
        else if (first) done(null, first.address, first.family)
      },
    })
    const settle = (finish: () => void) => {
      signal.removeEventListener('abort', abort)
      finish()
      outgoing.destroy()
    }
    const fail = (error: unknown) =>
      settle(() =>
        reject(signal.aborted ? signal.reason : error instanceof Error ? explain(error, target.host) : error),
      )
    const abort = () => fail(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    outgoing.on('error', fail)
    outgoing.on('close', () =>
      fail(new OutboundFault('connection', `${target.host} closed the connection without an answer.`)),
    )
    outgoing.on('response', (response) => {
      readAnswer(response, exchange).then((answer) => settle(() => resolve(answer)), fail)
    })
    outgoing.end(body)
    if (signal.aborted) abort()
  })
}
