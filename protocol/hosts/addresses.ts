import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6
export type AddressRange = [Address, number]

/** Parses CIDR ranges and single addresses; undefined when one of them is neither. */
export function parseRanges(ranges: readonly string[]): AddressRange[] | undefined {
  try {
    return ranges.map((text) => {
      const [address, bits] = text.includes('/') ? ipaddr.parseCIDR(text) : [ipaddr.parse(text), undefined]
      return [address, bits ?? (address.kind() === 'ipv4' ? 32 : 128)]
    })
  } catch {
    return undefined
  }
}

/** Parses an address; `::ffff:127.0.0.1` becomes 127.0.0.1, as in the kernel. Undefined for other text. */
export function plainAddress(text: string): Address | undefined {
  if (!ipaddr.isValid(text)) return undefined
  const address = ipaddr.parse(text)
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address
}

/** Whether an address is in one of the ranges. */
export function inRanges(text: string, ranges: readonly AddressRange[]): boolean {
  const address = plainAddress(text)
  return (
    address !== undefined &&
    ranges.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits))
  )
}

/** Inside of what ipaddr.js takes for the Internet: IPv4-compatible addresses (RFC 4291, 2.5.5.1), and the host of a cloud's machines. */
const INSIDE: readonly AddressRange[] = [
  [ipaddr.parse('::'), 96],
  [ipaddr.parse('168.63.129.16'), 32],
]

/**
 * Whether an address is on the public Internet: unicast and in none of the special ranges of RFC 6890 (loopback,
 * private, link-local, shared, documentation, multicast, NAT64 and 6to4 forms that could hide one of them).
 */
export function isPublic(text: string): boolean {
  return plainAddress(text)?.range() === 'unicast' && !inRanges(text, INSIDE)
}
