/** What Stryker's instrumented code reads, and where it counts. */
interface Instrumented {
  activeMutant?: string
  hitCount?: number
  hitLimit?: number
  currentTestId?: string
  mutantCoverage?: { static: Record<string, number>; perTest: Record<string, Record<string, number>> }
}

/** Turns mutants on and off in this process. */
export function createMutantSwitch() {
  const holder = globalThis as { __stryker__?: Instrumented }
  holder.__stryker__ ??= {}
  const code = holder.__stryker__
  return {
    plant(mutant: string | undefined, hitLimit?: number): void {
      code.activeMutant = mutant
      code.hitCount = hitLimit === undefined ? undefined : 0
      code.hitLimit = hitLimit
    },
    /** What is come by from now on belongs to the test of that title. */
    test(title: string | undefined): void {
      code.currentTestId = title
    },
    /** Ids of the mutants that a test came by. */
    covered: (title: string): string[] => Object.keys(code.mutantCoverage?.perTest[title] ?? {}),
  }
}
