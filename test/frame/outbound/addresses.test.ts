import test from 'ava'
import { inRanges, isPublic, parseRanges, plainAddress } from '../../../protocol/hosts/addresses.ts'
import { INNER, PUBLIC } from '../../support/parts/addresses.ts'

const rangesOf = (...texts: string[]) => parseRanges(texts) ?? []

test('a range is an address with a prefix, or one address', (t) => {
  t.deepEqual(
    rangesOf('10.0.0.0/8', '192.0.2.1', '2001:db8::/32', '::1').map(([address, bits]) => [String(address), bits]),
    [
      ['10.0.0.0', 8],
      ['192.0.2.1', 32],
      ['2001:db8::', 32],
      ['::1', 128],
    ],
  )
  for (const text of ['10.0.0.0/33', '2001:db8::/129', 'localhost', '', '10.0.0.0/', 'a/8'])
    t.is(parseRanges(['10.0.0.0/8', text]), undefined, text)
})

test('an address is in a range of its own family alone', (t) => {
  t.true(inRanges('10.1.2.3', rangesOf('192.0.2.0/24', '10.0.0.0/8')))
  t.false(inRanges('11.1.2.3', rangesOf('192.0.2.0/24', '10.0.0.0/8')))
  t.true(inRanges('192.0.2.1', rangesOf('192.0.2.1')))
  t.false(inRanges('192.0.2.2', rangesOf('192.0.2.1')))
  t.false(inRanges('::1', rangesOf('0.0.0.0/0')))
  t.false(inRanges('10.0.0.1', rangesOf('::/0')))
  t.true(inRanges('2001:db8::5', rangesOf('2001:db8::/32')))
  t.false(inRanges('nonsense', rangesOf('0.0.0.0/0')))
  t.false(inRanges('10.0.0.1', []))
})

test('an address of IPv4 within one of IPv6 is itself, as in the kernel', (t) => {
  t.is(String(plainAddress('::ffff:127.0.0.1')), '127.0.0.1')
  t.is(String(plainAddress('2001:db8::1')), '2001:db8::1')
  t.is(String(plainAddress('192.0.2.1')), '192.0.2.1')
  t.is(plainAddress('issuer.example'), undefined)
  t.true(inRanges('::ffff:10.0.0.1', rangesOf('10.0.0.0/8')))
})

test('an address of the Internet is public; one inside, and the host of a cloud’s machines, is not', (t) => {
  for (const address of [...PUBLIC, '168.63.129.15', '168.63.129.17', '8.8.8.8', '2606:4700::1111'])
    t.true(isPublic(address), address)
  for (const address of [...INNER, '168.63.129.16', '::808:808', '::ffff:127.0.0.1', 'issuer.example', ''])
    t.false(isPublic(address), address)
})
