import test from 'ava'
import { createLoginGate, ownRecords } from '../../../activities/keys/vault/gate.ts'

/** A gate whose clock stands still; pauses have no jitter. */
const openGate = () =>
  createLoginGate({
    address: 'https://vault.example',
    records: ownRecords(() => 1_900_000_000_000),
    masterKey: Buffer.alloc(32, 1),
    timeoutMs: 2_000,
    random: () => 0,
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
