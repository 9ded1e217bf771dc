/** Mistakes in the program, whose place matters more than their words. */
const MISTAKES = [TypeError, RangeError, ReferenceError, SyntaxError]

const told = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const mistake = MISTAKES.some((kind) => error instanceof kind)
  return (mistake ? error.stack : error.message) || error.stack || error.name
}

/** Runs a command's work; a failure becomes exit code 1 and its message alone, since it is written for a person. */
export async function asCommand(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    process.stderr.write(`${told(error)}\n`)
    process.exitCode = 1
  }
}
