import { Refusal } from '../../protocol/errors.ts'

/**
 * What callers are told of the platform's own faults with a key (D-136): the words of the store and the names of its
 * settings are for the log.
 */
const MEANINGS: ReadonlyMap<string, string> = new Map([
  ['key.envelope_refused', 'A stored key cannot be decrypted.'],
  ['key.store_refused', 'The key store refuses a request of the platform.'],
])

/** Whether the platform or its key store is at fault, and neither a caller nor an outage: an operator must act. */
export const isKeyFault = (error: unknown): error is Refusal & { code: `key.${string}` } =>
  error instanceof Refusal && MEANINGS.has(error.code)

/** A refusal's message for the tenant. */
export const toldOf = ({ code, message }: Refusal): string => MEANINGS.get(code) ?? message
