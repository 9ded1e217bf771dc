import { Refusal, Unavailable } from '../../../protocol/errors.ts'

export type Fields = Readonly<Record<string, unknown>>

/** Vault refused the request itself (400, 403, 404). Has only Vault's message: no request, token or secret. */
export class VaultRefusal extends Error {
  override readonly name = 'VaultRefusal'
  readonly status: number
  /** Of a secret (KV version 2) that was deleted but not destroyed; 0 if there is none. */
  readonly version: number

  constructor(status: number, message: string, version = 0) {
    super(message)
    this.status = status
    this.version = version
  }

  says(words: string): boolean {
    return this.message.includes(words)
  }
}

/** Vault answered, and goes on refusing until an operator acts: no outage of Vault, so it opens no breaker. */
export class Barred extends Unavailable {
  constructor(message: string, retryAfterSeconds = 30, options?: ErrorOptions) {
    super('keys', message, retryAfterSeconds, options)
  }
}

/** Returns an object's fields; none for another value. */
export const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

/** Vault's own words, for the log: the message of an error goes to strangers too. */
export const because = (words: string): ErrorOptions => ({ cause: new Error(words) })

const unexpected = () => new Unavailable('keys', 'Vault sent an answer in an unexpected form.')

export const text = (value: unknown): string => {
  if (typeof value !== 'string') throw unexpected()
  return value
}

export const number = (value: unknown): number => {
  if (typeof value !== 'number') throw unexpected()
  return value
}

/** Statuses that refuse the request; every other one means that Vault is sealed, on standby, overloaded or broken. */
const REFUSALS = [400, 403, 404, 405]

/**
 * Converts an error of node-vault, which has the whole request with token and secrets: these must reach neither a log
 * nor a caller.
 */
export function understood(thrown: unknown): VaultRefusal | Unavailable {
  if (thrown instanceof VaultRefusal || thrown instanceof Unavailable) return thrown
  const response = fields(fields(thrown).response)
  const status = Number(response.statusCode)
  const { errors, data } = fields(response.body)
  const message = Array.isArray(errors) ? errors.join('; ') : ''
  if (message.includes('no handler for route')) {
    return new Barred('Vault has no engine at this mount: check VAULT_TRANSIT_MOUNT and VAULT_KV_MOUNT.')
  }
  const { version } = fields(fields(data).metadata)
  if (REFUSALS.includes(status)) return new VaultRefusal(status, message || `status ${status}`, Number(version ?? 0))
  if (Number.isInteger(status))
    return new Unavailable('keys', 'Vault cannot serve now.', undefined, because(message || `status ${status}`))
  const code = fields(thrown).code
  return new Unavailable('keys', `Vault does not answer${typeof code === 'string' ? ` (${code})` : ''}.`)
}

/** Converts a store's unexpected refusal into `Refusal('key.store_refused')`. */
export async function settled<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (error instanceof VaultRefusal) throw new Refusal('key.store_refused', `Vault refused: ${error.message}.`)
    throw error
  }
}
