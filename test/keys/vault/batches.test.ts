import { setTimeout as wait } from 'node:timers/promises'
import test from 'ava'
import { createSignBatches } from '../../../activities/keys/vault/batches.ts'
import { observeReturns } from '../../../activities/keys/vault/returns.ts'

const input = (nth: number) => Uint8Array.of(nth)

/** A store that answers when it is told to. */
function answering() {
  const asked: { name: string; inputs: number[]; answer(): void; fail(error: Error): void }[] = []
  const send = (name: string, inputs: Uint8Array[]) =>
    new Promise<Uint8Array[]>((resolve, reject) => {
      asked.push({ name, inputs: inputs.map(([nth = -1]) => nth), answer: () => resolve(inputs), fail: reject })
    })
  return { asked, send }
}

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

test('what is signed in one turn of the event loop, or in turns one after the other, is one call', async (t) => {
  const { asked, send } = answering()
  const batches = createSignBatches(send, { waitMs: 60_000 })
  const signed = [batches.sign('a', input(0)), batches.sign('b', input(9)), batches.sign('a', input(1))]
  await turns(1)
  signed.push(batches.sign('a', input(2)))
  await turns(3)
  t.deepEqual(asked.map(({ name, inputs }) => [name, inputs]).toSorted(), [
    ['a', [0, 1, 2]],
    ['b', [9]],
  ])
  for (const { answer } of asked) answer()
  t.deepEqual(await Promise.all(signed), [0, 9, 1, 2].map(input))
})

test('what comes while a call is under way goes with the next one, soon after that call ends', async (t) => {
  const { asked, send } = answering()
  const batches = createSignBatches(send, { waitMs: 60_000, returnMs: 0 })
  const first = batches.sign('a', input(0))
  await turns(3)
  const others = [1, 2, 3].map((nth) => batches.sign('a', input(nth)))
  await turns(5)
  t.is(asked.length, 1)
  asked[0]?.answer()
  await first
  await wait(60)
  t.deepEqual(asked[1]?.inputs, [1, 2, 3])
  asked[1]?.answer()
  t.is((await Promise.all(others)).length, 3)
})

/** With one call that has served three. */
async function afterCrowd() {
  const { asked, send } = answering()
  const batches = createSignBatches(send)
  const crowd = Promise.all([0, 1, 2].map((nth) => batches.sign('a', input(nth))))
  await turns(3)
  asked[0]?.answer()
  await crowd
  return { asked, batches }
}

test('two halves of a crowd that asks again and again become one call', async (t) => {
  const { asked, send } = answering()
  const batches = createSignBatches(send, { waitMs: 60_000, returnMs: 60_000 })
  const sign = (...inputs: number[]) => Promise.all(inputs.map((nth) => batches.sign('a', input(nth))))
  const first = sign(0, 1)
  await turns(3)
  const second = sign(2, 3)
  asked[0]?.answer()
  await first
  await turns(5)
  t.is(asked.length, 1, 'the second half waits for the first to return')
  const again = sign(4, 5)
  await turns(5)
  t.deepEqual(asked[1]?.inputs, [2, 3, 4, 5])
  asked[1]?.answer()
  await Promise.all([second, again])
  const third = [sign(6), sign(7, 8)]
  await turns(5)
  t.is(asked.length, 2)
  third.push(sign(9))
  await turns(5)
  t.deepEqual(asked[2]?.inputs, [6, 7, 8, 9])
  asked[2]?.answer()
  await Promise.all(third)
})

