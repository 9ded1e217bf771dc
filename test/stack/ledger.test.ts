import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { openLedger } from '../../stack/local/ledger.ts'
import { withLock } from '../../stack/local/lock.ts'
import { isAlive, launchNode, temporary } from '../support/stack/stack.ts'

const FOREVER = 'setInterval(() => {}, 1000)'
const quiet = () => undefined

test('a lock is held by one at a time', async (t) => {
  const file = join(temporary(t, 'lock'), 'some.lock')
  let inside = 0
  let most = 0
  const work = async () => {
    inside += 1
    most = Math.max(most, inside)
    await new Promise((resolve) => setTimeout(resolve, 20))
    inside -= 1
  }
  await Promise.all([1, 2, 3, 4].map(() => withLock(file, work, quiet)))
  t.is(most, 1)
})

test('the lock of a process that is gone is taken over, by one of those who wait', async (t) => {
  const file = join(temporary(t, 'lock'), 'some.lock')
  writeFileSync(file, JSON.stringify({ pid: process.pid, started: 'an earlier process with our number' }))
  const order: number[] = []
  await Promise.all([1, 2, 3].map((n) => withLock(file, async () => void order.push(n), quiet)))
  t.is(order.length, 3)
})

test('a lock is let go when the work fails', async (t) => {
  const file = join(temporary(t, 'lock'), 'some.lock')
  await t.throwsAsync(
    withLock(file, () => Promise.reject(new Error('no')), quiet),
    { message: 'no' },
  )
  t.is(await withLock(file, async () => 'again', quiet), 'again')
})

test('the next start ends what a killed one left, and only that', async (t) => {
  const file = join(temporary(t, 'ledger'), 'processes.json')
  const left = await launchNode(FOREVER)
  const foreign = await launchNode(FOREVER)
  const parts = [left.recorded, { ...foreign.recorded, started: 'of another process' }]
  writeFileSync(file, JSON.stringify({ pid: process.pid, started: 'killed', stopping: false, parts }))
  const said: string[] = []
  const ledger = await openLedger(file, (line) => said.push(line))
  t.false(isAlive(left.pid))
  t.true(isAlive(foreign.pid))
  t.regex(said.join(), /Ending processes of an interrupted start: Sleeper/)
  ledger.release()
  await foreign.stop()
})

test('a second start in the same folder is told which process runs there', async (t) => {
  const file = join(temporary(t, 'ledger'), 'processes.json')
  const ledger = await openLedger(file, quiet)
  await t.throwsAsync(openLedger(file, quiet), {
    message: new RegExp(`runs here already \\(process ${process.pid}\\)`),
  })
  ledger.release()
})

test('a start waits for one that is just stopping', async (t) => {
  const file = join(temporary(t, 'ledger'), 'processes.json')
  const first = await openLedger(file, quiet)
  first.stopping()
  const second = openLedger(file, quiet)
  setTimeout(first.release, 300)
  ;(await second).release()
  t.pass()
})
