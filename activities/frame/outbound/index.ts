import { readFileSync } from 'node:fs'
import { createSecureContext, getCACertificates } from 'node:tls'
import type { OutboundConfig } from '../../../config.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { inRanges, isPublic, parseRanges } from '../../../protocol/hosts/addresses.ts'
import type { ReadBudget } from './budget.ts'
import { createResolveName, isLocalhost, LOCALHOST, notCalled, notPublic, type ResolvedAddress } from './dns.ts'
import { exchangeOnce, type OutboundResponse } from './exchange.ts'
import { OutboundFault } from './faults.ts'
import { createHostSlots } from './slots.ts'
import { type OutboundTarget, parseTarget } from './url.ts'

export type { OutboundResponse } from './exchange.ts'

export interface OutboundRequest {
  url: string
  /** By default GET. */
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  headers?: Record<string, string>
  body?: string | Uint8Array
  /** Value of the Accept header. */
  accept?: string
  /** Most bytes of the answer's body; by default as configured. */
  maxBytes?: number
  /** Whether a larger answer is refused (default) or cut there. */
  whenTooLarge?: 'refuse' | 'cut'
  /** Only the status matters: a redirect, which is not followed, and an encoded body are answers as well. */
  statusOnly?: boolean
  /** Milliseconds for queue, DNS, connection and the whole answer; by default as configured. */
  timeoutMs?: number
  signal?: AbortSignal
  /** The tenant whose caller chose what is read: it counts for the tenant's budget at the host. */
  readFor?: string
}

/** The only client for calls to hosts outside of the platform. */
export interface Outbound {
  /**
   * Calls an https URL at a public address. Any status but a redirect is an answer. Throws
   * `Refusal('outbound.invalid_url' | 'outbound.not_https' | 'outbound.port' | 'outbound.blocked' |
   * 'outbound.redirected' | 'outbound.tls' | 'outbound.too_large' | 'outbound.bad_answer' |
   * 'outbound.invalid_request')` for what the rules forbid, `Unavailable('outbound')` where a retry may succeed: no
   * public address of a name, no connection, no answer in time. Throws `Exhausted('outbound')`, and calls nobody, where
   * the tenant of `readFor` has read too much of the host.
   */
  fetch(request: OutboundRequest): Promise<OutboundResponse>
}

export interface OutboundLog {
  warn(fields: { host: string; port: number; code: string; reason?: string }, message: string): void
}

const SLOTS = { perHost: 8, waiting: 256 }
/** Addresses of one name that are tried in turn. */
const TRIED_ADDRESSES = 4

const header = (name: string, value: string | undefined) => (value === undefined ? {} : { [name]: value })

/** Headers for framing and routing, which callers must not set. */
const OURS = new Set([
  'host',
  'connection',
  'transfer-encoding',
  'content-length',
  'accept-encoding',
  'upgrade',
  'te',
  'expect',
])

function requestHeaders({ headers = {}, accept, body }: OutboundRequest): Record<string, string> {
  for (const [name, value] of Object.entries(headers)) {
    if (
      OURS.has(name.toLowerCase()) ||
      !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) ||
      /[^\t\x20-\x7e\x80-\xff]/.test(value)
    ) {
      throw new Refusal('outbound.invalid_request', 'A header of the outbound request is not allowed.')
    }
  }
  return {
    'user-agent': 'countersign',
    'accept-encoding': 'identity',
    ...header('accept', accept),
    ...headers,
    ...header('content-length', body === undefined ? undefined : String(Buffer.byteLength(body))),
  }
}

export interface OutboundOptions {
  log?: OutboundLog
  /** Concurrent calls to one host, and callers that wait for them. */
  slots?: typeof SLOTS
  /** Calls http URLs as well: for local trials. */
  plainHttp?: boolean
  /** What is read for tenants; by default nothing limits it. */
  budget?: ReadBudget
}

