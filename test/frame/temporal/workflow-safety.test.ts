import { readdirSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ReplayResult, Worker } from '@temporalio/worker'
import { DeterminismViolationError } from '@temporalio/workflow'
import test from 'ava'
import { pino } from 'pino'
import { scheduledJobs, schedules } from '../../../activities/frame/schedules.ts'
import { createDataConverter } from '../../../activities/frame/temporal/codec.ts'
import { bundleWorkflows } from '../../../activities/frame/worker/bundle.ts'
import { installRuntime } from '../../../activities/frame/worker/logging.ts'
import { workflows } from '../../../protocol/workflows.ts'
import { fileOf, fromJson, historyDirectory, historyKey } from '../../support/frame/histories/files.ts'
import { scenarios } from '../../support/frame/histories/scenarios.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

const workflowTypes = [...Object.keys(workflows), ...Object.keys(schedules)]

test.before(() => installRuntime(pino({ level: 'silent' })))

/** The replay of every stored history whose name starts so, by workflow id. */
async function replay(code: string, startsWith = ''): Promise<Map<string, ReplayResult['error']>> {
  const names = readdirSync(historyDirectory).filter((name) => name.startsWith(startsWith))
  const histories = names.map((name) => ({
    workflowId: name.replace('.history.json', ''),
    history: fromJson(readFileSync(new URL(name, historyDirectory), 'utf8')),
  }))
  const options = { workflowBundle: { code }, dataConverter: createDataConverter(historyKey) }
  const results = new Map<string, ReplayResult['error']>()
  for await (const { workflowId, error } of Worker.runReplayHistories(options, histories))
    results.set(workflowId, error)
  return results
}

/** The bundle of a copy of the workflows in which one file was changed. */
async function bundleChanged(file: string, change: (text: string) => string): Promise<string> {
  await mkdir(join(root, 'build'), { recursive: true })
  const copy = await mkdtemp(join(root, 'build', 'changed-')) // below the root, so that packages are found
  try {
    for (const layer of ['workflows', 'protocol']) await cp(join(root, layer), join(copy, layer), { recursive: true })
    const path = join(copy, 'workflows', file)
    const before = await readFile(path, 'utf8')
    const after = change(before)
    if (after === before) throw new Error(`the change does not fit ${file} any more`)
    await writeFile(path, after)
    return (await bundleWorkflows(join(copy, 'workflows', 'index.ts'))).code
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
}

/** Two statements that follow each other change places. */
const swap = (first: RegExp, second: RegExp) => (text: string) =>
  text.replace(new RegExp(`(${first.source})(\\s*)(${second.source})`), '$3$2$1')

test.serial('every workflow has a stored history, and every scenario one', (t) => {
  const described = [...new Set(scenarios.map(({ workflowType }) => workflowType))]
  t.deepEqual(
    described.toSorted(),
    workflowTypes.toSorted(),
    'add it to test/support/frame/histories/scenarios.ts, then run record.ts beside it',
  )
  const stored = readdirSync(historyDirectory).toSorted()
  t.deepEqual(stored, scenarios.map((scenario) => fileOf(scenario).pathname.split('/').at(-1) ?? '').toSorted())
})

test.serial('every schedule starts a workflow that there is', (t) => {
  for (const { id, workflowType } of scheduledJobs()) t.true(workflowTypes.includes(workflowType), id)
})

test.serial('the bundle holds no Node built-ins, and every stored history replays', async (t) => {
  const { code } = await bundleWorkflows()
  t.notRegex(code, /require\(["'](node:|fs|net|http|crypto|child_process|worker_threads|path|os)["'/]?/)
  const results = await replay(code)
  t.is(results.size, scenarios.length)
  for (const [workflowId, error] of results) t.is(error, undefined, workflowId)
})

test.serial('a workflow that reaches a Node built-in is not bundled', async (t) => {
  for (const module of ['fs', 'node:fs', '@temporalio/client']) {
    const reaching = bundleChanged(
      'dids.ts',
      (text) => `import * as planted from '${module}'\n${text}\nexport { planted }\n`,
    )
    await t.throwsAsync(reaching, { message: /disallowed modules|UnhandledSchemeError/ }, module)
  }
})

test.serial('a copy with two steps of the registration swapped fails to replay', async (t) => {
  const code = await bundleChanged(
    'dids.ts',
    swap(/await createDidKeys\(subject\)/, /await writeDidDocument\(subject\)/),
  )
  const results = await replay(code, 'registerWebDid')
  t.true(results.size >= 3)
  for (const [workflowId, error] of results) t.true(error instanceof DeterminismViolationError, workflowId)
})

test.serial('a copy that forgets before it destroys fails to replay (specification, DIDs: delete)', async (t) => {
  const code = await bundleChanged('dids.ts', swap(/await destroyDidKeys\(subject\)/, /await removeDid\(subject\)/))
  const results = await replay(code, 'deleteDid')
  t.is(results.size, 2)
  for (const [workflowId, error] of results) t.true(error instanceof DeterminismViolationError, workflowId)
})

test.serial('a copy that erases the rows of a batch before it ends fails to replay', async (t) => {
  const code = await bundleChanged('credentials.batches.ts', (text) =>
    text.replace(
      'const end = await completeBatch',
      'await discardBatchRows(subject)\n    const end = await completeBatch',
    ),
  )
  const results = await replay(code, 'signBatch.five-chunks')
  t.is(results.size, 1)
  for (const [workflowId, error] of results) t.true(error instanceof DeterminismViolationError, workflowId)
})
