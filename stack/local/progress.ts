/** Where lines for a person go; a test collects them. */
export type Say = (line: string) => void

/** Shows that something long is under way: one moving line on a terminal, elsewhere a line now and then. */
export async function withProgress<T>(what: string, say: Say, work: () => Promise<T>): Promise<T> {
  const begun = Date.now()
  const terminal = process.stdout.isTTY
  const text = () => `${what} … ${Math.round((Date.now() - begun) / 1000)} s`
  if (!terminal) say(`${what} …`)
  const timer = setInterval(
    () => (terminal ? process.stdout.write(`\r\x1b[K${text()}`) : say(text())),
    terminal ? 500 : 15_000,
  )
  try {
    return await work()
  } finally {
    clearInterval(timer)
    if (terminal) process.stdout.write('\r\x1b[K')
  }
}
