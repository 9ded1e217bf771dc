import test from 'ava'
import { createMainLane } from '../../../activities/documents/main-lane.ts'
import { createWorkClock } from '../../../activities/documents/work-clock.ts'

/** A lane, and documents that take the processor and the clock as long as they are told to. */
function openLane() {
  let [time, work] = [0, 0]
  const lane = createMainLane({ now: () => time, worked: () => work })
  return {
    lane,
    document: (tenant: string, ms: number, clockMs = ms) =>
      lane.measure(tenant, async () => {
        work += ms
        time += clockMs
      }),
    pass(ms: number) {
      time += ms
    },
  }
}

test('a tenant whose light documents are costly has them processed aside, and others do not (D-197)', async (t) => {
  const { lane, document } = openLane()
  for (let nth = 0; nth < 30; nth++) {
    await document('costly', 5)
    await document('everyday', 0.5)
  }
  t.false(lane.takes('costly'))
  t.true(lane.takes('everyday'))
})

test('however busy the machine is with other work, it sends no everyday documents aside', async (t) => {
  const { lane, document } = openLane()
  for (let nth = 0; nth < 200; nth++) await document('everyday', 0.5, 20)
  t.true(lane.takes('everyday'))
})

test('the first documents of a process, which cost more, are not sent aside', async (t) => {
  const { lane, document } = openLane()
  for (const ms of [200, 80, 30, 10, 5]) await document('everyday', ms)
  t.true(lane.takes('everyday'))
})

test('ten seconds after its last document here, a tenant is tried again', async (t) => {
  const { lane, document, pass } = openLane()
  for (let nth = 0; nth < 30; nth++) await document('costly', 5)
  pass(9_000)
  t.false(lane.takes('costly'))
  pass(1_001)
  t.true(lane.takes('costly'))
})

test('documents that are processed at the same time share the time that passes', async (t) => {
  let time = 0
  const lane = createMainLane({ now: () => time, worked: () => time })
  const together = Array.from({ length: 100 }, () =>
    lane.measure('everyday', async () => {
      await Promise.resolve()
      time += 0.5
      await Promise.resolve()
    }),
  )
  await Promise.all(together)
  t.true(lane.takes('everyday'))
})

test('the clock of a busy thread goes as its processor time does', (t) => {
  const used = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  const worked = createWorkClock()
  const [workedFrom, usedFrom] = [worked(), used()]
  while (used() - usedFrom < 400) worked()
  const ratio = (worked() - workedFrom) / (used() - usedFrom)
  t.true(ratio > 0.5 && ratio < 2, `${ratio}`)
})
