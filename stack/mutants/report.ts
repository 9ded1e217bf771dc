import type { MutantResult } from '@stryker-mutator/api/core'
import type { Reporter } from '@stryker-mutator/api/report'

/** What a mutant must not be. One that hangs is found out by the time that it takes. */
const MISSED = ['Survived', 'NoCoverage']
const FOUND = ['Killed', 'Timeout']

export interface Score {
  found: number
  missed: MutantResult[]
  /** Of all mutants that could be told. */
  percent: number
}

export function scoreOf(results: MutantResult[]): Score {
  const found = results.filter(({ status }) => FOUND.includes(status)).length
  const missed = results.filter(({ status }) => MISSED.includes(status))
  const all = found + missed.length
  return { found, missed, percent: all === 0 ? 0 : Math.floor((found / all) * 1_000) / 10 }
}

export const scoreLine = (name: string, { found, missed, percent }: Score): string =>
  `${name}: ${percent} % of ${found + missed.length} mutants found`

/** Where a mutant stands, and what it puts there. */
export const mutantLine = ({ status, fileName, location, mutatorName, replacement = '' }: MutantResult): string =>
  `${status} ${fileName}:${location.start.line}:${location.start.column} ${mutatorName} → ${replacement.replaceAll(/\s+/g, ' ').slice(0, 100)}`

/** Says at once what is missed: a run may take an hour, and its own report comes at its end. */
export class MissedReporter implements Reporter {
  onMutantTested(result: Readonly<MutantResult>): void {
    if (MISSED.includes(result.status)) console.log(mutantLine(result))
  }
}
