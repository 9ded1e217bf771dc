import { createHash } from 'node:crypto'
import type { ScanVerdict } from '../../activities/compact-credentials/scans.ts'
import { readCredentialClaims, readCwt } from '../../protocol/compact-credentials/cwt.ts'
import { fromText, PREFIXES, type Profile } from '../../protocol/compact-credentials/text.ts'
import { Refusal } from '../../protocol/errors.ts'
import { uuidOfId } from '../../protocol/uuid.ts'
import type { Called, Noted } from '../frame/authentication.ts'

/** The UUID of a credential of a path, which the log entry names. Throws `credential.not_found` for a text of none. */
export function namedCredential(called: Called, id: string): string {
  const uuid = uuidOfId(id)
  if (!uuid) throw new Refusal('credential.not_found', 'There is no such credential.')
  called.noted = { ...called.noted, objectIds: [uuid] }
  return uuid
}

/** The id of a credential and a digest of its text: another one with this id is not ours (D-339). */
const presented = (id: unknown, encoded: string): Noted => {
  const presentedId = typeof id === 'string' ? uuidOfId(id) : undefined
  if (!presentedId) return {}
  return { presentedId, presentedDigest: createHash('sha256').update(encoded).digest('hex') }
}

/** What the log keeps of a verification. */
export function noteVerdict(called: Called, { verified, decoded, error, encoded }: ScanVerdict): void {
  const jti: unknown = decoded && ('jti' in decoded ? decoded.jti : 'id' in decoded ? decoded.id : undefined)
  const about = encoded === undefined ? {} : presented(jti, encoded)
  called.noted = { ...about, verified, reason: error?.type ?? null }
}

/** The id of a credential that is drawn. A text that is no credential can be drawn too, and has none. */
export function noteDrawn(called: Called, profile: Profile, text: string): void {
  try {
    const { jti } = readCredentialClaims(readCwt(fromText(PREFIXES[profile], text)), profile).claims
    called.noted = presented(jti, text)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
}
