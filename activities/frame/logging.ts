import { type Logger, pino } from 'pino'

const FRAMES = 15

/**
 * Whether the message quotes its input, which may name a person: PostgreSQL's data exceptions, JSON's syntax errors.
 */
const quotes = (error: Error): boolean =>
  error instanceof SyntaxError || ('code' in error && typeof error.code === 'string' && /^22\w{3}$/.test(error.code))

/**
 * Returns what the log shows of an error: type, code, message and stack. Leaves out its other members, which may repeat
 * a row, a body or an answer.
 */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error }
  const code: unknown = Reflect.get(error, 'code')
  return {
    type: error.constructor.name,
    ...(typeof code === 'string' ? { code } : {}),
    message: quotes(error) ? '(it quotes what it could not read)' : error.message,
    stack: (error.stack ?? '')
      .split('\n')
      .filter((line) => /^ +at /.test(line))
      .slice(0, FRAMES)
      .join('\n'),
    ...(error.cause instanceof Error ? { cause: describeError(error.cause) } : {}),
  }
}

/** Returns type, code and message of an error and of its cause, in one line, with the same care. */
export function causeOf(error: unknown): string {
  const { type, code, message } = describeError(error)
  const kind = code === undefined ? type : `${type} ${code}`
  const deeper = error instanceof Error && error.cause instanceof Error ? ` (${causeOf(error.cause)})` : ''
  return `${kind}: ${message ?? ''}${deeper}`.slice(0, 500)
}

/** What a pipe takes in one piece (POSIX, PIPE_BUF): more could mix with lines of another process. */
const TOGETHER = 4_000
/** So long may a line wait for others. */
const WAIT_MS = 100
const WARN = 40

interface Sink {
  write(text: string): unknown
}

/** Hands lines on together, in their order. What the sink makes of a broken pipe is its own matter. */
export function gathered(sink: Sink) {
  let waiting = ''
  let timer: NodeJS.Timeout | undefined
  const flushSync = () => {
    clearTimeout(timer)
    timer = undefined
    const text = waiting
    waiting = ''
    if (text !== '') sink.write(text)
  }
  return {
    write(line: string): void {
      if (waiting.length + line.length > TOGETHER) flushSync()
      waiting += line
      timer ??= setTimeout(flushSync, WAIT_MS).unref()
    },
    flushSync,
  }
}

let shared: ReturnType<typeof gathered> | undefined

/** The one of all loggers of a process, which keeps their lines in order. */
function output(): ReturnType<typeof gathered> {
  if (shared) return shared
  const out = gathered(pino.destination({ dest: 1, sync: true }))
  process.on('exit', out.flushSync)
  shared = out
  return out
}

/**
 * Lines of information share writes, because each write is a call of the system; a line that somebody has to act upon, and the
 * end of the process, write all that waits (D-966). The redacted paths are a second fence: nothing logs these on purpose.
 */
export function createLogger(level: string): Logger {
  const out = output()
  return pino(
    {
      level,
      redact: ['*.authorization', '*.clientSecret', '*.client_secret', '*.token', '*.secret'],
      serializers: { err: describeError },
      hooks: {
        logMethod(args, method, levelOfLine) {
          method.apply(this, args)
          if (levelOfLine >= WARN) out.flushSync()
        },
      },
    },
    out,
  )
}
