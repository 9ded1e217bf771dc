import { createSocket } from 'node:dgram'
import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import test, { type ExecutionContext } from 'ava'
import {
  createResolveName,
  createResolveTexts,
  hostsIn,
  isLocalhost,
  LOCALHOST,
} from '../../../activities/frame/outbound/dns.ts'
import { OutboundFault } from '../../../activities/frame/outbound/faults.ts'
import { startTestDns, type TestDns } from '../../support/parts/dns.ts'

let dns: TestDns
test.before(async () => {
  dns = await startTestDns({
    'four.test': { A: ['192.0.2.1', '192.0.2.2'] },
    'six.test': { AAAA: ['2001:db8::1'] },
    'both.test': { A: ['192.0.2.1'], AAAA: ['2001:db8::1'] },
    'empty.test': {},
    'failing.test': { rcode: 2 },
    'four-alone.test': { A: ['192.0.2.1'], rcodes: { AAAA: 2 } },
    'six-alone.test': { AAAA: ['2001:db8::1'], rcodes: { A: 2 } },
    'half.test': { rcodes: { AAAA: 2 } },
    'texts.test': { TXT: ['one', 'x'.repeat(600)] },
  })
})
test.after.always(() => dns?.close())

const four = (address: string) => ({ address, family: 4 as const })
const SIX = { address: '2001:db8::1', family: 6 as const }

/** Why a name is not called, for the log; callers are told the same of every name. */
async function whyNot(t: ExecutionContext, host: string, resolve = createResolveName(dns.address)): Promise<string> {
  const error = await t.throwsAsync(resolve(host), { instanceOf: OutboundFault })
  t.is(error.kind, 'not_called')
  t.is(error.part, 'outbound')
  t.is(error.retryAfterSeconds, 5)
  t.is(error.message, `${host} cannot be called: no public address is known for it.`)
  return error.cause instanceof Error ? error.cause.message : ''
}

test('a name has its addresses of both families, those of IPv4 first', async (t) => {
  const resolve = createResolveName(dns.address)
  t.deepEqual(await resolve('four.test'), [four('192.0.2.1'), four('192.0.2.2')])
  t.deepEqual(await resolve('six.test'), [SIX])
  t.deepEqual(await resolve('both.test'), [four('192.0.2.1'), SIX])
})

test('a name that does not exist, one without an address and one that DNS fails for are not called', async (t) => {
  t.is(await whyNot(t, 'nobody.test'), 'the name has no address')
  t.is(await whyNot(t, 'empty.test'), 'the name has no address')
  t.is(await whyNot(t, 'failing.test'), 'DNS does not answer: ESERVFAIL')
})

test('where DNS fails for one family, the addresses of the other one are called', async (t) => {
  const resolve = createResolveName(dns.address)
  t.deepEqual(await resolve('four-alone.test'), [four('192.0.2.1')])
  t.deepEqual(await resolve('six-alone.test'), [SIX])
  t.is(await whyNot(t, 'half.test'), 'DNS does not answer: ESERVFAIL')
})

test('texts are whole, none where there are none, and undefined where DNS does not answer', async (t) => {
  const resolve = createResolveTexts(dns.address)
  t.deepEqual((await resolve('texts.test'))?.toSorted(), ['one', 'x'.repeat(600)])
  t.deepEqual(await resolve('nobody.test'), [])
  t.deepEqual(await resolve('empty.test'), [])
  t.is(await resolve('failing.test'), undefined)
})

test('a server that is none is refused, naming the variable; without one the system’s are asked', (t) => {
  for (const create of [createResolveName, createResolveTexts])
    t.throws(() => create('dns.example'), { message: /OUTBOUND_DNS_SERVER .* dns\.example/ })
  t.is(typeof createResolveTexts(undefined), 'function')
})

test('the hosts file has names that DNS does not know (hosts(5))', (t) => {
  const hosts = hostsIn(
    [
      '127.0.0.1\tlocalhost',
      '::1 localhost ip6-localhost # of this machine',
      '# 192.0.2.9 hidden.test',
      '  192.0.2.1  Receiver.test receiver  ',
      'no-address name.test',
      '192.0.2.7',
      '',
    ].join('\r\n'),
  )
  t.deepEqual(hosts.get('localhost'), [four('127.0.0.1'), { address: '::1', family: 6 }])
  t.deepEqual(hosts.get('receiver.test'), [four('192.0.2.1')])
  t.deepEqual([...hosts.keys()].sort(), ['ip6-localhost', 'localhost', 'receiver', 'receiver.test'])
})

const ownHosts = existsSync('/etc/hosts') ? hostsIn(readFileSync('/etc/hosts', 'utf8')) : new Map<string, unknown>()

test('without a server of its own a name of the hosts file has the addresses there', async (t) => {
  const [first] = ownHosts
  if (!first) return t.pass('this machine has no hosts file')
  t.deepEqual(await createResolveName(undefined)(first[0].toUpperCase()), first[1])
})

test('names whose servers keep silent hold up no other name (D-1091)', async (t) => {
  const silent = createSocket('udp4')
  await new Promise<void>((resolve) => silent.bind(0, '127.0.0.1', resolve))
  t.teardown(() => silent.close())
  const never = createResolveName(`127.0.0.1:${silent.address().port}`)
  const waiting = Array.from({ length: 50 }, (_, at) =>
    t.throwsAsync(never(`a${at}.test`), { instanceOf: OutboundFault }),
  )
  const from = performance.now()
  t.deepEqual(await createResolveName(dns.address)('six.test'), [SIX])
  await readFile(import.meta.filename)
  t.true(performance.now() - from < 900, 'before the first of them is given up')
  await Promise.all(waiting)
})

test('names of this machine are localhost and those below it', (t) => {
  for (const host of ['localhost', 'LocalHost', 'a.localhost', 'a.b.localhost']) t.true(isLocalhost(host), host)
  for (const host of ['mylocalhost', 'localhost.example', 'localhos', 'a.localhost.example', 'localhost.'])
    t.false(isLocalhost(host), host)
  t.deepEqual(LOCALHOST, [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ])
})
