import pLimit from 'p-limit'
import { VARIABLES } from '../../config.ts'
import { dismissGuard } from '../parts/part.ts'
import { type FileRun, runFile } from './file.ts'
import {
  type Counts,
  countsLine,
  createProgress,
  showFailure,
  showFailures,
  showLine,
  showList,
  showLog,
  showSlowest,
} from './output.ts'
import { wrongSkip } from './parts.ts'
import { type Plan, type PlannedFile, planRun, type Suite } from './plan.ts'
import type { Failure, FileReport } from './report.ts'
import { createSessions } from './sessions.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Where programs are that tests run. */
const PROGRAMS = ['TEMPORAL_CLI', 'VAULT_BINARY', 'POSTGRES_BINARIES']

/** A run is the same for everybody: tests bring up their own parts, so no other variable of the platform reaches them. */
const forTests = (env: Environment): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => PROGRAMS.includes(name) || !(name in VARIABLES)))

/** More than this many files do not fail because the machine was busy. */
const SECOND_CHANCES = 20

interface Outcome {
  reports: FileReport[]
  /** Failed once and passed alone. */
  flaky: string[]
  /** Of the run, not of a file. */
  problems: Failure[]
}

const once = (reports: FileReport[]): Outcome => ({ reports, flaky: [], problems: [] })

type Run = (files: PlannedFile[], concurrency: number) => Promise<FileReport[]>

/** It can share a process with others: nothing of it was chosen, and it touches nothing that is of the whole process. */
const isPlain = ({ path, argument }: PlannedFile, { suite, matching }: Pick<FileRun, 'matching'> & { suite: Suite }) =>
  path === argument && matching.length === 0 && !suite.apart.test(path)

const byPath = (reports: FileReport[]) => new Map(reports.map((report) => [report.file, report]))

/**
 * Many tests hold real servers to real times, and a machine that does something else may be too slow once. So in a whole
 * run, a file that failed runs once more, alone: what fails twice has failed (D-125, D-963).
 */
async function secondChance(plan: Plan, run: Run, first: FileReport[]): Promise<Outcome> {
  const again = first.filter(({ failed }) => failed.length > 0)
  if (!plan.whole || again.length === 0 || again.length > SECOND_CHANCES) return once(first)
  showLine(`\nOnce more, alone: ${again.map(({ file }) => file).join(', ')}`)
  const paths = new Set(again.map(({ file }) => file))
  const second = byPath(
    await run(
      [...plan.together, ...plan.alone].filter(({ path }) => paths.has(path)),
      1,
    ),
  )
  const stillFails = new Set([...second.values()].flatMap(({ failed }) => failed.map(({ title }) => title)))
  const flaky = again
    .flatMap(({ failed }) => failed.map(({ title }) => title))
    .filter((title) => !stillFails.has(title))
  const lost = again.flatMap((report) => lostIn(second.get(report.file), report))
  return { reports: first.map((report) => second.get(report.file) ?? report), flaky, problems: lost }
}

const testsOf = ({ passed, failed, skipped }: FileReport): number =>
  [...passed, ...failed.map(({ title }) => title), ...skipped].filter((title) => title.includes(' › ')).length

/** A second run of fewer tests says nothing of the others. */
function lostIn(second: FileReport | undefined, first: FileReport): Failure[] {
  const lost = testsOf(first) - (second ? testsOf(second) : 0)
  return lost > 0 ? [{ title: `${first.file}: ${lost} tests did not run a second time`, why: [] }] : []
}

function problemsOf(suite: Suite, env: Environment, plan: Plan, reports: FileReport[]): Failure[] {
  const problems: Failure[] = reports
    .flatMap(({ skipped }) => skipped)
    .flatMap((title) => {
      const why = wrongSkip(title, suite.parts, env)
      return why === undefined ? [] : [{ title, why: [why] }]
    })
  const { passed, failed, skipped } = countsOf(reports)
  const tests = passed + failed + skipped
  const problem = (title: string) => problems.push({ title, why: [] })
  if (plan.whole && tests < suite.floor)
    problem(`${tests} tests ran, and test/floor.json expects at least ${suite.floor}`)
  if (passed + failed === 0) problem('No test ran: nothing matches')
  return problems
}

const countsOf = (reports: FileReport[]): Counts => ({
  passed: reports.reduce((sum, { passed }) => sum + passed.length, 0),
  failed: reports.reduce((sum, { failed }) => sum + failed.length, 0),
  skipped: reports.reduce((sum, { skipped }) => sum + skipped.length, 0),
})

/** Runs a suite, or the part of it that `args` name, and says in the last line how many passed and failed. */
export async function runTests(suite: Suite, env: Environment, args: string[]): Promise<void> {
  const plan = planRun(suite, args)
  const stop = new AbortController()
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const interrupt = () => stop.abort()
  for (const name of names) process.on(name, interrupt)
  const progress = createProgress(plan.together.length + plan.alone.length)
  const common = { suite, env: forTests(env), matching: plan.matching, stop: stop.signal }
  const sessions = createSessions()
  const run: Run = (files, concurrency) => {
    const limit = pLimit(concurrency)
    const one = async (file: PlannedFile) => {
      const counted = (counts: Counts) => progress.counted(file.path, counts)
      const runIt = concurrency > 1 && isPlain(file, common) ? sessions.run : runFile
      const report = await runIt(file, { ...common, counted, said: showLog })
      progress.ended(file.path)
      report.failed.forEach(showFailure)
      return report
    }
    return Promise.all(files.map((file) => limit(one, file)))
  }
  const together = await run(plan.together, suite.concurrency)
  await sessions.closeAll()
  const first = [...together, ...(await run(plan.alone, 1))]
  const { reports, flaky, problems } = stop.signal.aborted ? once(first) : await secondChance(plan, run, first)
  await dismissGuard()
  for (const name of names) process.off(name, interrupt)
  tell(plan, { reports, flaky, problems: [...problems, ...problemsOf(suite, common.env, plan, reports)] })
}

function tell(plan: Plan, { reports, flaky, problems }: Outcome): void {
  problems.forEach(showFailure)
  if (plan.whole) showSlowest(reports)
  const failures = [...reports.flatMap(({ failed }) => failed), ...problems]
  showList('Failed once and passed alone:', '~', flaky)
  showFailures(failures)
  const counts = countsOf(reports)
  showLine(`\n${countsLine({ ...counts, failed: counts.failed + problems.length })}`)
  process.exitCode = failures.length > 0 ? 1 : 0
}
