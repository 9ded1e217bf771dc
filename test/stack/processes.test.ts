import { readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import test from 'ava'
import { assertPortFree, freePort } from '../../stack/parts/ports.ts'
import { end, isRunning, startOf } from '../../stack/parts/processes.ts'
import { Supervisor } from '../../stack/parts/supervisor.ts'
import { eventually, isAlive, launchNode, script, temporary } from '../support/stack/stack.ts'

const FOREVER = 'setInterval(() => {}, 1000)'
const quiet = () => undefined

const ledger = { record: quiet, stopping: quiet }

test('a process is told from a later one with the same number', async (t) => {
  const part = await launchNode(FOREVER)
  t.true(isRunning(part.recorded))
  t.false(isRunning({ ...part.recorded, started: `${part.recorded.started}0` }))
  await part.stop()
  t.is(startOf(part.pid), undefined)
})

test('a process that is not the recorded one is left alone', async (t) => {
  const part = await launchNode(FOREVER)
  await end({ ...part.recorded, started: 'another start' })
  t.true(isAlive(part.pid))
  await part.stop()
})

test('one that does not stop when asked is killed, with what it started', async (t) => {
  const code = `const { pid } = require('node:child_process').spawn(process.execPath, ['-e', '${FOREVER}'])
    process.on('SIGTERM', () => {}); require('node:fs').writeFileSync(process.env.FILE, String(pid)); ${FOREVER}`
  const file = join(temporary(t, 'group'), 'pid')
  const part = await launchNode(code.replace('process.env.FILE', JSON.stringify(file)), { graceMs: 200 })
  t.true(await eventually(() => statSync(file, { throwIfNoEntry: false })?.size !== undefined))
  t.true(await eventually(() => readFileSync(file, 'utf8') !== ''))
  const grandchild = Number(readFileSync(file, 'utf8'))
  t.true(isAlive(grandchild))
  await part.stop()
  t.is(await part.exited, 'signal SIGKILL')
  t.true(await eventually(() => !isAlive(grandchild)))
})

test('kill -9 of whoever started it ends a process, though it does not notice by itself', async (t) => {
  const parent = script(['test/support/stack/stack.parent.ts'])
  t.true(await parent.says(/^\d+$/))
  const child = Number(parent.lines[0])
  t.true(isAlive(child))
  parent.child.kill('SIGKILL')
  t.is((await parent.ended).signal, 'SIGKILL')
  t.true(await eventually(() => !isAlive(child)))
})

test('a busy port is named, with the variable that changes it', async (t) => {
  const server = createServer()
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const error = await t.throwsAsync(assertPortFree('127.0.0.1', port, 'the API', 'PORT'))
  t.regex(error.message, new RegExp(`Port ${port} of 127\\.0\\.0\\.1, wanted for the API, .* set PORT to another`))
  await new Promise((resolve) => server.close(resolve))
  await t.notThrowsAsync(assertPortFree('127.0.0.1', port, 'the API', 'PORT'))
})

test('a part that ends on its own is started again, and the console says so', async (t) => {
  const said: string[] = []
  const supervisor = new Supervisor(ledger, (line) => said.push(line))
  let starts = 0
  const first = await supervisor.bring(async () => {
    starts += 1
    const part = await launchNode(FOREVER)
    supervisor.launched(part)
    return part
  })
  process.kill(first.pid, 'SIGKILL')
  t.true(await eventually(() => said.includes('Sleeper is back')))
  t.is(starts, 2)
  t.regex(said[0] ?? '', /^Sleeper ended \(signal SIGKILL\); starting it again in 0\.5 s$/)
  await supervisor.stop()
})

test('a part that cannot be started again is tried with growing pauses, and stopping ends the trying', async (t) => {
  const said: string[] = []
  const supervisor = new Supervisor(ledger, (line) => said.push(line))
  let starts = 0
  const part = await supervisor.bring(async () => {
    starts += 1
    if (starts > 1) throw new Error('The port is taken.')
    return launchNode('')
  })
  t.truthy(part.pid)
  t.true(await eventually(() => said.some((line) => line.includes('The port is taken. Trying again in 1 s'))))
  await supervisor.stop()
  const tried = starts
  await wait(2_000) // twice the pause that was told
  t.is(starts, tried)
})

test('parts are stopped in the opposite order, also one that is not ready yet', async (t) => {
  const supervisor = new Supervisor(ledger, quiet)
  const stopped: string[] = []
  for (const name of ['PostgreSQL', 'Temporal', 'Worker', 'API']) {
    const part = await launchNode(FOREVER)
    const stop = async () => {
      if (!stopped.includes(name)) stopped.push(name)
      await part.stop()
    }
    supervisor.launched({ ...part, name, stop })
  }
  await supervisor.stop()
  t.deepEqual(stopped, ['API', 'Worker', 'Temporal', 'PostgreSQL'])
})
