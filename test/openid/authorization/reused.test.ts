import test from 'ava'
import { createSessionTokens } from '../../../activities/openid/sessions/tokens.ts'
import { openWorld } from '../../support/world.ts'

test('a code that is used again wakes each session that ends by it', async (t) => {
  const world = await openWorld()
  try {
    const { database, now } = world.dependencies
    const woken: string[] = []
    const parts = {
      ...{ database, now },
      codes: { take: async () => ({ reusedIn: 'first', alsoEnded: ['second', 'third'] }) },
      wake: async (_tenantId: string, sessionId: string) => void woken.push(sessionId),
    }
    const { exchangeCode } = createSessionTokens(parts as never)
    const request = { grantType: 'authorization_code', code: 'x', codeVerifier: 'x', redirectUri: 'x' }
    const call = { tenantId: world.first.tenantId, requestId: 'r' }
    await t.throwsAsync(exchangeCode(call, request as never, {} as never), { message: /was used already/ })
    t.deepEqual(woken, ['first', 'second', 'third'])
  } finally {
    await world.close()
  }
})
