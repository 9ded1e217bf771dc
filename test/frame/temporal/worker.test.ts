import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { pino } from 'pino'
import { createOutboxRows } from '../../../activities/frame/outbox.ts'
import type { WorkflowStart } from '../../../activities/frame/temporal/starts.ts'
import { bundleWorkflows } from '../../../activities/frame/worker/bundle.ts'
import { startWorker } from '../../../activities/frame/worker/start.ts'
import { connect, inTenant } from '../../../entities/orm.ts'
import { SCHEMA } from '../../../entities/schema.ts'
import { freePort } from '../../../stack/parts/ports.ts'
import { openDatabase, type TestDatabase } from '../../support/parts/database.ts'
import { openTemporal, type TestTemporal } from '../../support/parts/temporal.ts'

const masterKey = randomBytes(32)
const outbox = createOutboxRows(masterKey)
let database: TestDatabase
let world: TestTemporal
const workers = new Set<ChildProcess>()

test.before(async () => {
  ;[database, world] = await Promise.all([openDatabase(masterKey), openTemporal(masterKey)])
})

test.after.always(async () => {
  for (const child of workers) child.kill('SIGKILL')
  await world?.close()
  await database?.close()
})

interface WorkerProcess {
  child: ChildProcess
  url: string
  output(): string
  exited: Promise<[code: number | null, signal: NodeJS.Signals | null]>
}

