import type { IncomingHttpHeaders } from 'node:http'
import { isIP, type Socket } from 'node:net'
import type { RequestHandler } from 'express'
import { ipKeyGenerator } from 'express-rate-limit'
import parseForwarded from 'forwarded-parse'
import { type AddressRange, inRanges, isPublic, parseRanges, plainAddress } from '../../../protocol/hosts/addresses.ts'

/** Prefix length of home and office networks: one subscriber has all addresses in it. */
const IPV6_PREFIX = 56

/** `192.0.2.1:4711`, `[2001:db8::1]:4711`, `[2001:db8::1]`; a port may be an obfuscated one (RFC 7239, section 6). */
const WITH_PORT = /^(?:\[([^\]]+)\]|([\d.]+))(?::[\w.-]+)?$/

const addressIn = (node: string | undefined): string | undefined => {
  if (node === undefined) return undefined
  const [, bracketed, dotted] = WITH_PORT.exec(node) ?? []
  const address = bracketed ?? dotted ?? node
  return isIP(address) > 0 ? plainAddress(address)?.toString() : undefined
}

/** The caller's address that each hop reports, the nearest hop first. Undefined when the header cannot be read. */
function hopsOf({ forwarded, 'x-forwarded-for': listed }: IncomingHttpHeaders): (string | undefined)[][] | undefined {
  try {
    return [
      ...(forwarded === undefined ? [] : [parseForwarded(forwarded).map((element) => element.for)]),
      ...(listed === undefined
        ? []
        : [
            [listed]
              .flat()
              .join(',')
              .split(',')
              .map((node) => node.trim()),
          ]),
    ].map((hops) => hops.reverse())
  } catch {
    return undefined
  }
}

const isForwarded = ({ headers }: { headers: IncomingHttpHeaders }): boolean =>
  headers.forwarded !== undefined || headers['x-forwarded-for'] !== undefined

/** Follows the hops from the peer as long as they are trusted. Undefined when a trusted hop reports no address. */
function follow(peer: string, hops: (string | undefined)[], trusted: readonly AddressRange[]): string | undefined {
  let address = peer
  for (const hop of hops) {
    if (!inRanges(address, trusted)) return address
    const next = addressIn(hop)
    if (next === undefined) return undefined
    address = next
  }
  return address
}

/**
 * Returns the address that a request comes from: the peer's, or the one that trusted proxies report in `Forwarded` (RFC
 * 7239) or `X-Forwarded-For`, read from the right. If both are sent they must agree: a proxy writes one of them and may
 * pass on the caller's other one. If they cannot be read or do not agree, it is the peer's (D-198).
 */
export function addressOf(peer: string, headers: IncomingHttpHeaders, trusted: readonly AddressRange[]): string {
  if (!isForwarded({ headers }) || !inRanges(peer, trusted)) return peer
  const addresses = new Set(hopsOf(headers)?.map((hops) => follow(peer, hops, trusted)))
  const [address] = addresses
  return addresses.size === 1 && address !== undefined ? address : peer
}

export interface AddressLog {
  warn(fields: object, message: string): void
}

/**
 * Sets the address of each request, for its limits. Warns once of a forwarded header from a peer that is not trusted:
 * behind an unknown proxy all callers have the same address.
 */
export function findAddress(trustedProxies: readonly string[], log: AddressLog): RequestHandler {
  const trusted = parseRanges(trustedProxies)
  if (!trusted) throw new Error('TRUSTED_PROXIES is not valid: expected addresses and CIDR ranges.')
  let warned = false
  /** A connection has one peer for all of its requests. */
  const peers = new WeakMap<Socket, { peer: string; address: string }>()
  const peerOf = (socket: Socket) => {
    const cached = peers.get(socket)
    if (cached) return cached
    const peer = plainAddress(socket.remoteAddress ?? '')?.toString() ?? ''
    const entry = { peer, address: ipKeyGenerator(peer, IPV6_PREFIX) }
    peers.set(socket, entry)
    return entry
  }
  return (request, _response, next) => {
    const { peer, address } = peerOf(request.socket)
    request.forwarded = isForwarded(request)
    request.address = request.forwarded
      ? ipKeyGenerator(addressOf(peer, request.headers, trusted), IPV6_PREFIX)
      : address
    if (request.forwarded && !warned && !inRanges(peer, trusted)) {
      warned = true
      // a proxy's address is private as a rule; a public one may be a person's
      const fields = isPublic(peer) ? {} : { peer }
      log.warn(fields, 'a forwarded header is ignored: its peer is not in TRUSTED_PROXIES')
    }
    next()
  }
}
