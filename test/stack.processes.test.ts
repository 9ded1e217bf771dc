import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import test from 'ava'
import { promisedSecret, writeFirstTenant } from '../stack/first-tenant.ts'
import { openLedger } from '../stack/ledger.ts'
import { withLock } from '../stack/lock.ts'
import { logTo, notable } from '../stack/log-file.ts'
import { masterKeyFrom } from '../stack/master-key.ts'
import { assertPortFree, freePort } from '../stack/ports.ts'
import { end, isRunning, startOf } from '../stack/processes.ts'
import { Supervisor } from '../stack/supervisor.ts'
import { eventually, isAlive, launchNode, script, temporary } from './support/stack.ts'

const FOREVER = 'setInterval(() => {}, 1000)'
const quiet = () => undefined

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
  const parent = script(['test/support/stack.parent.ts'])
  t.true(await parent.says(/^\d+$/))
  const child = Number(parent.lines[0])
  t.true(isAlive(child))
  parent.child.kill('SIGKILL')
  t.is((await parent.ended).signal, 'SIGKILL')
  t.true(await eventually(() => !isAlive(child)))
})

test('a busy port is named, with the variable that changes it (issue 3, Two commands)', async (t) => {
  const server = createServer()
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const error = await t.throwsAsync(assertPortFree('127.0.0.1', port, 'the API', 'PORT'))
  t.regex(error.message, new RegExp(`Port ${port} of 127\\.0\\.0\\.1, wanted for the API, .* set PORT to another`))
  await new Promise((resolve) => server.close(resolve))
  await t.notThrowsAsync(assertPortFree('127.0.0.1', port, 'the API', 'PORT'))
})

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
  t.regex(said.join(), /Ending what an interrupted start left: Sleeper/)
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

const ledger = { record: quiet, stopping: quiet }

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
  const begun = Date.now()
  await supervisor.stop()
  t.true(Date.now() - begun < 5_000)
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

test('the master key is made once, 32 bytes, readable by us alone; a file that others may read is refused', (t) => {
  const file = join(temporary(t, 'key'), 'local', 'master.key')
  const key = masterKeyFrom(file)
  t.is(Buffer.from(key, 'base64').length, 32)
  t.is(statSync(file).mode & 0o777, 0o600)
  t.is(masterKeyFrom(file), key)
  writeFileSync(`${file}.open`, key)
  chmodSync(`${file}.open`, 0o644)
  t.throws(() => masterKeyFrom(`${file}.open`), { message: /chmod 600/ })
})

test('the first secret is on disk before it is in the database: a start that is cut off in between does not lose it', (t) => {
  const file = join(temporary(t, 'tenant'), 'first-tenant.json')
  const addresses = { baseUrl: 'http://localhost:3000', docsUrl: 'http://localhost:3000/docs', temporalUiUrl: '' }
  const clientSecret = promisedSecret(file)
  t.is(Buffer.from(clientSecret, 'base64url').length, 32)
  t.is(statSync(file).mode & 0o777, 0o600)
  t.is(promisedSecret(file), clientSecret)
  const first = writeFirstTenant(file, { tenantId: 'T', clientId: 'C', clientSecret }, addresses)
  t.is(statSync(file).mode & 0o777, 0o600)
  t.deepEqual(JSON.parse(readFileSync(file, 'utf8')), first)
  t.is(promisedSecret(file), clientSecret)
})

test('the console shows warnings, errors and crashes, and nothing else of the logs', (t) => {
  t.is(notable('API', '{"level":30,"msg":"request"}'), undefined)
  t.is(notable('API', ''), undefined)
  t.is(notable('API', '{"level":40,"msg":"slow"}'), 'API: warning: slow')
  t.is(
    notable('API', '{"level":50,"msg":"failed","err":{"message":"no database"}}'),
    'API: error: failed (no database)',
  )
  t.is(notable('API', 'TypeError: x'), 'API: TypeError: x')
})

test('a log file stays bounded, with the one before it kept', async (t) => {
  const path = join(temporary(t, 'log'), 'log', 'api.log')
  const log = logTo(path, 1_000)
  const stream = new PassThrough()
  const lines: string[] = []
  log.follow(stream, (line) => lines.push(line))
  for (let n = 0; n < 100; n++) stream.write(`line ${n} ${'x'.repeat(40)}\n`)
  stream.end()
  t.true(await eventually(() => lines.length === 100))
  log.close()
  t.true(statSync(path).size <= 1_100)
  t.true(statSync(path.replace('.log', '.1.log')).size <= 1_100)
  t.is(statSync(path).mode & 0o777, 0o600)
})
