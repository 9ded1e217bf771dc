import { setTimeout as wait } from 'node:timers/promises'
import { idempotencyKey, Problem } from '../index.ts'
import { type Call, Usage } from './usage.ts'

const PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 30_000
/** So long a fault of the platform, or of the way to it, is waited out. */
const PATIENCE_MS = 5 * 60_000
/** So long the platform processes a request at most, as docs/errors.md says. */
const MOST_IN_FLIGHT = 30

/** No answer, or half of one. A redirect is an answer that is not followed. */
function isBroken(error: unknown): boolean {
  if (error instanceof DOMException) return error.name === 'TimeoutError'
  const cause = error instanceof TypeError ? error.cause : undefined
  return cause instanceof Error && cause.message !== 'unexpected redirect'
}

/** Proxies answer 502 and 504 while the platform starts anew. */
const isPassing = (error: unknown): boolean =>
  error instanceof Problem ? [429, 502, 503, 504].includes(error.status) : isBroken(error)

/** What may be asked twice is asked until it is answered: faults that pass are waited out for some minutes. */
export async function patiently<Answer>({ output }: Call, ask: () => Promise<Answer>): Promise<Answer> {
  const until = performance.now() + PATIENCE_MS
  for (let pause = PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS))
    try {
      return await ask()
    } catch (error) {
      const told = error instanceof Problem ? (error.retryAfterSeconds ?? 0) * 1000 : 0
      const ms = Math.max(pause, told)
      if (!isPassing(error) || performance.now() + ms > until) throw error
      output.progress(`no answer yet, asked again in ${Math.ceil(ms / 1000)} s`)
      await wait(ms)
    }
}

function keyFrom({ text }: Call): string {
  const key = text('key') ?? crypto.randomUUID()
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw new Usage('--key must have 1 to 255 printable characters, without spaces.')
  return key
}

/**
 * A write, which happens once however often the connection breaks: it is repeated with its key. Where nobody knows whether
 * it was done, the key is told, so that the same command with it does nothing twice.
 */
export async function written<Answer>(
  call: Call,
  send: (headers: { 'Idempotency-Key': string }) => Promise<Answer>,
): Promise<Answer> {
  const key = keyFrom(call)
  const isInFlight = (error: unknown) => error instanceof Problem && error.code === 'idempotency.in_flight'
  for (let [breaks, looks] = [0, 0]; ; )
    try {
      return await send(idempotencyKey(key))
    } catch (error) {
      const isRepeated = isBroken(error) ? breaks++ === 0 : isInFlight(error) && looks++ < MOST_IN_FLIGHT
      if (isRepeated) await wait(PAUSE_MS)
      else {
        const isKnown = error instanceof Usage || (error instanceof Problem && error.status < 500 && !isInFlight(error))
        if (!isKnown) call.output.note(`It may have been done. The same command with --key ${key} does nothing twice.`)
        throw error
      }
    }
}
