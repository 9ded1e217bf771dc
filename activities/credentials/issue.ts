import { createHash } from 'node:crypto'
import { logOf } from '../../protocol/credentials/formats.ts'
import type { Json } from '../../protocol/data-integrity/index.ts'
import { Refusal } from '../../protocol/errors.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Signers } from '../dids/signers.ts'
import type { Call } from '../frame/operations.ts'
import type { CredentialFormat, TemplateRef } from './format.ts'
import { createCredentialRecorder, type SignedRow } from './record.ts'

export interface SignedCredential {
  id: string
  credential: Json
  tag: string | null
  template?: TemplateRef
}

/** Returns the same id for the same work, so that a repeated step finds its own row (RFC 9562, version 8). */
export function derivedId(tenantId: string, work: string): string {
  const hex = createHash('sha256').update(`${tenantId}/credential/${work}`).digest('hex')
  const variant = '89ab'.charAt(Number.parseInt(hex.charAt(16), 16) & 3)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** The members of a format with JSON documents that issuing needs. */
export type Signs<Request> = Pick<CredentialFormat<Request, SignedRow & { document: Json }>, 'name' | 'sign'>

interface Parts extends Pick<Dependencies, 'sql' | 'effects' | 'uuid'> {
  signers: Signers
}

/** Issues credentials of any format. */
export function createIssuing({ sql, effects, uuid, signers }: Parts) {
  const recorder = createCredentialRecorder(sql)

  return {
    /**
     * Signs and records a credential; it is returned only if it was recorded. `template`: the version that the request
     * was made from. Throws what signing throws, and `credential.issuer_unknown` or `credential_template.not_found` for
     * an issuer or a template that was deleted meanwhile.
     */
    async issue<Request>(
      call: Call,
      format: Signs<Request>,
      request: Request,
      template?: TemplateRef,
    ): Promise<SignedCredential> {
      const { tenantId, idempotency } = call
      if (idempotency && 'effect' in idempotency) return idempotency.effect as SignedCredential
      const ownId = idempotency ? derivedId(tenantId, `${idempotency.since} ${idempotency.key}`) : uuid()
      const row = await format.sign(tenantId, ownId, request)
      const { id, document: credential, tag, proofType } = row
      const signed: SignedCredential = { id, credential, tag, ...(template && { template }) }
      const { didId } = row
      const metadata = { clientId: call.clientId, id, didId, proofType, revocable: row.statusListId !== null }
      const from = { templateId: template?.id ?? null, templateVersion: template?.version ?? null }
      const { name, category } = logOf(format.name, 'SIGN')
      const outcome = await recorder.record({
        row: { ...row, ...from, tenantId },
        log: {
          id: uuid(),
          category,
          type: `${name}_SUCCESS`,
          requestId: call.requestId,
          metadata: template ? { ...metadata, ...from } : metadata,
        },
        idempotency: idempotency
          ? { key: idempotency.key, effect: effects.seal(tenantId, idempotency.key, signed) }
          : null,
      })
      if (outcome === 'recorded') return signed
      if (outcome === 'template_gone')
        throw new Refusal(
          'credential_template.not_found',
          'The template was deleted while the credential was being signed.',
        )
      signers.forget(tenantId, row.issuer)
      if (outcome === 'recorded_before')
        throw new Refusal(
          'idempotency.in_flight',
          'Another request with this Idempotency-Key has finished. Repeat the request.',
        )
      throw new Refusal('credential.issuer_unknown', 'The issuer was deleted while the credential was being signed.')
    },
  }
}

export type Issuing = ReturnType<typeof createIssuing>
