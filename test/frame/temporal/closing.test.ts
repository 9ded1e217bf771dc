import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import test from 'ava'
import { connectTemporal } from '../../../activities/frame/temporal/index.ts'
import { freePort } from '../../../stack/parts/ports.ts'
import { codeOf } from '../../support/parts/keys.ts'

test('a process that stops while calls wait for a Temporal that is away waits for them, and ends without an error', async (t) => {
  const temporal = { address: `127.0.0.1:${await freePort()}`, namespace: 'default', taskQueue: 'none', uiUrl: '' }
  const client = connectTemporal({ temporal, masterKey: randomBytes(32) })
  const outcomes: string[] = []
  const calls = Array.from({ length: 8 }, async () => {
    outcomes.push(await codeOf(client.check()))
    outcomes.push(await codeOf(client.check())) // as one who tries something else when the first call failed
  })
  await wait(20) // the first attempts have failed, the next ones wait
  await client.close()
  await Promise.all(calls)
  t.deepEqual(outcomes, Array(16).fill('unavailable'))
  await wait(1_000) // an attempt on a closed channel would throw in a timer, which ends the process
})

test('a call that begins while a process stops is refused, and the process ends without an error', async (t) => {
  const temporal = { address: `127.0.0.1:${await freePort()}`, namespace: 'default', taskQueue: 'none', uiUrl: '' }
  const client = connectTemporal({ temporal, masterKey: randomBytes(32) })
  const outcomes = [codeOf(client.check())]
  await wait(20) // the first attempt has failed, the next one waits
  const closed = client.close()
  for (let nth = 0; nth < 20; nth++) {
    outcomes.push(codeOf(client.check()))
    await wait(25)
  }
  await closed
  t.deepEqual(await Promise.all(outcomes), Array(21).fill('unavailable'))
  await wait(1_000) // as above
})
