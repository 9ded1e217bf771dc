import { createHash } from 'node:crypto'
import { Credential } from '../../entities/credentials.ts'
import { inTenant } from '../../entities/orm.ts'
import type { Json } from '../../protocol/data-integrity/index.ts'
import { Refusal } from '../../protocol/errors.ts'
import { createCredentialRecorder } from '../credentials/record.ts'
import { credentialNotFound } from '../credentials/refusals.ts'
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

/** A credential of this format as its row is: its document is JSON. */
type SemanticCredential = Credential & { document: Json }

const isSemantic = (credential: Credential | null): credential is SemanticCredential =>
  credential?.format === 'semantic' && credential.document !== null

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
      const { id, document: credential, tag, proofType } = row
      const signed: SignedCredential = { id, credential, tag, ...(template && { template }) }
      const metadata = { clientId: call.clientId, id, proofType, revocable: request.revocable }
      const from = { templateId: template?.id ?? null, templateVersion: template?.version ?? null }
      const outcome = await recorder.record({
        row: { ...row, ...from, tenantId },
        log: {
          id: uuid(),
          category: 'credential-web-semantic',
          type: 'CREDENTIAL_WEB_SEMANTIC_SIGN_SUCCESS',
          requestId: call.requestId,
          metadata: template ? { ...metadata, ...from } : metadata,
        },
        idempotency: idempotency
          ? { key: idempotency.key, effect: effects.seal(tenantId, idempotency.key, signed) }
          : null,
      })
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
          format: 'semantic' as const,
          ...(tag !== undefined ? { tag } : {}),
          ...(type !== undefined ? { types: { $contains: [type] } } : {}),
        }
        const orderBy = { createdAt: 'desc', id: 'asc' } as const
        const [credentials, total] = await em.findAndCount(Credential, where, { orderBy, limit, offset })
        return { credentials: credentials.filter(isSemantic), total }
      })
    },

    async readCredential(tenantId: string, id: string): Promise<SemanticCredential> {
      const credential = await inTenant(database.tenants, tenantId, (em) => em.findOne(Credential, { id }))
      if (!isSemantic(credential)) throw credentialNotFound()
      return credential
    },
  }
}

export type SemanticCredentials = ReturnType<typeof createSemanticCredentials>
