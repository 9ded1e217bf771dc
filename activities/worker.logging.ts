import { DefaultLogger, type LogLevel, makeTelemetryFilterString, Runtime } from '@temporalio/worker'
import type { Logger } from 'pino'

const METHODS = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
} as const satisfies Record<LogLevel, string>

/** Name, code and place of an error. Its other members may repeat a row or an answer, and those name people. */
const errorOf = (error: Error): Record<string, unknown> => ({
  name: error.name,
  message: error.message,
  stack: error.stack,
  ...(error.cause instanceof Error ? { cause: errorOf(error.cause) } : {}),
})

const plain = (value: unknown): unknown =>
  value instanceof Error ? errorOf(value) : typeof value === 'bigint' ? value.toString() : value

let installed = false

/** Sends the SDK's own log through ours. The SDK's runtime is one per process; signals are the process's own affair. */
export function installRuntime(log: Logger): void {
  if (installed) return
  installed = true
  const logger = new DefaultLogger('INFO', ({ level, message, meta }) => {
    const fields = Object.fromEntries(Object.entries(meta ?? {}).map(([name, value]) => [name, plain(value)]))
    log[METHODS[level]](fields, message)
  })
  const logging = { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN' }) }
  Runtime.install({ logger, shutdownSignals: [], telemetryOptions: { logging } })
}
