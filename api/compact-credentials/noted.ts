import { uuidOfJti } from '../../protocol/compact-credentials/cwt.ts'
import type { CompactVerdict } from '../../protocol/compact-credentials/verify.ts'
import { Refusal } from '../../protocol/errors.ts'
import type { Called } from '../frame/authentication.ts'

/** The UUID of a credential of a path, which the log entry names. Throws `credential.not_found` for a text of none. */
export function namedCredential(called: Called, id: string): string {
  const uuid = uuidOfJti(id)
  if (!uuid) throw new Refusal('credential.not_found', 'There is no such credential.')
  called.noted = { ...called.noted, objectIds: [uuid] }
  return uuid
}

/** What the log keeps of a verification. */
export function noteVerdict(called: Called, { verified, decoded, error }: CompactVerdict): void {
  const jti: unknown = decoded && ('jti' in decoded ? decoded.jti : 'id' in decoded ? decoded.id : undefined)
  const presentedId = typeof jti === 'string' ? uuidOfJti(jti) : undefined
  called.noted = { ...(presentedId && { presentedId }), verified, reason: error?.type ?? null }
}
