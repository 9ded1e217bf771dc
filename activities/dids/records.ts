import type { Did } from '../../entities/dids.ts'
import type { Key } from '../../entities/keys.ts'
import type { DidDocument } from '../../protocol/dids/index.ts'

export interface DidKeyRecord {
  didDocumentKeyId: string
  kmsKeyId: string
  custody: string
}

export interface DidRecord {
  id: string
  did: string
  registrationStatus: string
  failureReason: string | null
  hosting: string
  isDefaultIssuer: boolean
  document: DidDocument
  keys: DidKeyRecord[]
}

export const toRecord = (row: Did, keys: Key[]): DidRecord => ({
  id: row.id,
  did: row.did,
  registrationStatus: row.registrationStatus,
  failureReason: row.failureReason ?? null,
  hosting: row.hosting,
  isDefaultIssuer: row.isDefaultIssuer,
  document: row.document as DidDocument,
  keys: keys.flatMap(({ id, didUrl, custody }) =>
    didUrl && custody ? [{ didDocumentKeyId: didUrl, kmsKeyId: id, custody }] : [],
  ),
})
