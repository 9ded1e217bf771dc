/** Runs a command's work; a failure becomes exit code 1 and its message alone, since it is written for a person. */
export async function asCommand(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const forAPerson = error instanceof Error && Object.getPrototypeOf(error) === Error.prototype
    process.stderr.write(`${forAPerson ? error.message : error instanceof Error ? error.stack : String(error)}\n`)
    process.exitCode = 1
  }
}