test('a crowd that needed longer than 5 ms to ask again is waited for longer the next time (D-1041)', async (t) => {
  const { asked, send } = answering()
  let nowMs = 0
  const batches = createSignBatches(send, { nowMs: () => nowMs })
  const sign = (...inputs: number[]) => Promise.all(inputs.map((nth) => batches.sign('a', input(nth))))
  const crowd = sign(0, 1)
  await turns(3)
  asked[0]?.answer()
  await crowd
  nowMs = 12
  const again = sign(2, 3)
  await turns(3)
  t.deepEqual(asked[1]?.inputs, [2, 3], 'nobody is waited for after 5 ms')
  asked[1]?.answer()
  await again
  const begun = performance.now()
  const half = sign(4)
  while (asked.length === 2) await turns(1)
  const waited = performance.now() - begun
  t.deepEqual(asked[2]?.inputs, [4], 'the other half has not returned')
  t.true(waited >= 14, `it was waited for ${waited} ms`)
  asked[2]?.answer()
  await half
})

/** How long a crowd is waited for whose 14 of 16 came so long after the call; one after the other. */
const learned = (...afterMs: number[]) => {
  const returns = observeReturns(5)
  return afterMs.map((ms, nth) => {
    const endedAt = nth * 1_000
    returns.served(16, 2, endedAt)
    for (let caller = 0; caller < 13; caller++) returns.asked(endedAt + 1)
    returns.asked(endedAt + ms)
    return returns.ms()
  })
}

test('the wait is half as long again as a crowd needed, 5 to 15 ms, and 5 for one that came later (D-1041)', (t) => {
  t.deepEqual(learned(2, 6, 12, 4, 14, 15), [5, 9, 15, 6, 15, 5])
})

test('the end of a call that was sent before the crowd was back begins no new count', (t) => {
  const returns = observeReturns(5)
  returns.served(4, 0, 0)
  returns.asked(1)
  returns.served(1, 0, 5)
  returns.asked(7)
  returns.asked(7)
  t.is(returns.ms(), 5)
  returns.asked(8)
  t.is(returns.ms(), 12)
})

test('with a usual wait of 0 nobody is ever waited for', (t) => {
  const returns = observeReturns(0)
  returns.served(1, 0, 0)
  returns.asked(8)
  t.is(returns.ms(), 0)
})

test('whose call failed is not waited for', async (t) => {
  const { asked, send } = answering()
  const batches = createSignBatches(send, { returnMs: 60_000 })
  const crowd = Promise.allSettled([0, 1].map((nth) => batches.sign('a', input(nth))))
  await turns(3)
  asked[0]?.fail(new Error('Vault is sealed'))
  await crowd
  const alone = batches.sign('a', input(2))
  await turns(3)
  t.deepEqual(asked[1]?.inputs, [2])
  asked[1]?.answer()
  await alone
})

test('a crowd that does not return is waited for once, for 5 ms', async (t) => {
  const { asked, batches } = await afterCrowd()
  const begun = performance.now()
  const alone = batches.sign('a', input(3))
  while (asked.length === 1) await turns(1)
  t.true(performance.now() - begun >= 4)
  t.deepEqual(asked[1]?.inputs, [3])
  asked[1]?.answer()
  await alone
  const next = batches.sign('a', input(4))
  await turns(3)
  t.deepEqual(asked[2]?.inputs, [4], 'nobody waits after a call for one')
  asked[2]?.answer()
  await next
})

test('calls that end one after the other hold up nobody anew', async (t) => {
  const { asked, send } = answering()
  const batches = createSignBatches(send, { waitMs: 1, returnMs: 20, items: 5 })
  const running: Promise<unknown>[] = []
  for (let call = 0; call < 40; call++) for (let nth = 0; nth < 5; nth++) running.push(batches.sign('a', input(nth))) // five are not waited for
  t.is(asked.length, 40)
  const alone = batches.sign('a', input(9))
  let ended = 0
  while (asked.length === 40 && ended < 40) {
    asked[ended++]?.answer()
    await wait(5)
  }
  t.deepEqual(asked[40]?.inputs, [9])
  t.true(ended < 20, `it waited for ${ended} calls`)
  for (const { answer } of asked) answer()
  await Promise.all([...running, alone])
})

