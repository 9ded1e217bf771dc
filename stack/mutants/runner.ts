import { relative } from 'node:path'
import { INSTRUMENTER_CONSTANTS } from '@stryker-mutator/api/core'
import { declareClassPlugin, declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin'
import {
  type DryRunOptions,
  type DryRunResult,
  DryRunStatus,
  type MutantRunOptions,
  type MutantRunResult,
  MutantRunStatus,
  type TestResult,
  type TestRunner,
  TestStatus,
} from '@stryker-mutator/api/test-runner'
import { dismissGuard } from '../parts/part.ts'
import type { FileReport } from '../tests/report.ts'
import { proseIgnorer } from './ignorer.ts'
import { MissedReporter } from './report.ts'
import type { RanTest } from './session.ts'
import { createSessions, type Session } from './sessions.ts'
import { runCovered, runWhole } from './whole.ts'

const ACTIVE_MUTANT = INSTRUMENTER_CONSTANTS.ACTIVE_MUTANT_ENV_VARIABLE

/** Longer than a test waits by its own limits, such as those of a statement or a lock of the database. */
const LEAST_PATIENCE_MS = 10_000

/** A test of a session is `file#title`; `file#` is the whole file in an AVA of its own. */
const idOf = (file: string, title = '') => `${file}#${title}`
const partsOf = (id: string) => {
  const at = id.indexOf('#')
  return { file: id.slice(0, at), title: id.slice(at + 1) }
}

/** Tests of the session that pass twice in it, as the second run told of them. */
async function repeatable(session: Session, timeoutMs: number): Promise<RanTest[]> {
  const pass = async (titles: string[]): Promise<RanTest[]> => {
    const ran = (await session.run({ titles }, timeoutMs)) ?? []
    const rest = titles.slice(ran.length)
    const passed = ran.filter(({ why }) => why === undefined)
    return rest.length > 0 && ran.length > 0 ? [...passed, ...(await pass(rest))] : passed
  }
  const first = await pass(session.titles)
  return pass(first.map(({ title }) => title))
}

const failureOf = ({ failed }: FileReport): string | undefined =>
  failed.length === 0 ? undefined : failed.map(({ title, why }) => [title, ...why].join('\n')).join('\n\n')

function resultOf({ file, title, milliseconds, why }: RanTest & { file: string }): TestResult {
  const name = idOf(relative(process.cwd(), file), title)
  const test = { id: idOf(file, title), name, fileName: file, timeSpentMs: milliseconds }
  return why === undefined
    ? { ...test, status: TestStatus.Success }
    : { ...test, status: TestStatus.Failed, failureMessage: why }
}

type Verdict = 'survived' | 'timeout' | { killedBy: string; why: string }

/**
 * Stryker's tests are ours, in two ways. A session runs the tests that came by a mutant with the mutant switched on, in a
 * platform that stays up: a failure counts when the same test passes with the mutant off again. Code that no test of any
 * session comes by, because it runs at loading, in hooks or in threads, meets the whole file in an AVA of its own.
 */
class FileRunner implements TestRunner {
  readonly #env = { ...process.env, [ACTIVE_MUTANT]: undefined }
  readonly #sessions = createSessions(this.#env)
  /** What each test took without a mutant. */
  readonly #milliseconds = new Map<string, number>()

  capabilities() {
    return { reloadEnvironment: true }
  }

  async dryRun({ testFiles = [], timeout }: DryRunOptions): Promise<DryRunResult> {
    const tests: (RanTest & { file: string })[] = []
    const whole: (RanTest & { file: string })[] = []
    for (const file of testFiles) {
      const { report, ids } = await runCovered(file, this.#env)
      const why = failureOf(report)
      whole.push({
        file,
        title: '',
        milliseconds: report.milliseconds,
        covered: ids,
        ...(why === undefined ? {} : { why }),
      })
      if (why !== undefined) continue
      for (const test of await repeatable(await this.#sessions.of(file), timeout)) tests.push({ file, ...test })
    }
    // a whole file takes as long as its platform to come up, which is in no relation to what a hook finds that no test does
    const inTests = new Set(tests.flatMap(({ covered }) => covered))
    const found = [
      ...tests,
      ...whole.map((file) => ({ ...file, covered: file.covered.filter((id) => !inTests.has(id)) })),
    ]
    for (const { file, title, milliseconds } of found) this.#milliseconds.set(idOf(file, title), milliseconds)
    found.sort((a, b) => a.milliseconds - b.milliseconds)
    const perTest = found.map(({ file, title, covered }) => [
      idOf(file, title),
      Object.fromEntries(covered.map((id) => [id, 1])),
    ])
    const mutantCoverage = { static: {}, perTest: Object.fromEntries(perTest) }
    return { status: DryRunStatus.Complete, tests: found.map(resultOf), mutantCoverage }
  }

  async mutantRun({ activeMutant, testFilter = [], timeout, hitLimit }: MutantRunOptions): Promise<MutantRunResult> {
    const asked = testFilter.map(partsOf)
    const byFile = Map.groupBy(
      asked.filter(({ title }) => title !== ''),
      ({ file }) => file,
    )
    const whole = asked.filter(({ title }) => title === '')
    const works = [
      ...[...byFile].map(
        ([file, tests]) =>
          () =>
            this.#inSession(
              file,
              { titles: tests.map(({ title }) => title), mutant: activeMutant.id, hitLimit },
              Math.min(timeout / 3, this.#patience(tests)),
            ),
      ),
      ...whole.map(
        ({ file }) =>
          () =>
            this.#inFile(file, activeMutant.id, timeout / 2),
      ),
    ]
    for (const work of works) {
      const verdict = await work()
      if (verdict === 'timeout') return { status: MutantRunStatus.Timeout }
      if (verdict !== 'survived') {
        const { killedBy, why } = verdict
        return { status: MutantRunStatus.Killed, killedBy: [killedBy], failureMessage: why, nrOfTests: asked.length }
      }
    }
    return { status: MutantRunStatus.Survived, nrOfTests: asked.length }
  }

  /** Stryker's own limit counts the start of a platform, which a session does not go through. */
  #patience(tests: { file: string; title: string }[]): number {
    const usual = tests.map(({ file, title }) => this.#milliseconds.get(idOf(file, title)) ?? Number.POSITIVE_INFINITY)
    return LEAST_PATIENCE_MS + 10 * usual.reduce((sum, milliseconds) => sum + milliseconds, 0)
  }

  async #inSession(
    file: string,
    order: { titles: string[]; mutant: string; hitLimit?: number },
    timeoutMs: number,
  ): Promise<Verdict> {
    const session = await this.#sessions.of(file)
    const ran = await session.run(order, timeoutMs)
    if (ran === undefined) {
      await this.#sessions.close(file)
      return 'timeout'
    }
    const last = ran.at(-1)
    if (last?.why === undefined) return 'survived'
    const [again] = (await session.run({ titles: [last.title] }, timeoutMs)) ?? []
    if (again?.why === undefined && again) return { killedBy: idOf(file, last.title), why: last.why }
    await this.#sessions.close(file) // what the mutant broke stays broken: the whole file decides
    return this.#inFile(file, order.mutant, timeoutMs)
  }

  async #inFile(file: string, mutant: string, timeoutMs: number): Promise<Verdict> {
    const stop = new AbortController()
    const timer = setTimeout(() => stop.abort(), timeoutMs)
    const report = await runWhole(file, { ...this.#env, [ACTIVE_MUTANT]: mutant }, stop.signal)
    clearTimeout(timer)
    if (stop.signal.aborted) return 'timeout'
    const why = failureOf(report)
    return why === undefined ? 'survived' : { killedBy: idOf(file), why }
  }

  async dispose() {
    await this.#sessions.closeAll()
    await dismissGuard()
  }
}

// Stryker's main process was ended: the guard ends what this one started
process.once('disconnect', () => process.exit())

export const strykerPlugins = [
  declareClassPlugin(PluginKind.TestRunner, 'files', FileRunner),
  declareValuePlugin(PluginKind.Ignore, 'prose', proseIgnorer),
  declareClassPlugin(PluginKind.Reporter, 'missed', MissedReporter),
]
