import anyTest from 'ava'
import { until } from '../../support/credentials/dids.ts'
import { type Killable, openKillable } from '../../support/openid/killing/platform.ts'
import { collect, type GrantType, STEPS } from '../../support/openid/killing/session.ts'
import type { SessionAnswer } from '../../support/openid/wallet.ts'
import { needs } from '../../support/parts.ts'

const test = needs('Vault', anyTest.serial)

const PARTS = ['the worker', 'the API', 'Temporal', 'PostgreSQL', 'Vault', 'the upstream provider']

/** Where an answer may be lost with what it gave: whoever holds the code, or the row of it, is killed. */
const MAY_LOSE_A_CODE = ['the API', 'PostgreSQL']

let opened: Promise<Killable> | undefined
const open = (): Promise<Killable> => {
  opened ??= openKillable()
  return opened
}
anyTest.after.always(async () => (await opened?.catch(() => undefined))?.close())

/** The sessions of each cell, looked at once more at the end. */
const collected: string[][] = []

const ONE = { credentials: 1, entries: 1, recorded: 1 }

for (const part of PARTS)
  for (const [grantType, steps] of Object.entries(STEPS) as [GrantType, readonly string[]][])
    for (const step of steps)
      test(`kill -9 of ${part} at ${step} (${grantType}): the wallet's retry gets one credential, one entry, one event (fault matrix, O)`, async (t) => {
        t.timeout(10 * 60_000)
        const killable = await open()
        const killed = killable.parts[part]
        if (!killed) throw new Error(`there is no ${part}`)
        const began = Date.now()
        const { sessions, lost } = await collect({ killable, part: killed, grantType, at: step })
        t.log(`${part} at ${step}: ${Date.now() - began} ms${lost ? ', with a new offer' : ''}`)
        if (lost) t.true(MAY_LOSE_A_CODE.includes(part))
        collected.push(sessions)
        t.deepEqual(await killable.counted(sessions), ONE)
        await until('the event', async () => killable.eventsOf(sessions).size > 0, 60_000)
        const stateOf = async (id: string) => {
          const reply = await killable.ask(`/v1/openid/sessions/${id}`, { token: await killable.tokenOf() })
          return reply.json<SessionAnswer>().state
        }
        await until('the end', async () => (await stateOf(sessions.at(-1) ?? '')) === 'COMPLETED', 60_000)
        t.is(killable.eventsOf(sessions).size, 1)
      })

test('after all of it each session still has one credential, one entry and one event', async (t) => {
  const killable = await open()
  t.is(collected.length, PARTS.length * (STEPS.authorization_code.length + STEPS['pre-authorized_code'].length))
  for (const sessions of collected) {
    t.deepEqual(await killable.counted(sessions), ONE)
    t.is(killable.eventsOf(sessions).size, 1)
  }
})
