import type { TestEvent } from './observer.ts'

/** One that failed counts one: a test, or a file for a reason of its own. */
export interface Failure {
  title: string
  why: string[]
}

export interface FileReport {
  file: string
  passed: string[]
  failed: Failure[]
  skipped: string[]
  milliseconds: number
}

/** How AVA ended: `exit code 0`, `signal SIGKILL`; `silentMs` when it was ended because no test did for so long. */
export interface End {
  how: string
  silentMs?: number
  milliseconds: number
}

/** As in `dids.web › a title`. */
const nameOf = (file: string): string => file.replace(/^test\//, '').replace(/\.(test|heavy)\.ts$/, '')

const WITHOUT_TEST: Record<string, string> = {
  todo: 'test.todo announces a test that does not exist.',
  failing: 'test.failing lets a test pass because it fails.',
}

const OF_FILE: Record<string, string> = {
  'internal-error': 'AVA failed',
  'line-number-selection-error': 'AVA found no test at that line',
  'missing-ava-import': 'the file holds no test',
  'process-exit': 'process.exit() was called',
  'shared-worker-error': 'AVA failed',
  timeout: 'AVA ended the file because no test ended',
  'uncaught-exception': 'uncaught exception',
  'unhandled-rejection': 'unhandled rejection',
}

/** Reads the events of one file. `selecting`: only some of its tests were asked for, by title or by line. */
export function createReport(file: string, selecting: boolean) {
  const passed: string[] = []
  const failed: Failure[] = []
  const skipped: string[] = []
  const pending = new Set<string>()
  const seen = { declared: 0, selected: 0, finished: false, ended: false, processEnd: [] as string[] }
  const titled = (title = '') => `${nameOf(file)} › ${title}`
  const fail = (title: string, why: string[]) => failed.push({ title, why })

  const select = ({ title, mark }: TestEvent) => {
    seen.selected += 1
    if (mark === 'skip') skipped.push(titled(title))
    else if (mark) fail(titled(title), [WITHOUT_TEST[mark] ?? mark])
    if (mark !== 'skip' && mark !== 'todo') pending.add(titled(title))
  }

  const read: Record<string, (event: TestEvent) => void> = {
    'declared-test': () => {
      seen.declared += 1
    },
    'selected-test': select,
    'test-passed': ({ title, mark }) => {
      pending.delete(titled(title))
      if (!mark) passed.push(titled(title))
    },
    'test-failed': ({ title, why = [], mark }) => {
      pending.delete(titled(title))
      if (!mark) fail(titled(title), why)
    },
    'hook-failed': ({ title, why = [] }) => fail(titled(title), why),
    'worker-finished': () => {
      seen.finished = true
    },
    'worker-failed': ({ why = [] }) => {
      seen.processEnd = why
    },
    end: () => {
      seen.ended = true
    },
  }

  const add = (event: TestEvent): void => {
    read[event.type]?.(event)
    const what = OF_FILE[event.type]
    if (what) fail(`${file}: ${what}`, event.why ?? [])
  }

  const end = ({ how, silentMs, milliseconds }: End): FileReport => {
    // the file's process and AVA ended by themselves: nothing of the file is unknown
    const complete = silentMs === undefined && seen.finished && seen.ended && how.startsWith('exit code')
    const unended =
      silentMs === undefined
        ? 'The file ended before this test.'
        : `No test of the file ended for ${silentMs / 1000} s, so its processes were ended.${
            pending.size > 0 ? '' : ' All tests that began had ended: a hook, or what they left open, kept it running.'
          }`
    for (const title of pending) fail(title, [unended])
    const left = seen.declared - seen.selected
    if (complete && !selecting && left > 0) fail(`${file}: test.only keeps ${left} tests from running`, [])
    const nothingMatches = selecting && seen.selected === 0
    const ended = `${file} ended with ${seen.processEnd.join() || how}`
    if (failed.length === 0 && !complete) fail(`${ended} before it reported`, silentMs ? [unended] : [])
    if (failed.length === 0 && how !== 'exit code 0' && !nothingMatches) fail(`${ended}, no test failed`, [])
    return { file, passed, failed, skipped, milliseconds }
  }

  return { add, end, counts: () => ({ passed: passed.length, failed: failed.length, skipped: skipped.length }) }
}
