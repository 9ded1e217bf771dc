import { promises as dns } from 'node:dns'
import { existsSync, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import type { Unavailable } from '../../../protocol/errors.ts'
import { OutboundFault } from './faults.ts'

export interface ResolvedAddress {
  address: string
  family: 4 | 6
}

export type ResolveName = (host: string) => Promise<ResolvedAddress[]>

const ABSENT = new Set(['ENODATA', 'ENOTFOUND'])

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : 'unknown')

/**
 * The same answer for every name that cannot be called, whatever DNS returns: a caller who chooses names must not learn
 * which of them exist inside the network (D-164). `why` is for the log. A retry may succeed, because DNS changes.
 */
export const notCalled = (host: string, why: string): Unavailable =>
  new OutboundFault('not_called', notPublic(host), { cause: new Error(why) })

export const notPublic = (host: string): string => `${host} cannot be called: no public address is known for it.`

/** Names of this machine alone, of which DNS is not asked (RFC 6761, section 6.3). */
export const isLocalhost = (host: string): boolean => /(^|\.)localhost$/i.test(host)

/** Where such a name leads. */
export const LOCALHOST: readonly ResolvedAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/**
 * Resolves all addresses of a name, IPv4 and IPv6, anew for every connection: nothing is cached, so that the checked
 * address is the one that is used. `server` is `ip:port`; without one the servers of the system are asked, after its hosts
 * file. Throws `notCalled` when the name has no address, or DNS does not answer for either family.
 */
export function createResolveName(server: string | undefined): ResolveName {
  const hosts = server === undefined ? hostsIn(readHosts()) : new Map<string, ResolvedAddress[]>()
  const ask = askServer(server)
  return async (host) => {
    const addresses = hosts.get(host.toLowerCase()) ?? (await ask(host))
    if (addresses.length === 0) throw notCalled(host, 'the name has no address')
    return addresses
  }
}

const HOSTS_FILE = '/etc/hosts'

/** As it is at the start. A system without one has no such names. */
const readHosts = (): string => (existsSync(HOSTS_FILE) ? readFileSync(HOSTS_FILE, 'utf8') : '')

/** The names of a hosts file (hosts(5)): an address, its names, and comments. */
export function hostsIn(text: string): Map<string, ResolvedAddress[]> {
  const found = new Map<string, ResolvedAddress[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = (line.split('#')[0] ?? '').trim().split(/\s+/)
    const family = isIP(address)
    if (family !== 4 && family !== 6) continue
    for (const name of names.map((each) => each.toLowerCase()))
      found.set(name, [...(found.get(name) ?? []), { address, family }])
  }
  return found
}

/**
 * Without a server the resolver asks those of the system. Not by getaddrinfo, of which libuv makes two at a time: names
 * whose servers keep silent, which strangers choose, would hold up all others.
 */
function createResolver(server: string | undefined): InstanceType<typeof dns.Resolver> {
  const resolver = new dns.Resolver({ timeout: 1000, tries: 2 })
  try {
    if (server !== undefined) resolver.setServers([server])
  } catch {
    throw new Error(`OUTBOUND_DNS_SERVER is not usable: expected ip:port, got ${server}.`)
  }
  return resolver
}

/** Returns the TXT records of a name, none if it has none; undefined: DNS did not answer. */
export type ResolveTexts = (name: string) => Promise<string[] | undefined>

/** Nothing is cached here. A record of several strings is one text (RFC 7208, section 3.3, as everywhere). */
export function createResolveTexts(server: string | undefined): ResolveTexts {
  const resolver = createResolver(server)
  return async (name) => {
    try {
      return (await resolver.resolveTxt(name)).map((strings) => strings.join(''))
    } catch (error) {
      return ABSENT.has(codeOf(error)) ? [] : undefined
    }
  }
}

function askServer(server: string | undefined) {
  const resolver = createResolver(server)
  const records = async (host: string, family: 4 | 6): Promise<ResolvedAddress[]> => {
    try {
      const addresses = await (family === 4 ? resolver.resolve4(host) : resolver.resolve6(host))
      return addresses.map((address) => ({ address, family }))
    } catch (error) {
      if (ABSENT.has(codeOf(error))) return []
      throw notCalled(host, `DNS does not answer: ${codeOf(error)}`)
    }
  }
  // a family that DNS fails for hides none of the other: the connection goes to addresses of this answer alone
  return async (host: string) => {
    const answers = await Promise.allSettled([records(host, 4), records(host, 6)])
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    const failed = answers.find((answer) => answer.status === 'rejected')
    if (failed && addresses.length === 0) throw failed.reason
    return addresses
  }
}
