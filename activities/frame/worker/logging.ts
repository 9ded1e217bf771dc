import { DefaultLogger, type LogLevel, makeTelemetryFilterString, Runtime } from '@temporalio/worker'
import type { Logger } from 'pino'
import { describeError } from '../logging.ts'

const METHODS = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
} as const satisfies Record<LogLevel, string>

const plain = (value: unknown): unknown =>
  value instanceof Error ? describeError(value) : typeof value === 'bigint' ? value.toString() : value

let installed = false

/** Sends the SDK's log through ours. There is one SDK runtime per process; the process handles signals itself. */
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
