/** Counts of a test run. Skipped are also those that are only titles so far. */
export interface Counts {
  passed: number
  failed: number
  skipped: number
}

export const countsLine = ({ passed, failed, skipped }: Counts): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`

export interface TapEvents {
  /** A test that failed: its title and the lines that say why. */
  failed(title: string, why: string[]): void
  /** After each test. */
  counted(counts: Counts, title: string): void
}

const RESULT = /^(not )?ok \d+(?: - )?(.*)$/
const DIRECTIVE = / # (SKIP|TODO)\b.*$/

/**
 * Reads TAP version 13 as AVA writes it, line by line. Only lines at the left margin count: what tests print is indented
 * or goes elsewhere. A file that crashes is a `not ok` of its own.
 */
export function tapReader(events: TapEvents) {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 }
  let failure: { title: string; why: string[] } | undefined
  const flush = () => {
    if (failure) events.failed(failure.title, failure.why)
    failure = undefined
  }
  const result = (failed: boolean, description: string) => {
    const title = description.replace(DIRECTIVE, '')
    if (DIRECTIVE.test(description)) counts.skipped += 1
    else if (failed) {
      counts.failed += 1
      failure = { title, why: [] }
    } else counts.passed += 1
    events.counted(counts, title)
  }
  return {
    counts,
    line(text: string): void {
      const match = RESULT.exec(text)
      if (match) {
        flush()
        result(match[1] !== undefined, match[2] ?? '')
      } else if (failure && /^\s+\S/.test(text) && !/^ {2}(---|\.\.\.)$/.test(text)) failure.why.push(text)
    },
    end: flush,
  }
}
