import type { CredentialStatus } from '../../activities/credentials/status-lists/changes.ts'
import type { DateTime, JsonObject, Uri, Uuid, VerifiableCredential } from '../frame/wire.ts'

type StatusList = Awaited<ReturnType<CredentialStatus['readList']>>

export interface RevocationListOut {
  id: Uuid
  /** Address of the published list. */
  credential_id: Uri
  /** Id of the DID that signs the list. */
  org_did_id: Uuid
  /** The signed list. */
  credential: VerifiableCredential
  created_at: DateTime
  /** When the list was last signed. */
  updated_at: DateTime
}

export const listToWire = (list: StatusList, credential: JsonObject): RevocationListOut => ({
  id: list.id,
  credential_id: String(credential.id),
  org_did_id: list.didId,
  credential,
  created_at: list.createdAt.toISOString(),
  updated_at: (list.signedAt ?? list.createdAt).toISOString(),
})
