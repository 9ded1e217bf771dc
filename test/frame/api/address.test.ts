import test from 'ava'
import fc from 'fast-check'
import { addressOf } from '../../../api/frame/limits/address.ts'
import { parseRanges } from '../../../protocol/hosts/addresses.ts'

const trusted = parseRanges(['127.0.0.1', '10.0.0.0/8', '2001:db8:ffff::/48']) ?? []

const PEER = '10.0.0.9'

/** Headers of a request whose peer is trusted, and whose it is. */
const CASES: [headers: Record<string, string>, address: string, why: string][] = [
  [{}, PEER, 'the proxy asks for itself'],
  [{ 'x-forwarded-for': '192.0.2.1' }, '192.0.2.1', 'one hop'],
  [{ 'x-forwarded-for': '203.0.113.66, 192.0.2.1' }, '192.0.2.1', 'what the caller wrote itself stands left of it'],
  [{ 'x-forwarded-for': 'nonsense, 192.0.2.1' }, '192.0.2.1', 'and is not so much as read'],
  [{ 'x-forwarded-for': '203.0.113.66, 192.0.2.1, 10.1.1.1, 127.0.0.1' }, '192.0.2.1', 'three proxies of ours'],
  [{ 'x-forwarded-for': '10.1.1.1, 10.2.2.2' }, '10.1.1.1', 'all of it ours: the farthest'],
  [{ 'x-forwarded-for': '192.0.2.1:4711' }, '192.0.2.1', 'with a port'],
  [{ 'x-forwarded-for': '::ffff:192.0.2.1' }, '192.0.2.1', 'IPv4 in the clothes of IPv6'],
  [{ 'x-forwarded-for': '2001:db8::1' }, '2001:db8::1', 'IPv6'],
  [{ 'x-forwarded-for': '[2001:DB8:0::1]:80' }, '2001:db8::1', 'IPv6 in another spelling'],
  [{ forwarded: 'for=192.0.2.1' }, '192.0.2.1', 'RFC 7239, section 4'],
  [
    { forwarded: 'For="[2001:db8::1]:4711";proto=https, by=10.1.1.1;for=10.2.2.2' },
    '2001:db8::1',
    'section 4, example',
  ],
  [{ forwarded: 'for=203.0.113.66, for=192.0.2.1;proto=https' }, '192.0.2.1', 'from the right'],
  [{ forwarded: 'for="192.0.2.1:_hidden"' }, '192.0.2.1', 'an obfuscated port, section 6.3'],
  [{ forwarded: 'for=unknown' }, PEER, 'section 6.2: it does not know'],
  [{ forwarded: 'for=_hidden' }, PEER, 'section 6.3: it does not say'],
  [{ forwarded: 'proto=https' }, PEER, 'it says something else'],
  [{ forwarded: 'for="192.0.2.1' }, PEER, 'malformed'],
  [{ forwarded: 'for="203.0.113.66, for=192.0.2.1' }, PEER, 'a quote that the caller opened'],
  [{ 'x-forwarded-for': '192.0.2.1, nonsense' }, PEER, 'a trusted proxy writes nonsense'],
  [{ 'x-forwarded-for': '' }, PEER, 'empty'],
  [{ 'x-forwarded-for': '192.0.2.1,' }, PEER, 'an empty last hop'],
  [{ 'x-forwarded-for': '0x7f.1' }, PEER, 'no address as proxies write it'],
  [{ 'x-forwarded-for': '192.0.2.1', forwarded: 'for=192.0.2.1' }, '192.0.2.1', 'both, and they agree'],
  [{ 'x-forwarded-for': '192.0.2.1', forwarded: 'for=203.0.113.66' }, PEER, 'both: one of them is the caller’s own'],
  [{ 'x-forwarded-for': '192.0.2.1', forwarded: 'nonsense' }, PEER, 'both, one malformed'],
  [{ 'x-real-ip': '192.0.2.1', 'x-client-ip': '192.0.2.1', 'cf-connecting-ip': '192.0.2.1' }, PEER, 'no other header'],
]

for (const [headers, address, why] of CASES)
  test(`of a trusted proxy, ${JSON.stringify(headers)} is ${address}: ${why} (D-198)`, (t) => {
    t.is(addressOf(PEER, headers, trusted), address)
  })

test('from a peer that is not trusted no header counts (D-198)', (t) => {
  for (const [headers] of CASES)
    for (const peer of ['192.0.2.200', '11.0.0.9', '2001:db8::9', '']) t.is(addressOf(peer, headers, trusted), peer)
  for (const [headers] of CASES) t.is(addressOf(PEER, headers, []), PEER)
})

test('whatever a caller writes into a header, the proxy’s own part decides, or the proxy counts (D-198)', (t) => {
  const written = fc.oneof(
    fc.string(),
    fc.stringMatching(/^(for|by|proto)="?[\w.:[\]"\\, =;-]*$/),
    fc.ipV4(),
    fc.ipV6(),
  )
  fc.assert(
    fc.property(written, (left) => {
      const listed = addressOf(PEER, { 'x-forwarded-for': `${left}, 192.0.2.1` }, trusted)
      const forwarded = addressOf(PEER, { forwarded: `${left}, for=192.0.2.1` }, trusted)
      const both = addressOf(PEER, { forwarded: left, 'x-forwarded-for': '192.0.2.1' }, trusted)
      t.is(listed, '192.0.2.1')
      t.true(['192.0.2.1', PEER].includes(forwarded), forwarded)
      t.true(['192.0.2.1', PEER].includes(both), both)
    }),
    { numRuns: 5_000 },
  )
})
