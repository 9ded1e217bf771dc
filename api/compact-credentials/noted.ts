import { readCredentialClaims, readCwt, uuidOfJti } from '../../protocol/compact-credentials/cwt.ts'
import { fromText, PREFIXES, type Profile } from '../../protocol/compact-credentials/text.ts'
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

/** The id of a credential that is drawn. A text that is no credential can be drawn too, and has none. */
export function noteDrawn(called: Called, profile: Profile, text: string): void {
  try {
    const { jti } = readCredentialClaims(readCwt(fromText(PREFIXES[profile], text)), profile).claims
    const presentedId = jti === undefined ? undefined : uuidOfJti(jti)
    called.noted = { ...(presentedId && { presentedId }) }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
}
