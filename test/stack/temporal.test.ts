import { randomUUID } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import test from 'ava'
import { freePort } from '../../stack/parts/ports.ts'
import { binaryCache, findTemporalBinary } from '../../stack/parts/temporal.binary.ts'
import { startTemporal } from '../../stack/parts/temporal.ts'
import { isAlive, temporary } from '../support/stack/stack.ts'

const quiet = () => undefined
const unreachable = async () => 'no network'

function program(path: string, work = 'exit 0'): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `#!/bin/sh\n${work}\n`)
  chmodSync(path, 0o755)
  return path
}

/** A machine with its own PATH and cache; `go install` there takes a moment and notes that it was called. */
function machine(t: Parameters<typeof temporary>[0]) {
  const root = temporary(t, 'machine')
  const env = { PATH: `${join(root, 'bin')}`, XDG_CACHE_HOME: join(root, 'cache') }
  const cached = join(binaryCache(env), 'temporal')
  const log = join(root, 'go.log')
  const build = `echo "$@" >> ${log}; /bin/sleep 0.3; printf '#!/bin/sh\\n' > "$GOBIN/temporal"; /bin/chmod +x "$GOBIN/temporal"`
  return { root, env, cached, log, build, go: join(root, 'bin', 'go') }
}

test('TEMPORAL_CLI comes first, and is named when there is no program', async (t) => {
  const { root, env } = machine(t)
  program(join(root, 'bin', 'temporal'))
  const own = program(join(root, 'own', 'temporal'))
  t.is(await findTemporalBinary({ ...env, TEMPORAL_CLI: own }, quiet, unreachable), own)
  await t.throwsAsync(findTemporalBinary({ ...env, TEMPORAL_CLI: `${own}.not` }, quiet, unreachable), {
    message: /^TEMPORAL_CLI is not usable/,
  })
})

test('then PATH, then the cache', async (t) => {
  const { root, env, cached } = machine(t)
  program(cached)
  t.is(await findTemporalBinary(env, quiet, unreachable), cached)
  const found = program(join(root, 'bin', 'temporal'))
  t.is(await findTemporalBinary(env, quiet, unreachable), found)
})

test('then it is built with Go, once, though two ask at once, and the progress is told', async (t) => {
  const { env, cached, go, build, log } = machine(t)
  program(go, build)
  const said: string[] = []
  const asked = [1, 2].map(() => findTemporalBinary(env, (line) => said.push(line), unreachable))
  t.deepEqual(await Promise.all(asked), [cached, cached])
  t.is(readFileSync(log, 'utf8'), 'install github.com/temporalio/cli/cmd/temporal@v1.5.1\n')
  t.true(said.some((line) => line.startsWith('Building the Temporal server with Go')))
  t.true(said.some((line) => line.startsWith('Waiting for another start')))
})

test('then it is downloaded', async (t) => {
  const { env, cached, go } = machine(t)
  program(go, 'echo "no such module" >&2; exit 1')
  const fetched = async (into: string) => void program(join(into, 'temporal'))
  t.is(await findTemporalBinary(env, quiet, fetched), cached)
})

test('when nothing works, one sentence says what to install', async (t) => {
  const { env } = machine(t)
  const error = await t.throwsAsync(findTemporalBinary(env, quiet, unreachable))
  t.regex(error.message, /Go is not installed.*no network.*Install the Temporal CLI .* or Go, or set TEMPORAL_CLI/)
  t.is(error.message.split('\n').length, 1)
})

test('workflows survive a stop and kill -9 of the Temporal server', async (t) => {
  const binary = await findTemporalBinary(process.env, console.log)
  const databaseFile = join(temporary(t, 'temporal'), 'temporal.db')
  const options = { binary, port: await freePort(), uiPort: await freePort(), databaseFile }
  const using = async <T>(work: (client: Client) => Promise<T>): Promise<T> => {
    const connection = await Connection.connect({ address: `127.0.0.1:${options.port}` })
    try {
      return await work(new Client({ connection }))
    } finally {
      await connection.close()
    }
  }
  const workflowId = randomUUID()
  const first = await startTemporal(options)
  t.is(first.address, `127.0.0.1:${options.port}`)
  t.true((await fetch(first.uiUrl)).ok)
  await using((client) => client.workflow.start('waits', { workflowId, taskQueue: 'nobody' }))
  await first.stop()
  t.false(isAlive(first.pid))
  const second = await startTemporal(options)
  process.kill(second.pid, 'SIGKILL')
  await second.exited
  const third = await startTemporal(options)
  t.teardown(third.stop)
  const { status } = await using((client) => client.workflow.getHandle(workflowId).describe())
  t.is(status.name, 'RUNNING')
})

test('a Temporal server that cannot start is a sentence', async (t) => {
  const binary = program(join(temporary(t, 'temporal'), 'temporal'), 'echo "unknown flag" >&2; exit 3')
  const options = { binary, port: await freePort(), uiPort: await freePort(), databaseFile: `${binary}.db` }
  await t.throwsAsync(startTemporal(options), { message: 'Temporal did not start (exit code 3): unknown flag' })
})
