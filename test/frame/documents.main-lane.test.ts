import test from 'ava'
import { createMainLane } from '../../activities/documents/main-lane.ts'

/** A lane, and documents that take as long as they are told to. */
function openLane() {
  let time = 0
  const lane = createMainLane(() => time)
  return {
    lane,
    document: (tenant: string, ms: number) =>
      lane.measure(tenant, async () => {
        time += ms
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

test('however many everyday documents a tenant has, a pause of the machine now and then sends none aside', async (t) => {
  const { lane, document } = openLane()
  for (let nth = 0; nth < 2_000; nth++) {
    await document('everyday', nth % 50 === 49 ? 20 : 0.5)
    if (!lane.takes('everyday')) return t.fail(`after ${nth}`)
  }
  t.pass()
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
  const lane = createMainLane(() => time)
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
