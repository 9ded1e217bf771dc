import { jsonOf } from '../../activities/credentials/read.ts'
import type { CredentialTemplate } from '../../activities/semantic-credentials/templates.ts'
import { isObject } from '../../protocol/json.ts'
import { flattenMappings } from '../../protocol/semantic-credentials/templates/claims.ts'
import type { DateTime, JsonObject, ProofType, TemplateVersion, Uri, Uuid } from '../frame/wire.ts'
import type { ExpiresIn } from './templates.wire.ts'
import { type CredentialOut, rowToWire, type SemanticCredential } from './wire.ts'

/** The stored details of a credential, in the terms of a template. */
export interface CredentialDetailsOut extends CredentialOut {
  type: string
  additional_types: string[]
  proof_type: ProofType
  revocable: boolean
  is_revoked: boolean
  suspendable: boolean
  is_suspended: boolean
  expiration_date?: DateTime
  created_at: DateTime
  /** Every JSON-LD context of the credential. */
  context: unknown
  /** Always true: the platform stores every credential that it issues. */
  persist: boolean
  issuer: { id: Uri; name?: string; icon_url?: Uri; logo_url?: Uri }
  name?: string
  description?: string
  credential_branding?: JsonObject
  /** The template that it was issued from. */
  template_id?: Uuid
  template_version?: TemplateVersion
  /** The source path of each claim. */
  claim_mappings?: { [claim: string]: string }
  claim_source_id?: Uuid
  expires_in?: ExpiresIn
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const issuerOf = (issuer: unknown): CredentialDetailsOut['issuer'] =>
  isObject(issuer)
    ? { id: String(issuer.id), name: text(issuer.name), icon_url: text(issuer.iconUrl), logo_url: text(issuer.logoUrl) }
    : { id: String(issuer) }

const ofTemplate = ({ id, version, definition }: CredentialTemplate) => ({
  template_id: id,
  template_version: version,
  claim_mappings: definition.claimMappings ? flattenMappings(definition.claimMappings) : undefined,
  claim_source_id: definition.claimSourceId ?? undefined,
  expires_in: definition.expiresIn ?? undefined,
})

export function detailsToWire(row: SemanticCredential, template?: CredentialTemplate): CredentialDetailsOut {
  const document = jsonOf(row)
  return {
    ...rowToWire(row),
    type: row.types[0] ?? 'VerifiableCredential',
    additional_types: row.types.slice(1),
    proof_type: row.proofType,
    revocable: Boolean(row.statusListId),
    is_revoked: row.revoked,
    suspendable: Boolean(row.suspensionListId),
    is_suspended: row.suspended,
    expiration_date: row.expirationDate?.toISOString(),
    created_at: row.createdAt.toISOString(),
    context: document['@context'],
    persist: true,
    issuer: issuerOf(document.issuer),
    name: text(document.name),
    description: text(document.description),
    credential_branding: isObject(document.credentialBranding) ? document.credentialBranding : undefined,
    ...(template && ofTemplate(template)),
  }
}
