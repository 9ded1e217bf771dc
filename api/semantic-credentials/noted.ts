import { Refusal } from '../../protocol/errors.ts'
import { readUuid } from '../../protocol/uuid.ts'
import type { Called, Noted } from '../frame/authentication.ts'

const URN = 'urn:uuid:'

/** Returns the id of a credential that a caller sent, for the log entry: of ours it is the credential's id. */
export function presented(credential: unknown): Noted {
  const id: unknown = typeof credential === 'object' && credential !== null ? Reflect.get(credential, 'id') : undefined
  const presentedId = typeof id === 'string' && id.startsWith(URN) ? readUuid(id.slice(URN.length)) : undefined
  return presentedId === undefined ? {} : { presentedId }
}

/** Waits for a verification of the VC API, which refuses what does not verify, and notes the verdict for the log entry. */
export async function notingVerdict<Result>(called: Called, verifying: Promise<Result>): Promise<Result> {
  try {
    const result = await verifying
    called.noted = { ...called.noted, verified: true, reason: null }
    return result
  } catch (error) {
    if (error instanceof Refusal && error.code.endsWith('.not_verified'))
      called.noted = { ...called.noted, verified: false, reason: error.errors[0]?.code ?? null }
    throw error
  }
}
