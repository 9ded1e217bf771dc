import { createHash, randomUUIDv7 } from 'node:crypto'
import { logOf } from '../../protocol/credentials/formats.ts'
import type { Json } from '../../protocol/data-integrity/index.ts'
import { Refusal } from '../../protocol/errors.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Signers } from '../dids/signers.ts'
import type { Call } from '../frame/operations.ts'
import type { CredentialFormat, TemplateRef } from './format.ts'
import { createCredentialRecorder, type SignedRow } from './record.ts'
import { createSubjectIndex } from './subjects.ts'

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

/** The members of a format that issuing needs, and what the caller gets of a row. */
export interface Issues<Request, Row extends SignedRow, Result>
  extends Pick<CredentialFormat<Request, Row>, 'name' | 'sign'> {
  result(row: Row): Result
  /**
   * Its credentials do not hold their ids, which only their tenant sees: new ones begin with the time (RFC 9562, version 7), so
   * that rows that are made together lie together in the indexes.
   */
  areIdsOurs?: boolean
  /** Refuses a credential whose issuer was deleted, revoked or deactivated meanwhile. */
  issuerGone(row: Row): Refusal
}

/** The members of a format with JSON documents that issuing needs. */
export interface Signs<Request>
  extends Pick<CredentialFormat<Request, SignedRow & { document: Json }>, 'name' | 'sign'> {
  /** What the caller gets as the credential. Default: its document. */
  credentialOf?(row: SignedRow & { document: Json }): Json
}

interface Parts extends Pick<Dependencies, 'config' | 'sql' | 'effects' | 'uuid'> {
  signers: Signers
}

/** Issues credentials of any format. */
export function createIssuing({ config, sql, effects, uuid, signers }: Parts) {
  const recorder = createCredentialRecorder(sql)
  const subjectIndex = createSubjectIndex(config)

  const parts = {
    /**
     * Signs and records a credential; its result is returned only if it was recorded. `template`: the version that the
     * request was made from. Throws what signing throws, what the format makes of an issuer that is gone, and
     * `credential_template.not_found` for a template that was deleted meanwhile.
     */
    async issueAs<Request, Row extends SignedRow, Result>(
      call: Call,
      format: Issues<Request, Row, Result>,
      request: Request,
      template?: TemplateRef,
    ): Promise<Result> {
      const { tenantId, idempotency } = call
      if (idempotency && 'effect' in idempotency) return idempotency.effect as Result
      const newId = format.areIdsOurs ? randomUUIDv7 : uuid
      const ownId = idempotency ? derivedId(tenantId, `${idempotency.since} ${idempotency.key}`) : newId()
      const row = await format.sign(tenantId, ownId, request)
      const { id, proofType, didId, documentSignerId } = row
      const signed = format.result(row)
      const issuer = documentSignerId ? { documentSignerId } : { didId }
      const metadata = { clientId: call.clientId, id, ...issuer, proofType, revocable: row.statusListId !== null }
      const from = { templateId: template?.id ?? null, templateVersion: template?.version ?? null }
      const { name, category } = logOf(format.name, 'SIGN')
      const outcome = await recorder.record({
        row: { ...row, ...from, tenantId, subjects: subjectIndex.ofAll(tenantId, row.format, row.document) },
        log: {
          id: randomUUIDv7(),
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
      if (outcome === 'issuer_gone') throw format.issuerGone(row)
      if (outcome === 'recorded_before')
        throw new Refusal(
          'idempotency.in_flight',
          'Another request with this Idempotency-Key has finished. Repeat the request.',
        )
      throw new Error(`record_credentials returned ${String(outcome)}`)
    },

    /** Issues a credential with a JSON document as a DID: `credential.issuer_unknown` for one that was deleted meanwhile. */
    issue<Request>(
      call: Call,
      format: Signs<Request>,
      request: Request,
      template?: TemplateRef,
    ): Promise<SignedCredential> {
      const { credentialOf = ({ document }) => document } = format
      const result = (row: SignedRow & { document: Json }) => ({
        id: row.id,
        credential: credentialOf(row),
        tag: row.tag,
        ...(template && { template }),
      })
      const issuerGone = ({ issuer }: SignedRow) => {
        signers.forget(call.tenantId, issuer)
        return new Refusal('credential.issuer_unknown', 'The issuer was deleted while the credential was being signed.')
      }
      return parts.issueAs(call, { ...format, result, issuerGone }, request, template)
    },
  }
  return parts
}

export type Issuing = ReturnType<typeof createIssuing>