test('who comes in the turns after the end of a call holds up nobody anew', async (t) => {
  const { asked, send } = answering()
  const batches = createSignBatches(send, { waitMs: 60_000, returnMs: 1, items: 3 })
  const sign = (...inputs: number[]) => Promise.all(inputs.map((nth) => batches.sign('a', input(nth))))
  const first = sign(0, 1, 2)
  const second = sign(3, 4, 5)
  const waiting = sign(6)
  asked[0]?.answer()
  await first
  const last = sign(7)
  await wait(60)
  t.deepEqual(asked[2]?.inputs, [6, 7], 'beside the second call, which takes long')
  for (const { answer } of asked) answer()
  await Promise.all([second, waiting, last])
})

test('who comes later than 5 ms after a call waits for nobody', async (t) => {
  const { asked, batches } = await afterCrowd()
  await wait(60)
  const later = batches.sign('a', input(3))
  await turns(3)
  t.deepEqual(asked[1]?.inputs, [3])
  asked[1]?.answer()
  await later
})

test('a call that takes long holds up nobody for longer than 10 ms', async (t) => {
  const { asked, send } = answering()
  const batches = createSignBatches(send)
  void batches.sign('a', input(0))
  await turns(3)
  const other = batches.sign('a', input(1))
  await wait(60)
  t.deepEqual(asked[1]?.inputs, [1])
  asked[1]?.answer()
  t.deepEqual(await other, input(1))
  asked[0]?.answer()
  await batches.drain()
})

test('200 inputs, or 4 MiB of them, wait for no others', async (t) => {
  const { asked, send } = answering()
  const batches = createSignBatches(send, { waitMs: 60_000 })
  const all = Array.from({ length: 201 }, (_, nth) => batches.sign('a', input(nth)))
  t.is(asked[0]?.inputs.length, 200)
  all.push(batches.sign('a', new Uint8Array(4 * 1024 * 1024)))
  t.deepEqual(asked[1]?.inputs, [200, 0])
  for (const { answer } of asked) answer()
  await Promise.all(all)
})

test('a failed call fails its own inputs alone, and draining waits for every one that was asked for', async (t) => {
  const { asked, send } = answering()
  const batches = createSignBatches(send, { waitMs: 60_000 })
  const failed = t.throwsAsync(batches.sign('a', input(0)), { message: 'Vault is sealed' })
  await turns(3)
  const other = batches.sign('a', input(1))
  const drained = batches.drain()
  t.is(asked.length, 2, 'draining does not wait for the call before')
  asked[0]?.fail(new Error('Vault is sealed'))
  await failed
  asked[1]?.answer()
  t.deepEqual(await other, input(1))
  await drained
})

test('draining waits for what nobody has sent yet, and leaves nothing to send', async (t) => {
  const { asked, send } = answering()
  const batches = createSignBatches(send)
  const signed = [batches.sign('a', input(0)), batches.sign('b', input(1))]
  let isDrained = false
  const drained = batches.drain().then(() => {
    isDrained = true
  })
  t.is(asked.length, 2)
  asked[0]?.answer()
  await turns(3)
  t.false(isDrained)
  asked[1]?.answer()
  await Promise.all([...signed, drained])
  await wait(30)
  t.is(asked.length, 2)
})

test('inputs wait for others once each, however many lanes and calls there are', async (t) => {
  const { asked, send } = answering()
  const batches = createSignBatches(send)
  const one = [0, 1, 2].map((nth) => batches.sign('a', input(nth)))
  await turns(3)
  const other = batches.sign('a', input(3))
  await wait(30)
  t.deepEqual(asked[1]?.inputs, [3], 'a second call beside the first, which takes long')
  const last = batches.sign('a', input(4))
  asked[1]?.answer()
  await other
  await wait(30)
  t.deepEqual(asked[2]?.inputs, [4])
  for (const { answer } of asked) answer()
  await Promise.all([...one, last])
})
