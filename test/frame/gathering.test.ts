import test from 'ava'
import { whenGathered } from '../../activities/frame/process/gathering.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Gathers what `sizes` says, one in each turn of the event loop; resolves with the turn in which it goes. */
async function goesIn(sizes: number[], { most = 100, mostMs = 1_000, msOfTurn = 0 } = {}): Promise<number> {
  let turns = 0
  let isGone = false
  whenGathered(
    { size: () => sizes[Math.min(turns, sizes.length - 1)] ?? 0, most, mostMs, nowMs: () => turns * msOfTurn },
    () => {
      isGone = true
    },
  )
  while (!isGone && turns < 50) {
    await turn()
    turns += 1
  }
  return turns
}

test('what grows from turn to turn is waited for, and goes in the turn that brings nothing more', async (t) => {
  t.is(await goesIn([1]), 2)
  t.is(await goesIn([1, 2, 3, 4, 4]), 5)
  t.is(await goesIn([1, 1, 2]), 2, 'a turn without a new one ends it')
})

test('enough of them are not waited any longer', async (t) => {
  const sizes = [1, 2, 3, 4, 5, 6, 7, 8, 9]
  t.is(await goesIn(sizes, { most: 5 }), 5)
  t.is(await goesIn(sizes), 10)
})

test('turns that take long are waited for until their time is over', async (t) => {
  const sizes = Array.from({ length: 40 }, (_, nth) => nth + 1)
  t.is(await goesIn(sizes, { mostMs: 10, msOfTurn: 2 }), 6)
  t.is(await goesIn(sizes, { mostMs: 10, msOfTurn: 5 }), 3)
})
