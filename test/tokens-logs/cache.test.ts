import test from 'ava'
import { createSessionScopes } from '../../activities/administration/accounts/standing.ts'
import { createClients } from '../../activities/tokens-logs/clients.ts'
import { createTokens } from '../../activities/tokens-logs/tokens.ts'
import { codeOf } from '../support/parts/keys.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

/** A process whose clock the test sets. */
function processAt(start: Date) {
  let time = start.getTime()
  const clients = createClients(world.dependencies)
  const tokens = createTokens({
    ...world.dependencies,
    sessionScopes: createSessionScopes(world.dependencies),
    now: () => new Date(time),
  })
  return {
    setClock(date: Date) {
      time = date.getTime()
    },
    verify: (token: string) => codeOf(tokens.verifyToken(token)),
    async issue(): Promise<string> {
      const { clientId, clientSecret } = world.first
      const client = await clients.authenticate({ clientId, clientSecret }, () => undefined)
      return (await tokens.issueToken({ client, grantType: 'client_credentials' })).accessToken
    },
  }
}

const START = new Date('2030-01-01T00:00:00Z')
const after = (ms: number) => new Date(START.getTime() + ms)

test.serial('a remembered token ends at its exp like one that was never seen (RFC 7519 section 4.1.4)', async (t) => {
  const issuing = processAt(START)
  const token = await issuing.issue()
  const lifetimeMs = world.config.accessTokenLifetimeSeconds * 1000
  const remembering = processAt(START)
  t.is(await remembering.verify(token), 'none')
  for (const [at, outcome] of [
    [lifetimeMs - 1_000, 'none'],
    [lifetimeMs - 1, 'none'],
    [lifetimeMs, 'token.invalid'],
    [lifetimeMs + 1, 'token.invalid'],
    [lifetimeMs + 1_000, 'token.invalid'],
    [lifetimeMs + 86_400_000, 'token.invalid'],
  ] as const) {
    remembering.setClock(after(at))
    t.is(await remembering.verify(token), outcome, `remembered, ${at - lifetimeMs} ms after exp`)
    t.is(await processAt(after(at)).verify(token), outcome, `new, ${at - lifetimeMs} ms after exp`)
  }
})

test.serial('a token that has ended is no better after a second look', async (t) => {
  const process = processAt(START)
  const token = await process.issue()
  process.setClock(after(world.config.accessTokenLifetimeSeconds * 1000))
  for (let look = 0; look < 3; look += 1) t.is(await process.verify(token), 'token.invalid')
})

test.serial(
  'while the database is away, tokens of the keys that are known stay good, also after a minute',
  async (t) => {
    const process = processAt(START)
    const [seen, unseen] = [await process.issue(), await process.issue()]
    t.is(await process.verify(seen), 'none')
    await world.stopDatabase()
    try {
      for (const ms of [59_000, 61_000, 600_000]) {
        process.setClock(after(ms))
        t.is(await process.verify(seen), 'none', `${ms} ms`)
      }
      t.is(await process.verify(unseen), 'none')
    } finally {
      await world.startDatabase()
    }
  },
)
