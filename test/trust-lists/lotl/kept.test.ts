import { mock } from 'node:test'
import test from 'ava'
import type { Dependencies } from '../../../activities/dependencies.ts'
import { OutboundFault } from '../../../activities/frame/outbound/faults.ts'
import type { OutboundRequest } from '../../../activities/frame/outbound/index.ts'
import { createPivots } from '../../../activities/trust-lists/pivots.ts'
import { createReading } from '../../../activities/trust-lists/reading.ts'
import { createTexts } from '../../../activities/trust-lists/texts.ts'
import { Refusal } from '../../../protocol/errors.ts'

const MIB = 1024 * 1024

/** Follows pivots that nobody signed, one after the other; `fetch` returns their texts, and may let time pass. */
async function follow(
  count: number,
  fetch: (request: OutboundRequest, pass: (ms: number) => void) => string,
  kept = false,
) {
  let at = Date.parse('2026-01-01T00:00:00Z')
  const pass = (ms: number) => {
    at += ms
  }
  const addresses = Array.from({ length: count }, (_, each) => `https://lists.example/${each}.xml`)
  const parts = {
    now: () => new Date(at),
    config: { clockToleranceMs: 0 },
    outbound: {
      fetch: async (request: OutboundRequest) => ({ status: 200, body: Buffer.from(fetch(request, pass)) }),
    },
    documents: {
      readPivots: async () => addresses,
      readListOfLists: async () => {
        throw new Refusal('trust_list.source_signature', 'None of the signers signed the list.')
      },
    },
  } as unknown as Dependencies
  const reading = createReading(parts)
  const sharing = kept ? { tookKept: false } : undefined
  if (kept) for (const address of addresses) await reading.fetched('one', address, 'ts-119-612', sharing)
  const lists = { url: 'https://lists.example/lotl.xml', signers: [] }
  const wanted = { tenantId: 'two', lists, text: '<lotl/>', known: undefined, sharing }
  const error: unknown = await createPivots({ ...parts, reading })(wanted).catch((reason: unknown) => reason)
  return error instanceof Refusal ? [error.code, /MiB in all|signed a pivot/.exec(error.message)?.[0]] : error
}

const TOO_MUCH = ['trust_list.lotl_pivot', 'MiB in all']
const UNSIGNED = ['trust_list.lotl_pivot', 'signed a pivot']

test('the bounds of pivots are those of bytes, also of texts that are kept (D-867)', async (t) => {
  const text = 'ä'.repeat(3 * MIB)
  t.deepEqual(await follow(2, () => text), UNSIGNED)
  t.deepEqual(await follow(3, () => text), TOO_MUCH)
  t.deepEqual(await follow(3, () => text, true), TOO_MUCH)
})

test('the bounds of pivots are those of time, also of the last one (D-867)', async (t) => {
  const after = (ms: number) => (_: OutboundRequest, pass: (ms: number) => void) => {
    pass(ms)
    return '<pivot/>'
  }
  t.deepEqual(await follow(2, after(14_000)), UNSIGNED)
  t.deepEqual(await follow(2, after(15_001)), TOO_MUCH)
})

test('a pivot fails by what those before it have left, not by its address (D-867)', async (t) => {
  const large = ({ maxBytes = 0 }: OutboundRequest) => {
    if (maxBytes < 7 * MIB) throw new Refusal('outbound.too_large', 'The answer is too large.')
    return 'a'.repeat(7 * MIB)
  }
  t.deepEqual(await follow(2, large), UNSIGNED)
  t.deepEqual(await follow(3, large), TOO_MUCH)
  const slow = ({ timeoutMs = 0 }: OutboundRequest, pass: (ms: number) => void) => {
    if (timeoutMs < 15_000) throw new OutboundFault('timeout', 'It did not answer.')
    pass(14_000)
    return '<pivot/>'
  }
  t.deepEqual(await follow(2, slow), UNSIGNED)
  t.deepEqual(await follow(3, slow), TOO_MUCH)
  const never = (): string => {
    throw new OutboundFault('timeout', 'It did not answer.')
  }
  t.deepEqual(
    await follow(1, never),
    ['trust_list.lotl_pivot_unavailable', undefined],
    'within the bounds of each text',
  )
})

test('a text that a request reads is kept only in place of one that the schedule has (D-866)', async (t) => {
  const texts = createTexts({ now: () => new Date() })
  const schedule = async (text: string) => {
    const sharing = { tookKept: false }
    return [await texts.text('one', sharing, async () => text), sharing.tookKept]
  }
  const request = (text: string) => texts.text('one', undefined, async () => text)
  t.is(await request('first'), 'first')
  t.deepEqual(await schedule('second'), ['second', false])
  t.is(await request('third'), 'third')
  t.deepEqual(await schedule('fourth'), ['third', true])
})

// before the others, which have timers too
test.serial('a kept text leaves the memory when its time is over, whether one is read then or not', async (t) => {
  const timers = mock.method(globalThis, 'setTimeout')
  t.teardown(() => timers.mock.restore())
  const texts = createTexts({ now: () => new Date() })
  await texts.text('one', { tookKept: false }, async () => 'text')
  t.deepEqual(
    timers.mock.calls.map(({ arguments: [, ms] }) => ms),
    [4 * 60_000 + 1],
  )
})
