import type { Failure, FileReport } from './report.ts'

/** Counts of a test run. */
export interface Counts {
  passed: number
  failed: number
  skipped: number
}

export const countsLine = ({ passed, failed, skipped }: Counts): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`

const terminal = process.stdout.isTTY
const write = (text: string) => process.stdout.write(`${terminal ? '\r\x1b[K' : ''}${text}`)

export const showLine = (line = '') => write(`${line}\n`)

export const showFailure = ({ title, why }: Failure) =>
  write(`\n✘ ${title}\n${why.map((line) => `    ${line}\n`).join('')}`)

export const showLog = ([title = '', ...lines]: string[]) =>
  write(`\nℹ ${title}\n${lines.map((line) => `    ${line}\n`).join('')}`)

export const showList = (heading: string, mark: string, titles: string[]) => {
  if (titles.length > 0) write(`\n${heading}\n${titles.map((title) => `${mark} ${title}\n`).join('')}`)
}

/** Lines of a failure's reasons in the list at the end. */
const REASONS = 4

/** At the end, with the first lines of why: a service that builds shows the end of what a run printed. */
export const showFailures = (failures: Failure[]) => {
  if (failures.length === 0) return
  showLine('\nFailed:')
  for (const { title, why } of failures) {
    showLine(`✘ ${title}`)
    for (const line of why.filter((text) => text.trim() !== '').slice(0, REASONS)) showLine(`    ${line}`)
  }
}

const SLOWEST = 20

/** Where a whole run spends its time. */
export const showSlowest = (reports: FileReport[]) => {
  const slowest = reports.toSorted((a, b) => b.milliseconds - a.milliseconds).slice(0, SLOWEST)
  showLine('\nSlowest files:')
  for (const { file, milliseconds } of slowest)
    showLine(`${String(Math.round(milliseconds / 1000)).padStart(4)} s ${file}`)
}

/** One moving line on a terminal; elsewhere a line every quarter of a minute. */
export function createProgress(files: number) {
  const open = new Map<string, Counts>()
  const done: Counts[] = []
  let shown = Date.now()
  const total = () =>
    [...done, ...open.values()].reduce(
      (sum, { passed, failed, skipped }) => ({
        passed: sum.passed + passed,
        failed: sum.failed + failed,
        skipped: sum.skipped + skipped,
      }),
      { passed: 0, failed: 0, skipped: 0 },
    )
  const show = () => {
    const text = `${countsLine(total())} so far, ${done.length} of ${files} files`
    if (terminal) write(`${text} · ${[...open.keys()].join(' ')}`.slice(0, (process.stdout.columns ?? 80) - 1))
    else if (Date.now() - shown > 15_000) {
      shown = Date.now()
      showLine(text)
    }
  }
  return {
    counted(file: string, counts: Counts): void {
      open.set(file, counts)
      show()
    },
    ended(file: string): void {
      done.push(open.get(file) ?? { passed: 0, failed: 0, skipped: 0 })
      open.delete(file)
    },
  }
}
