import test from 'ava'
import { openWorld } from '../support/world.ts'

/** Of it a process draws 10 at a time. */
const LIMIT = 2_000

test('requests that come at once use up the limit one by one, not by what each of them could put by (D-148)', async (t) => {
  const world = await openWorld({ env: { RATE_LIMIT_PER_MINUTE: String(LIMIT) } })
  t.teardown(() => world.close())
  const answered = async (count: number) => {
    const asked = Array.from({ length: count }, () => world.ask('/v1/dids?limit=0', { token: world.token }))
    return (await Promise.all(asked)).filter(({ status }) => status === 200).length
  }
  const begun = Date.now()
  for (let round = 0; round < 4; round++) t.is(await answered(LIMIT / 5), LIMIT / 5)
  const last = await answered((2 * LIMIT) / 5)
  t.true(Date.now() - begun < 60_000, 'in one window')
  t.true(last >= LIMIT / 5 - 10 && last <= LIMIT / 5, `${last} of the last fifth`)
})
