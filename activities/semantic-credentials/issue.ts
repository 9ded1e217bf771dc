import { createHash } from 'node:crypto'
import { inTenant } from '../../entities/orm.ts'
import { SemanticCredential } from '../../entities/semantic-credentials.ts'
import type { Json } from '../../protocol/data-integrity/index.ts'
import { Refusal } from '../../protocol/errors.ts'
import { type CredentialRow, createCredentialRecorder } from '../credentials/record.ts'
import { credentialNotFound } from '../credentials/refusals.ts'
import { recordSuspendable } from '../credentials/status-lists/suspension.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Issuers } from '../dids/signers.ts'
import type { Call } from '../frame/operations.ts'
import type { Signing, SignRequest } from './sign.ts'

/** A version of a template: what a credential was made by. */
export interface TemplateRef {
  id: string
  version: number
}

export interface SignedCredential {
  id: string
  credential: Json
  tag: string | null
  template?: TemplateRef
}

interface Parts extends Pick<Dependencies, 'database' | 'sql' | 'effects' | 'uuid'> {
  issuers: Issuers
  signing: Signing
}

/** The same id for the same work, so that a repeated step finds its own row (RFC 9562, version 8). */
export function derivedId(tenantId: string, work: string): string {
  const hex = createHash('sha256').update(`${tenantId}/credential/${work}`).digest('hex')
  const variant = '89ab'.charAt(Number.parseInt(hex.charAt(16), 16) & 3)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** Area 4, Web semantic credentials: sign, list, read (specification, Endpoints). */
export function createSemanticCredentials(parts: Parts) {
  const { database, sql, effects, uuid, issuers, signing } = parts
  const recorder = createCredentialRecorder(sql)

  return {
    /**
     * Signs and records: the answer exists exactly when the row does. Refusals: `credential.*` with the fields at fault,
     * `context.*`; `Unavailable('keys')` when the key store is away. `template`: the version that made the payload.
     */
    async signCredential(call: Call, request: SignRequest, template?: TemplateRef): Promise<SignedCredential> {
      const { tenantId, idempotency } = call
      if (idempotency && 'effect' in idempotency) return idempotency.effect as SignedCredential
      const ownId = idempotency ? derivedId(tenantId, `${idempotency.since} ${idempotency.key}`) : uuid()
      const row = await signing.sign(tenantId, ownId, request)
      const { id, credential, tag, proofType, listId, suspension } = row
      const signed: SignedCredential = { id, credential, tag, ...(template && { template }) }
      const metadata = { clientId: call.clientId, id, proofType, revocable: request.revocable }
      const recorded: CredentialRow = {
        tenant: tenantId,
        credential_id: id,
        issuer: row.didId,
        signed: credential,
        proof: proofType,
        label: tag,
        type_names: row.types,
        issued: row.issuanceDate,
        expires: row.expirationDate,
        list: listId,
        list_index: row.index,
        log_id: uuid(),
        request: call.requestId,
        log_metadata: template ? { ...metadata, templateId: template.id, templateVersion: template.version } : metadata,
        idempotency: idempotency?.key ?? null,
        idempotent_effect: idempotency ? effects.seal(tenantId, idempotency.key, signed) : null,
        template: template?.id ?? null,
        version: template?.version ?? null,
      }
      const outcome = await (suspension ? recordSuspendable(sql, recorded, suspension) : recorder.record(recorded))
      if (outcome === 'recorded') return signed
      if (outcome === 'template_gone')
        throw new Refusal('credential_template.not_found', 'The template was deleted while its credential was signed.')
      issuers.forget(tenantId, row.issuer)
      if (outcome === 'recorded_before')
        throw new Refusal(
          'idempotency.in_flight',
          'A request with this Idempotency-Key was finished meanwhile. Ask again.',
        )
      throw new Refusal('credential.issuer_unknown', 'The issuer was deleted while the credential was being signed.')
    },

    async listCredentials(
      tenantId: string,
      { tag, type, limit, offset }: { tag?: string; type?: string; limit: number; offset: number },
    ) {
      return inTenant(database.tenants, tenantId, async (em) => {
        const where = {
          ...(tag !== undefined ? { tag } : {}),
          ...(type !== undefined ? { types: { $contains: [type] } } : {}),
        }
        const orderBy = { createdAt: 'desc', id: 'asc' } as const
        const [credentials, total] = await em.findAndCount(SemanticCredential, where, { orderBy, limit, offset })
        return { credentials, total }
      })
    },

    async readCredential(tenantId: string, id: string): Promise<SemanticCredential> {
      const credential = await inTenant(database.tenants, tenantId, (em) => em.findOne(SemanticCredential, { id }))
      if (!credential) throw credentialNotFound()
      return credential
    },
  }
}

export type SemanticCredentials = ReturnType<typeof createSemanticCredentials>
