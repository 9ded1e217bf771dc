import type { CredentialStatus } from '../../activities/credentials/status-lists/changes.ts'
import { listIn } from '../../protocol/status-list/enveloped.ts'
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

/** Lists that are credentials are signed by a DID. */
function signerOf({ id, didId }: StatusList): Uuid {
  if (!didId) throw new Error(`list ${id} is not signed by a DID`)
  return didId
}

export const listToWire = (list: StatusList, credential: JsonObject): RevocationListOut => ({
  id: list.id,
  credential_id: String(listIn(credential).id),
  org_did_id: signerOf(list),
  credential,
  created_at: list.createdAt.toISOString(),
  updated_at: (list.signedAt ?? list.createdAt).toISOString(),
})
