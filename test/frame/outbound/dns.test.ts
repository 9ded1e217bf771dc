import { promises as system } from 'node:dns'
import test, { type ExecutionContext } from 'ava'
import {
  createResolveName,
  createResolveTexts,
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

/** The machine's resolver, which answers like that; the options that it was asked with. */
function answering(t: ExecutionContext, answer: { address: string; family: number }[] | unknown) {
  const { lookup } = system
  const asked: unknown[][] = []
  const answers = async (...query: unknown[]) => {
    asked.push(query)
    if (!Array.isArray(answer)) throw answer
    return answer
  }
  Object.assign(system, { lookup: answers })
  t.teardown(() => Object.assign(system, { lookup }))
  return asked
}

test.serial('the system’s resolver is asked for all addresses, in its own order', async (t) => {
  const asked = answering(t, [
    { address: '2001:db8::1', family: 6 },
    { address: '192.0.2.1', family: 4 },
  ])
  t.deepEqual(await createResolveName(undefined)('site.example'), [SIX, four('192.0.2.1')])
  t.deepEqual(asked, [['site.example', { all: true, verbatim: true }]])
})

for (const code of ['ENODATA', 'ENOTFOUND', 'ENONAME', 'EAI_AGAIN', 'EAI_NODATA'])
  test.serial(`for the system’s resolver ${code} is a name without an address`, async (t) => {
    answering(t, Object.assign(new Error('x'), { code }))
    t.is(await whyNot(t, 'site.example', createResolveName(undefined)), 'the name has no address')
  })

test.serial('any other error of the system’s resolver is no answer', async (t) => {
  for (const [error, code] of [
    [Object.assign(new Error('x'), { code: 'EAI_FAIL' }), 'EAI_FAIL'],
    [new Error('x'), 'unknown'],
    ['x', 'unknown'],
    [{ code: 'ENOTFOUND' }, 'unknown'],
  ] as const) {
    answering(t, error)
    t.is(await whyNot(t, 'site.example', createResolveName(undefined)), `DNS does not answer: ${code}`)
  }
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
