import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export interface Ran {
  /** Null when a signal ended it. */
  code: number | null
  /** What it wrote, both streams, the last 64 KiB. */
  output: string
}

/** Runs a command to its end; it does not outlive us. Rejects when it cannot be started. */
export async function run(
  command: string,
  args: string[],
  options: {
    cwd?: string
    env?: Readonly<Record<string, string | undefined>>
    input?: string
    uid?: number
    gid?: number
    /** Told of each line as it is written. */
    line?: (text: string) => void
  },
): Promise<Ran> {
  const { input = '', env, line, ...rest } = options
  const child = spawn(command, args, { ...rest, ...(env ? { env: { ...env } } : {}), stdio: 'pipe' })
  const kill = () => child.kill('SIGTERM')
  process.once('exit', kill)
  if (line) createInterface({ input: child.stdout }).on('line', line)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-65_536)
    })
  child.stdin.on('error', () => undefined) // it ended before it read everything: its exit code tells
  child.stdin.end(input)
  try {
    const [code] = (await once(child, 'close')) as [number | null]
    return { code, output: output.trim() }
  } finally {
    process.off('exit', kill)
  }
}

/** The last lines of a text, as part of a sentence. */
export const tail = (text: string, lines = 3): string => text.trim().split('\n').slice(-lines).join(' | ')
