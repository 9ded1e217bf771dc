import test from 'ava'
import { blocksOf, type } from '../support/frame/docs.ts'
import { openWorld } from '../support/world.ts'

test('the README’s quick tour works word for word: token, DID, sign, verified, revoked, not verified', async (t) => {
  const world = await openWorld()
  try {
    const typed = await type(world, await blocksOf('README.md', 'Quick tour'))
    for (const { printed, promised } of typed) if (promised !== undefined) t.is(printed, promised)
    t.is(typed.length, 6)
    t.regex(typed[1]?.printed ?? '', /^did:key:z6Mk/)
    t.is(JSON.parse(typed.at(-1)?.printed ?? '').data.length, 3)
  } finally {
    await world.close()
  }
})
