import test from 'ava'
import { openWorld, type World } from './support/world.ts'
import { wrongSecrets } from './support/wrong-secrets.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const ROUNDS = 60
const median = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

test.serial('the time of a refusal does not tell a known client from an unknown one', async (t) => {
  const requests = wrongSecrets(world.first)
  const times = requests.map((): number[] => [])
  for (let round = 0; round < ROUNDS; round++)
    for (const [kind, body] of requests.entries()) {
      const from = performance.now()
      const { status } = await world.ask('/v1/auth/token', { body })
      times[kind]?.push(performance.now() - from)
      t.is(status, 401)
    }
  const [known = Number.NaN, ...others] = times.map(median)
  for (const other of others) {
    const ratio = known / other
    t.true(ratio > 0.5 && ratio < 2, `medians differ by the factor ${ratio}`)
  }
})
