import { execFile } from 'node:child_process'
import { chmodSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import type { FirstTenant } from '../../stack/local/first-tenant.ts'
import { freePort } from '../../stack/parts/ports.ts'
import { isRunning, type Recorded } from '../../stack/parts/processes.ts'
import { children, descendants, eventually, isAlive, script, temporary } from '../support/stack/stack.ts'

const run = promisify(execFile)
const READY = /^Countersign is ready \(([\d.]+) s\)/

interface Ledger {
  pid: number
  parts: Recorded[]
}

/** A folder of its own in place of .local, and ports of its own: `npm start` beside whatever else runs here. */
async function machine(t: Parameters<typeof temporary>[0]) {
  const local = temporary(t, 'start')
  const names = ['PORT', 'DATABASE_PORT', 'TEMPORAL_PORT', 'TEMPORAL_UI_PORT', 'OPERATOR_PORT']
  const ports = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, String(await freePort())] as const)),
  )
  const env: Record<string, string> = {
    ...ports,
    API_PROCESSES: '1',
  }
  const start = () => {
    const started = script(['stack/start.ts', '--local', local], env)
    t.teardown(async () => {
      started.child.kill('SIGTERM')
      await started.ended
    })
    return started
  }
  const ledger = () => JSON.parse(readFileSync(join(local, 'processes.json'), 'utf8')) as Ledger
  const first = () => JSON.parse(readFileSync(join(local, 'first-tenant.json'), 'utf8')) as FirstTenant
  return { local, env, start, ledger, first }
}

const secondsOf = (lines: string[]) => Number(READY.exec(lines.find((line) => READY.test(line)) ?? '')?.[1])

test('npm start brings everything up, a second start is quick, and neither a signal nor kill -9 leaves anything', async (t) => {
  t.timeout(480_000)
  const { local, env, start, ledger, first } = await machine(t)

  chmodSync(local, 0o755) // as an earlier release left it
  const fresh = start()
  t.true(await fresh.says(READY), fresh.lines.join('\n'))
  t.is(statSync(local).mode & 0o027, 0, 'others and the group have no look into it')
  const tenant = first()
  t.deepEqual(Object.keys(tenant), ['tenantId', 'clientId', 'clientSecret', 'baseUrl', 'docsUrl', 'temporalUiUrl'])
  for (const value of Object.values(tenant)) t.truthy(value)
  const open = readdirSync(local, { recursive: true, encoding: 'utf8' }).filter(
    // a file that Temporal or PostgreSQL removes meanwhile is readable by nobody
    (path) =>
      (lstatSync(join(local, path), { throwIfNoEntry: false })?.mode ?? 0) & 0o007 && !path.startsWith('postgres/data'),
  )
  t.deepEqual(open, [], 'readable by others')
  for (const file of ['first-tenant.json', 'master.key', 'temporal.db', 'log/api.log', 'log/temporal.log'])
    t.is(statSync(join(local, file)).mode & 0o777, 0o600, file)
  for (const address of [tenant.baseUrl, tenant.docsUrl, tenant.temporalUiUrl])
    t.true(
      fresh.lines.some((line) => line.trim().endsWith(address)),
      address,
    )
  t.false(fresh.lines.join('\n').includes(tenant.clientSecret))

  t.true((await fetch(tenant.docsUrl)).ok)
  t.true((await fetch(tenant.temporalUiUrl)).ok)
  const pasted = fresh.lines.find((line) => line.startsWith('curl ')) ?? ''
  const { stdout } = await run('bash', ['-c', pasted])
  t.regex(JSON.parse(stdout).access_token, /^[\w-]+\.[\w-]+\.[\w-]+$/)

  const temporal = fresh.lines.find((line) => line.startsWith('  Temporal CLI'))?.replace('  Temporal CLI', '') ?? ''
  const schedules = await run('bash', ['-c', `${temporal} schedule list`])
  t.regex(schedules.stdout, /publish-status-lists/)

  const operator = Number(env.OPERATOR_PORT)
  const metricsOf = async (port: number) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  t.regex(await metricsOf(operator), /countersign_http_request_seconds_count\{.*route="\/v1\/auth\/token".*\} 1/)
  t.regex(await metricsOf(operator + 1), /countersign_outbox_waiting 0/)
  for (const port of [operator, operator + 1]) {
    t.regex(await metricsOf(port), /countersign_database_connections\{role="system",state="(idle|busy)"\} \d/)
    t.regex(await metricsOf(port), /countersign_key_store_breaker_open 0/)
  }

  const before = ledger()
  t.deepEqual(before.parts.map(({ name }) => name).sort(), ['API', 'PostgreSQL', 'Temporal', 'Worker'])
  const everything = descendants(before.pid)
  t.true(everything.length > before.parts.length)
  fresh.child.kill('SIGTERM')
  t.is((await fresh.ended).code, 0)
  t.deepEqual(everything.filter(isAlive), [])

  const second = start()
  t.true(await second.says(READY), second.lines.join('\n'))
  t.log(`second start: ${secondsOf(second.lines)} s`)
  t.deepEqual(first(), tenant)
  const guard = children(second.pid).filter((pid) => !ledger().parts.some((part) => part.pid === pid))
  const left = ledger().parts
  for (const pid of [second.pid, ...guard]) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
  await second.ended
  t.true(left.some(isRunning), 'something was left to end')

  const third = start()
  t.true(await third.says(READY), third.lines.join('\n'))
  t.true(
    third.lines.some((line) => line.startsWith('Ending processes of an interrupted start: ')),
    third.lines.join('\n'),
  )
  t.deepEqual(left.filter(isRunning), [])
  const { parts } = ledger()
  third.child.kill('SIGKILL')
  await third.ended
  t.true(await eventually(() => !parts.some(isRunning), 30_000), 'the guard ends what its process left')
})

test('a port that is taken stops the start with one sentence, and nothing is left running', async (t) => {
  const { env, start } = await machine(t)
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(Number(env.PORT), '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const started = start()
  t.is((await started.ended).code, 1)
  t.is(started.lines.length, 1)
  t.regex(started.lines[0] ?? '', new RegExp(`Port ${env.PORT} .* set PORT to another`))
})

test('a variable that is not usable stops the start before anything is brought up', async (t) => {
  const { local, env } = await machine(t)
  const started = script(['stack/start.ts', '--local', local], { ...env, STATUS_WINDOW_SECONDS: 'soon' })
  t.is((await started.ended).code, 1)
  t.regex(started.lines.join('\n'), /^STATUS_WINDOW_SECONDS is not usable: .*$/)
})

test('a start that is stopped in the middle leaves nothing', async (t) => {
  const { local, start, ledger } = await machine(t)
  const started = start()
  t.true(await eventually(() => statSync(join(local, 'postgres'), { throwIfNoEntry: false }) !== undefined))
  t.true(await eventually(() => ledger().parts.length > 0))
  const { parts } = ledger()
  started.child.kill('SIGINT')
  t.is((await started.ended).code, 0)
  t.deepEqual(parts.filter(isRunning), [])
})
