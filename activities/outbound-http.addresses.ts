import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Range = [Address, number]

/** Parses CIDR ranges or single addresses; throws, naming OUTBOUND_ALLOWED_RANGES, at start rather than at a request. */
export function parseRanges(ranges: readonly string[]): Range[] {
  return ranges.map((text) => {
    try {
      const [address, bits] = text.includes('/') ? ipaddr.parseCIDR(text) : [ipaddr.parse(text), undefined]
      return [address, bits ?? (address.kind() === 'ipv4' ? 32 : 128)]
    } catch {
      throw new Error(`OUTBOUND_ALLOWED_RANGES is not usable: ${text} is no address and no CIDR range.`)
    }
  })
}

/** `::ffff:127.0.0.1` is 127.0.0.1 to the kernel, so it is to us. */
function plain(text: string): Address | undefined {
  if (!ipaddr.isValid(text)) return undefined
  const address = ipaddr.parse(text)
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address
}

/** Whether an address lies in one of the ranges. */
export function inRanges(text: string, ranges: Range[]): boolean {
  const address = plain(text)
  return (
    address !== undefined &&
    ranges.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits))
  )
}

/**
 * Whether an address is one of the public Internet: unicast and none of the special ranges of RFC 6890 (loopback,
 * private, link-local, shared, documentation, multicast, NAT64 and 6to4 forms that could hide one of them).
 */
export function isPublic(text: string): boolean {
  return plain(text)?.range() === 'unicast'
}