/** Throws at start when the CA file, the DNS server or a range is not usable. */
export function createOutbound(config: OutboundConfig, options: OutboundOptions = {}): Outbound {
  const { log, plainHttp = false, budget } = options
  const ranges = parseRanges(config.allowedRanges)
  if (!ranges) throw new Error('OUTBOUND_ALLOWED_RANGES is not usable: expected addresses and CIDR ranges.')
  const resolveName = createResolveName(config.dnsServer)
  const slots = createHostSlots(options.slots ?? SLOTS)
  const ca = config.caFile === undefined ? [] : [readFileSync(config.caFile, 'utf8')]
  const secureContext = createSecureContext({ ca: [...getCACertificates('default'), ...ca], minVersion: 'TLSv1.2' })

  /** Checks every address of the name, not only the one that would be used. */
  const checkedAddresses = async ({ host, isAddress }: OutboundTarget): Promise<ResolvedAddress[]> => {
    if (isLocalhost(host)) {
      const open = LOCALHOST.filter(({ address }) => inRanges(address, ranges))
      if (open.length > 0) return open
      throw notCalled(host, 'the addresses of this machine are in no allowed range')
    }
    const family = host.includes(':') ? 6 : 4
    const addresses: ResolvedAddress[] = isAddress ? [{ address: host, family }] : await resolveName(host)
    const allowed = ({ address }: ResolvedAddress) => inRanges(address, ranges) || (!isAddress && isPublic(address))
    const refusedAddress = addresses.find((each) => !allowed(each))
    if (!refusedAddress) return addresses
    if (isAddress) throw new Refusal('outbound.blocked', notPublic(host))
    throw notCalled(host, `${refusedAddress.address} is not a public address`)
  }

  const call = async (target: OutboundTarget, request: OutboundRequest, signal: AbortSignal) => {
    const addresses = (await unlessAborted(checkedAddresses(target), signal)).slice(0, TRIED_ADDRESSES)
    return exchangeOnce({
      target,
      addresses,
      exempt: addresses.map(({ address }) => address).filter((address) => inRanges(address, ranges)),
      method: request.method ?? 'GET',
      headers: requestHeaders(request),
      body: request.body,
      maxBytes: request.maxBytes ?? config.maxBytes,
      whenTooLarge: request.whenTooLarge ?? 'refuse',
      statusOnly: request.statusOnly ?? false,
      secureContext,
      signal,
    })
  }

  return {
    async fetch(request) {
      const target = parseTarget(request.url, { plainHttp })
      if (request.readFor !== undefined) await budget?.spend(request.readFor, target.host)
      const timeoutMs = request.timeoutMs ?? config.timeoutMs
      const deadline = new AbortController()
      const timeout = new OutboundFault('timeout', `${target.host} did not answer within ${timeoutMs} ms.`)
      const timer = setTimeout(() => deadline.abort(timeout), timeoutMs)
      const signal = request.signal ? AbortSignal.any([deadline.signal, request.signal]) : deadline.signal
      let turnAt: number | undefined
      try {
        return await slots.run(target.host, signal, () => {
          turnAt = performance.now()
          return call(target, request, signal)
        })
      } catch (thrown) {
        const lasted = turnAt === undefined ? 0 : performance.now() - turnAt
        const error = thrown === timeout && lasted < timeoutMs / 2 ? notInTime(target.host, timeoutMs) : thrown
        const code = error instanceof Refusal ? error.code : 'unavailable'
        const reason = error instanceof Error && error.cause instanceof Error ? { reason: error.cause.message } : {}
        log?.warn({ host: target.host, port: target.port, code, ...reason }, 'an outbound call failed')
        throw error
      } finally {
        clearTimeout(timer)
      }
    },
  }
}

/** Most of the time was spent in our own line: the host has done nothing wrong. */
const notInTime = (host: string, timeoutMs: number) =>
  new OutboundFault('busy', `Too many calls waited ${timeoutMs} ms for ${host}. Try again later.`)

/** Stops waiting on abort, because DNS queries cannot be cancelled. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
