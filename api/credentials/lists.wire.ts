import type { CredentialStatus } from '../../activities/credentials/status-lists/changes.ts'
import type { JsonObject } from '../frame/wire.ts'

type StatusList = Awaited<ReturnType<CredentialStatus['readList']>>

export interface RevocationListOut {
  id: string
  credential_id: string
  org_did_id: string
  /** The signed list. */
  credential: JsonObject
  created_at: string
  updated_at: string
}

export const listToWire = (list: StatusList, credential: JsonObject): RevocationListOut => ({
  id: list.id,
  credential_id: String(credential.id),
  org_did_id: list.didId,
  credential,
  created_at: list.createdAt.toISOString(),
  updated_at: (list.signedAt ?? list.createdAt).toISOString(),
})
