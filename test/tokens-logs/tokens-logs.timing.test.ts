import { randomBytes, randomUUID } from 'node:crypto'
import test from 'ava'
import { openWorld, type World } from '../support/world.ts'

const PAIRS = 600

let world: World
test.before(async () => {
  world = await openWorld({ env: { TOKEN_RATE_LIMIT_PER_MINUTE: '1000000' } })
})
test.after.always(() => world?.close())

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

test.serial('an unknown client takes as long as a wrong secret: medians within 5 % (D-009)', async (t) => {
  t.timeout(300_000)
  const ask = async (clientId: string) => {
    const clientSecret = randomBytes(32).toString('base64url')
    const begun = performance.now()
    const { status } = await world.ask('/v1/auth/token', {
      body: { clientId, clientSecret, grantType: 'client_credentials' },
    })
    const took = performance.now() - begun
    t.is(status, 401)
    return took
  }
  const times = { known: [] as number[], unknown: [] as number[] }
  const stranger = randomUUID()
  for (let nth = 0; nth < 50; nth++) for (const clientId of [world.first.clientId, stranger]) await ask(clientId)
  for (let nth = 0; nth < PAIRS; nth++) {
    // each comes first as often as the other: what a request leaves to be done after its answer delays the next
    if (nth % 2 === 0) times.known.push(await ask(world.first.clientId))
    times.unknown.push(await ask(stranger))
    if (nth % 2 === 1) times.known.push(await ask(world.first.clientId))
  }
  const [known, unknown] = [median(times.known), median(times.unknown)]
  t.log(`${known.toFixed(2)} ms for a wrong secret, ${unknown.toFixed(2)} ms for an unknown client`)
  t.true(Math.abs(unknown / known - 1) < 0.05)
})