async function launch(environment: Record<string, string> = {}): Promise<WorkerProcess> {
  const operatorPort = (await freePort()) - 1
  const child = spawn(process.execPath, [...process.execArgv, 'activities/worker.ts'], {
    cwd: fileURLToPath(new URL('../../..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: database.url,
      KEY_STORE_MASTER_KEY: masterKey.toString('base64'),
      TEMPORAL_ADDRESS: world.config.temporal.address,
      TEMPORAL_TASK_QUEUE: 'countersign',
      OPERATOR_PORT: String(operatorPort),
      SHUTDOWN_SECONDS: '5',
      ...environment,
    },
  })
  workers.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const exited = once(child, 'exit').finally(() => workers.delete(child)) as WorkerProcess['exited']
  return { child, url: `http://127.0.0.1:${operatorPort + 1}`, output: () => output, exited }
}

const eventually = async (what: () => boolean | Promise<boolean>, limitMs: number): Promise<boolean> => {
  const until = Date.now() + limitMs
  while (Date.now() < until) {
    if (await what()) return true
    await wait(100)
  }
  return false
}

const ready = (worker: WorkerProcess) => eventually(() => worker.output().includes('"worker ready"'), 60_000)

const startOf = (): WorkflowStart => {
  const [tenantId, didId] = [randomUUID(), randomUUID()]
  return {
    tenantId,
    area: 'dids',
    objectId: didId,
    summary: 'Register a did:web',
    workflowType: 'registerWebDid',
    workflowId: `${tenantId}/dids/${didId}`,
    payload: { tenantId, didId },
  }
}

const commit = async (start: WorkflowStart): Promise<WorkflowStart> => {
  await inTenant(database.tenants, start.tenantId, (em) => outbox.write(em, start))
  return start
}

test.serial('the worker is ready, relays, works, shows its health, and ends by SIGTERM with code 0', async (t) => {
  const worker = await launch()
  t.true(await ready(worker), worker.output())
  const health = await fetch(`${worker.url}/health/ready`)
  const parts = { worker: 'up', temporal: 'up', database: 'up', documents: 'up' }
  t.deepEqual(await health.json(), { status: 'up', parts })

  const start = await commit(startOf())
  const handle = world.temporal.client.workflow.getHandle(start.workflowId)
  t.true(
    await eventually(
      () =>
        handle.describe().then(
          () => true,
          () => false,
        ),
      10_000,
    ),
    'the relay started it',
  )
  t.is(await handle.result(), 'DELETED') // there is no such row: a refusal, final, and the workflow's answer to it

  const metrics = await (await fetch(`${worker.url}/metrics`)).text()
  t.regex(metrics, /countersign_activity_seconds_count\{activity="createDidKeys",outcome="refused"\} 1/)
  t.regex(metrics, /countersign_outbox_waiting 0/)
  t.is((await fetch(`${worker.url}/health/live`)).status, 200)
  t.is((await fetch(`${worker.url}/anything`)).status, 404)

  worker.child.kill('SIGTERM')
  t.deepEqual(await worker.exited, [0, null], worker.output())
})

test.serial('rows committed while workers are killed are all started, each once', async (t) => {
  const starts: WorkflowStart[] = []
  for (let round = 0; round < 2; round += 1) {
    const worker = await launch()
    t.true(await ready(worker), worker.output())
    starts.push(...(await Promise.all(Array.from({ length: 40 }, () => commit(startOf())))))
    await wait(50 + round * 150)
    worker.child.kill('SIGKILL')
    await worker.exited
    starts.push(...(await Promise.all(Array.from({ length: 10 }, () => commit(startOf())))))
  }
  const last = await launch()
  t.true(await ready(last), last.output())
  const waiting = async () => {
    const text = 'select count(*)::int as count from outbox where started_at is null'
    const { rows } = await database.systemSql.query<{ count: number }>({ text, values: [] })
    return rows[0]?.count
  }
  t.true(await eventually(async () => (await waiting()) === 0, 15_000), `${await waiting()} rows wait`)
  const results = await Promise.all(
    starts.map(({ workflowId }) => world.temporal.client.workflow.getHandle(workflowId).result()),
  )
  t.is(results.filter((result) => result === 'DELETED').length, 100)
  t.true(
    await eventually(async () => {
      const { count } = await world.temporal.client.workflow.count(
        `WorkflowType = 'registerWebDid' and ExecutionStatus = 'Completed'`,
      )
      return count === 101 // with the one of the first test: none ran twice
    }, 10_000),
  )
  last.child.kill('SIGTERM')
  await last.exited
})

test.serial('a worker that starts before Temporal waits for it, and says so', async (t) => {
  await world.stopServer()
  const worker = await launch()
  try {
    t.true(await eventually(() => worker.output().includes('"worker waits"'), 30_000), worker.output())
    const health = await fetch(`${worker.url}/health/ready`)
    t.is(health.status, 503)
    t.like(await health.json(), { parts: { worker: 'down', temporal: 'down', database: 'up' } })
    t.is((await fetch(`${worker.url}/health/live`)).status, 200)
  } finally {
    await world.startServer()
  }
  t.true(await ready(worker), worker.output())
  worker.child.kill('SIGTERM')
  t.deepEqual(await worker.exited, [0, null], worker.output())
})

const asOwner = async (text: string) => {
  const owner = await connect(database.url, 1)
  await owner.em.getConnection().execute(text)
  await owner.close()
}

test.serial(
  'a worker that is newer than the schema says so, polls for nothing, and goes on when it is migrated (D-141)',
  async (t) => {
    const last = SCHEMA.at(-1) ?? ''
    await asOwner(`delete from migrations where name = '${last}'`)
    const worker = await launch()
    try {
      t.true(await eventually(() => worker.output().includes('"worker waits"'), 30_000), worker.output())
      t.regex(worker.output(), new RegExp(`The database lacks migrations of this version \\(${last}\\)`))
      const health = await fetch(`${worker.url}/health/ready`)
      t.is(health.status, 503)
      t.like(await health.json(), { parts: { worker: 'down', database: 'down' } })
    } finally {
      await asOwner(`insert into migrations (name) values ('${last}')`)
    }
    t.true(await ready(worker), worker.output())
    worker.child.kill('SIGTERM')
    t.deepEqual(await worker.exited, [0, null], worker.output())
  },
)

test.serial(
  'a worker that is older than the schema says so and ends with exit code 78, for no waiting mends that (D-141, D-214)',
  async (t) => {
    await asOwner(`insert into migrations (name) values ('9999-of-tomorrow')`)
    try {
      const worker = await launch()
      t.deepEqual(await worker.exited, [78, null], worker.output())
      t.regex(worker.output(), /migrated by a newer version \(9999-of-tomorrow\)/)
      t.notRegex(worker.output(), /worker (ready|waits)/)
    } finally {
      await asOwner(`delete from migrations where name = '9999-of-tomorrow'`)
    }
  },
)

test.serial('a worker that waits ends by SIGTERM at once', async (t) => {
  const worker = await launch({ TEMPORAL_ADDRESS: `127.0.0.1:${await freePort()}` })
  t.true(await eventually(() => worker.output().includes('"worker waits"'), 30_000), worker.output())
  worker.child.kill('SIGTERM')
  t.deepEqual(await worker.exited, [0, null], worker.output())
})

test.serial('an activity in hand is finished when the worker is told to stop', async (t) => {
  const bundle = await bundleWorkflows(new URL('../../support/frame/frame.workflows.ts', import.meta.url).pathname)
  let attempts = 0
  const repeat = async ({ words }: { words: string }) => {
    attempts += 1
    await wait(1_500)
    return { words }
  }
  const begin = () =>
    startWorker({
      config: world.config,
      activities: { repeat },
      jobs: [],
      temporal: world.temporal,
      systemSql: database.systemSql,
      outbox,
      log: pino({ level: 'silent' }),
      bundle,
    })
  const first = await begin()
  const workflowId = `frame/${randomUUID()}`
  const start = { ...startOf(), workflowType: 'repeatWords', workflowId, payload: { words: 'finished' } }
  await world.temporal.startWorkflow(start)
  t.true(await eventually(() => attempts === 1, 10_000))
  await first.stop()
  const second = await begin()
  t.deepEqual(await world.temporal.client.workflow.getHandle(workflowId).result(), { words: 'finished' })
  await second.stop()
  t.is(attempts, 1)
})

test.serial('a worker whose patience ends fails, so that nobody takes it for healthy', async (t) => {
  const temporal = { ...world.config.temporal, address: `127.0.0.1:${await freePort()}` }
  const nowhere = { ...world.temporal, check: () => Promise.reject(new Error('nobody is there')) }
  await t.throwsAsync(
    startWorker({
      config: { ...world.config, temporal },
      activities: {},
      jobs: [],
      temporal: nowhere,
      systemSql: database.systemSql,
      outbox,
      log: pino({ level: 'silent' }),
      bundle: await bundleWorkflows(new URL('../../support/frame/frame.workflows.ts', import.meta.url).pathname),
      patienceMs: 1_000,
    }),
    { message: /did not answer in time/ },
  )
})
