import type { Did } from '../../entities/dids.ts'
import type { Key } from '../../entities/keys.ts'
import type { DidDocument } from '../../protocol/dids/index.ts'

export interface DidKeyRecord {
  didDocumentKeyId: string
  kmsKeyId: string
  custody: 'hardened' | 'software'
}

/** Why a did:web is PROCESSING still. */
export interface Waiting {
  code: string
  /** For people. */
  reason: string
  /** ISO times; null before the first look. */
  lookedAt: string | null
  nextLookAt: string | null
}

export interface DidRecord {
  id: string
  did: string
  registrationStatus: Did['registrationStatus']
  failureReason: string | null
  waiting?: Waiting
  /** What keeps a COMPLETED DID from being used: a stable code, and a sentence for people. */
  warning?: { code: string; reason: string }
  hosting: Did['hosting']
  isDefaultIssuer: boolean
  document: DidDocument
  keys: DidKeyRecord[]
}

/** The registration has not looked yet, or its workflow has not begun. */
const BEFORE_FIRST_LOOK = {
  code: 'did.registration_pending',
  reason: 'The keys and the document of the DID are being created; then the platform checks whether the DID resolves.',
}

export function waitingOf(row: Did): Waiting | undefined {
  if (row.registrationStatus !== 'PROCESSING') return undefined
  return {
    code: row.waitingCode ?? BEFORE_FIRST_LOOK.code,
    reason: row.waitingReason ?? BEFORE_FIRST_LOOK.reason,
    lookedAt: row.lookedAt?.toISOString() ?? null,
    nextLookAt: row.nextLookAt?.toISOString() ?? null,
  }
}

const waitingMember = (waiting: Waiting | undefined) => (waiting ? { waiting } : {})

export const toRecord = (row: Did, keys: Key[]): DidRecord => ({
  id: row.id,
  did: row.did,
  registrationStatus: row.registrationStatus,
  failureReason: row.failureReason ?? null,
  ...waitingMember(waitingOf(row)),
  hosting: row.hosting,
  isDefaultIssuer: row.isDefaultIssuer,
  document: row.document as DidDocument,
  keys: keys.flatMap(({ id, didUrl, custody }) =>
    didUrl && custody ? [{ didDocumentKeyId: didUrl, kmsKeyId: id, custody }] : [],
  ),
})
