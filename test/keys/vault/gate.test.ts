import test from 'ava'
import { createLoginGate, ownRecords } from '../../../activities/keys/vault/gate.ts'

const START = 1_900_000_000_000
const SECOND = 1_000
const MINUTE = 60 * SECOND

/** A gate whose clock stands still unless it is told; pauses have no jitter unless `random` makes some. */
const openGate = ({ nowMs = (): number => START, random = (): number => 0 } = {}) =>
  createLoginGate({
    address: 'https://vault.example',
    records: ownRecords(nowMs),
    masterKey: Buffer.alloc(32, 1),
    timeoutMs: 2_000,
    random,
  })

test('a login that Vault did not answer takes nothing back of what a refusal told (D-210)', async (t) => {
  const [secret, another] = ['first', 'second'].map((secretId) => ({ roleId: 'role', secretId }))
  if (!secret || !another) return t.fail()
  for (const [lockedOut, waitMs] of [
    [true, 300_000],
    [false, 1_000],
  ] as const) {
    const gate = openGate()
    t.deepEqual(await gate.enter(secret), { state: 'admitted' })
    t.is(await gate.refused(secret, { reason: 'no', lockedOut }), waitMs)
    t.deepEqual(await gate.enter(another), { state: 'admitted' }, 'another secret is tried at once')
    await gate.left(another)
    t.deepEqual(await gate.enter(secret), { state: 'refused', reason: 'no', waitMs })
  }
})

test('one process logs in at a time, and one that died counts for twice the time of a call', async (t) => {
  const clock = { now: START }
  const gate = openGate({ nowMs: () => clock.now })
  const secret = { roleId: 'role', secretId: 'secret' }
  t.deepEqual(await gate.enter(secret), { state: 'admitted' })
  t.deepEqual(await gate.enter(secret), { state: 'busy' })
  t.deepEqual(await gate.enter({ roleId: 'another', secretId: 'secret' }), { state: 'admitted' })
  clock.now += 3_999
  t.deepEqual(await gate.enter(secret), { state: 'busy' })
  clock.now += 1
  t.deepEqual(await gate.enter(secret), { state: 'admitted' })
  await gate.left(secret)
  t.deepEqual(await gate.enter(secret), { state: 'admitted' }, 'who left lets the next one in')
  await gate.succeeded(secret)
  t.deepEqual(await gate.enter(secret), { state: 'admitted' })
})

test('a refused secret waits longer each time, by a fifth more where chance has it, and a token starts sooner', async (t) => {
  const clock = { now: START }
  const role = { roleId: 'role', secretId: 'secret' }
  const refusals = async (credentials: typeof role | { token: string }, count: number, random = 0) => {
    const gate = openGate({ nowMs: () => clock.now, random: () => random })
    const pauses: number[] = []
    for (let nth = 0; nth < count; nth++) {
      t.deepEqual(await gate.enter(credentials), { state: 'admitted' })
      const waitMs = await gate.refused(credentials, { reason: 'no', lockedOut: false })
      pauses.push(waitMs)
      clock.now += waitMs - 1
      t.deepEqual(await gate.enter(credentials), { state: 'refused', reason: 'no', waitMs: 1 })
      clock.now += 1
    }
    return pauses
  }
  t.deepEqual(await refusals(role, 4), [SECOND, 5 * MINUTE, 16 * MINUTE, 16 * MINUTE])
  t.deepEqual(await refusals(role, 2, 1), [1.2 * SECOND, 6 * MINUTE])
  const doubling = [1, 2, 4, 8, 16, 32, 64, 128, 256].map((seconds) => seconds * SECOND)
  t.deepEqual(await refusals({ token: 'hvs.any' }, 11), [...doubling, 5 * MINUTE, 5 * MINUTE])
})

test('a success forgets refusals, and of refused secrets the last 20 are known', async (t) => {
  const gate = openGate()
  const secretOf = (nth: number) => ({ roleId: 'role', secretId: `secret ${nth}` })
  const refused = async (nth: number) => {
    t.deepEqual(await gate.enter(secretOf(nth)), { state: 'admitted' })
    await gate.refused(secretOf(nth), { reason: 'no', lockedOut: false })
  }
  for (let nth = 0; nth < 21; nth++) await refused(nth)
  t.like(await gate.enter(secretOf(1)), { state: 'refused' })
  t.deepEqual(await gate.enter(secretOf(0)), { state: 'admitted' })
  await gate.succeeded(secretOf(0))
  t.deepEqual(await gate.enter(secretOf(1)), { state: 'admitted' })
  t.is(await gate.refused(secretOf(1), { reason: 'no', lockedOut: false }), SECOND)
})
