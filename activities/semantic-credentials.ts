import { createHash } from 'node:crypto'
import { inTenant } from '../entities/orm.ts'
import { SemanticCredential } from '../entities/semantic-credentials.ts'
import { isProofType, type Json, PROOF_TYPES } from '../protocol/data-integrity.ts'
import { Refusal } from '../protocol/errors.ts'
import { normaliseSignPayload, withStatus } from '../protocol/semantic-credentials.ts'
import { statusEntry } from '../protocol/status-list.credential.ts'
import type { Administration } from './administration.ts'
import type { Dependencies } from './index.ts'
import type { Call } from './operations.ts'
import type { TenantContexts } from './semantic-credentials.contexts.ts'
import type { StatusEntries } from './semantic-credentials.entries.ts'
import type { Issuers } from './semantic-credentials.issuers.ts'

export interface SignRequest {
  payload: Json
  proofType: string
  revocable: boolean
  tag?: string | null
}

export interface SignedCredential {
  id: string
  credential: Json
  tag: string | null
}

interface Parts extends Pick<Dependencies, 'database' | 'sql' | 'effects' | 'documents' | 'now' | 'uuid'> {
  administration: Administration
  contexts: TenantContexts
  entries: StatusEntries
  issuers: Issuers
}

/** The same id for the same Idempotency-Key, so that a repeated request finds its own row (RFC 9562, version 8). */
export function derivedId(tenantId: string, key: string): string {
  const hex = createHash('sha256').update(`${tenantId}/credential/${key}`).digest('hex')
  const variant = '89ab'.charAt(Number.parseInt(hex.charAt(16), 16) & 3)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

const RECORD = 'select record_semantic_credential($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16) as outcome'

/** Area 4, Web semantic credentials: sign, list, read (specification, Endpoints). */
export function createSemanticCredentials(parts: Parts) {
  const { database, sql, effects, documents, now, uuid, administration, contexts, entries, issuers } = parts

  return {
    /**
     * Signs and records: the answer exists exactly when the row does. Refusals: `credential.*` with the fields at fault,
     * `context.*`; `Unavailable('keys')` when the key store is away.
     */
    async signCredential(call: Call, { payload, proofType, revocable, tag }: SignRequest): Promise<SignedCredential> {
      const { tenantId, idempotency } = call
      if (idempotency && 'effect' in idempotency) return idempotency.effect as SignedCredential
      if (!isProofType(proofType))
        throw new Refusal('credential.proof_type_unsupported', 'This proof type is not supported.', [
          { path: 'proofType', code: 'enum', message: `expected one of ${PROOF_TYPES.join(', ')}` },
        ])
      const time = now()
      const normal = normaliseSignPayload(payload, { proofType, revocable, now: time })
      const issuer = await issuers.find(tenantId, normal.issuer)
      const signer = issuers.signer(tenantId, issuer, proofType)
      const id = idempotency ? derivedId(tenantId, idempotency.key) : uuid()
      const { '@context': context, id: given, ...rest } = normal.credential
      let unsigned: Json = { '@context': context, id: given ?? `urn:uuid:${id}`, ...rest }
      let listId: string | null = null
      let index: number | null = null
      if (revocable) {
        const kind = normal.dataModel === '2.0' ? 'BitstringStatusList' : 'RevocationList2020'
        const owner = { tenantId, didId: issuer.didId, kind, purpose: 'revocation', proofType } as const
        ;({ listId, index } = await entries.take(owner))
        const { baseUrl } = await administration.tenantById(tenantId)
        const listUrl = `${baseUrl}/v1/revocation-lists/${listId}`
        unsigned = withStatus(unsigned, { ...statusEntry({ kind, listUrl, index, purpose: 'revocation' }) })
      }
      const credential = await documents.sign(
        { credential: unsigned, proofType, signer, now: time },
        contexts.lookupFor(tenantId),
      )
      const signed: SignedCredential = { id, credential, tag: tag ?? null }
      const { rows } = await sql.query<{ outcome: string }>({
        name: 'record-semantic-credential',
        text: RECORD,
        values: [
          tenantId,
          id,
          issuer.didId,
          JSON.stringify(credential),
          proofType,
          signed.tag,
          normal.types,
          normal.issuanceDate,
          normal.expirationDate ?? null,
          listId,
          index,
          uuid(),
          call.requestId,
          JSON.stringify({ clientId: call.clientId, id, proofType, revocable }),
          idempotency?.key ?? null,
          idempotency ? effects.seal(tenantId, idempotency.key, signed) : null,
        ],
      })
      const outcome = rows[0]?.outcome
      if (outcome === 'recorded') return signed
      issuers.forget(tenantId, issuer.did)
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
      if (!credential) throw new Refusal('credential.not_found', 'There is no such credential.')
      return credential
    },
  }
}

export type SemanticCredentials = ReturnType<typeof createSemanticCredentials>
