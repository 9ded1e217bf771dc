import type { Writable } from 'node:stream'

export interface Output {
  /** Whether the answers are to be read by programs. */
  json: boolean
  /** A line of the result, on standard output; resolves when it is taken. */
  line(text: string): Promise<void>
  /** What comes as it is, such as a file; on a terminal as it may be shown there. */
  raw(part: string | Uint8Array): Promise<void>
  /** As JSON where programs read it, else as the lines given. */
  result(value: unknown, lines: string[]): Promise<void>
  /** A line for the person, on standard error. */
  note(text: string): void
  /** How far a thing is: of a terminal one line that changes, else a line now and then. */
  progress(text: string): void
  /** Ends the line that changes. */
  done(): void
}

export interface Streams {
  stdout: Writable & { isTTY?: boolean }
  stderr: Writable & { isTTY?: boolean }
}

/**
 * A text of the platform's as a terminal may show it: control characters, which could move the cursor, set the title or
 * fill the clipboard, are written as JSON writes them. In JSON they mean the same.
 */
export const showable = (text: string): string =>
  text.replace(/[^\P{Cc}\n\t]/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Lines of progress, where no terminal shows them, come at most this often. */
const QUIET_MS = 5_000

export function openOutput({ stdout, stderr }: Streams, json: boolean, now: () => number): Output {
  let shown = Number.NEGATIVE_INFINITY
  let open = false
  const write = (part: string | Uint8Array) =>
    new Promise<void>((resolve, reject) => stdout.write(part, (error) => (error ? reject(error) : resolve())))
  const decoder = new TextDecoder()
  const raw = (part: string | Uint8Array) => {
    if (!stdout.isTTY) return write(part)
    return write(showable(typeof part === 'string' ? part : decoder.decode(part, { stream: true })))
  }
  const line = (text: string) => write(`${showable(text)}\n`)
  return {
    json,
    line,
    raw,
    async result(value, lines) {
      if (json) return line(JSON.stringify(value))
      for (const text of lines) await line(text)
    },
    note: (text) => {
      stderr.write(`${showable(text)}\n`)
    },
    progress(told) {
      const text = showable(told)
      if (stderr.isTTY) {
        open = true
        stderr.write(`\r\u001b[K${text}`)
      } else if (now() - shown >= QUIET_MS) {
        shown = now()
        stderr.write(`${text}\n`)
      }
    },
    done() {
      if (open) stderr.write('\n')
      open = false
    },
  }
}

/** Whether an error says that nobody reads on: `countersign logs | head`. */
export const isBrokenPipe = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED')
