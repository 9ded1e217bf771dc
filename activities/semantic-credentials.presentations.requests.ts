import { randomBytes } from 'node:crypto'
import { ForeignKeyConstraintViolationException, UniqueConstraintViolationException } from '@mikro-orm/core'
import { inTenant } from '../entities/orm.ts'
import { PresentationRequest } from '../entities/semantic-credentials.presentations.ts'
import { Refusal } from '../protocol/errors.ts'
import type { PresentationQuery } from '../protocol/semantic-credentials.presentations.queries.ts'
import {
  checkRequest,
  didcommLink,
  REQUEST_LIFETIME_MS,
  type RequestMessage,
  requestMessage,
  requestSigningInput,
} from '../protocol/semantic-credentials.presentations.requests.ts'
import type { Administration } from './administration.ts'
import type { Dependencies } from './index.ts'
import type { Call, Operations } from './operations.ts'
import type { Issuers } from './semantic-credentials.issuers.ts'
import { tenantSigner } from './semantic-credentials.presentations.signers.ts'
import {
  checkedTemplate,
  type PresentationTemplates,
  type TemplateInput,
} from './semantic-credentials.presentations.templates.ts'

export interface RequestInput extends Partial<TemplateInput> {
  templateId?: string
  challenge?: string
  did?: string
  callbackUrl?: string
  /** Milliseconds since 1970. */
  expiresTime?: number
}

export interface PresentationRequestRecord {
  id: string
  templateId: string | null
  domain: string
  name: string
  query: object
  challenge: string
  callbackUrl: string | null
  /** ISO 8601. */
  expiresAt: string
  state: 'open' | 'used' | 'expired'
  /** Absent where nobody signed: no DID was named, and the tenant has none that could. */
  signed?: { message: RequestMessage; jws: string; requestUri: string; didcommUri: string; qrCode: string }
}

/** The tenant's DID that asks when none is named: the oldest did:web, else the oldest did:key, with an Ed25519 key. */
const ASKING_DID = `select d.did from dids d join keys k on k.did_id = d.id
where d.registration_status = 'COMPLETED' and d.deleted_at is null and k.key_type = 'ed25519' and k.did_url is not null
order by d.method desc, d.created_at, d.id limit 1`

const notFound = () => new Refusal('presentation_request.not_found', 'There is no such presentation request.')

/** What came in between shows in the table's constraints. */
const conflict = (error: unknown): never => {
  if (error instanceof ForeignKeyConstraintViolationException)
    throw new Refusal('presentation_template.not_found', 'The presentation template was deleted meanwhile.')
  if (error instanceof UniqueConstraintViolationException)
    throw new Refusal('presentation_request.challenge_taken', 'Another request of this tenant has this challenge.', [
      { path: 'challenge', code: 'unique', message: 'expected a challenge that was never used' },
    ])
  throw error
}

const state = ({ usedAt, expiresAt }: PresentationRequest, now: Date): PresentationRequestRecord['state'] =>
  usedAt ? 'used' : expiresAt <= now ? 'expired' : 'open'

interface Parts extends Pick<Dependencies, 'database' | 'documents' | 'now' | 'uuid'> {
  operations: Operations
  administration: Administration
  issuers: Issuers
  presentationTemplates: PresentationTemplates
}

/** Presentation requests: a challenge with its time, signed and handed to a wallet (specification, Endpoints). */
export function createPresentationRequests(parts: Parts) {
  const { database, documents, now, uuid, operations, administration, issuers, presentationTemplates } = parts

  /** The template's own members, or those of the request itself; both at once would say two things. */
  async function whatIsAsked(tenantId: string, { templateId, domain, name, query }: RequestInput) {
    if (templateId === undefined) {
      const input = { domain: domain ?? '', name: name ?? '', query }
      return { ...input, ...checkedTemplate(input), templateId: null }
    }
    const extra = Object.entries({ domain, name, query }).flatMap(([path, value]) =>
      value === undefined ? [] : [path],
    )
    if (extra.length > 0)
      throw new Refusal(
        'presentation_request.invalid',
        'The template says what is asked.',
        extra.map((path) => ({ path, code: 'unknown', message: 'expected nothing beside templateId' })),
      )
    const template = await presentationTemplates.readTemplate(tenantId, templateId)
    return { ...template, ...checkedTemplate(template), templateId }
  }

  const askingDid = (tenantId: string): Promise<string | undefined> =>
    inTenant(database.tenants, tenantId, async (em) => (await em.execute<{ did: string }[]>(ASKING_DID))[0]?.did)

  async function sign(tenantId: string, message: RequestMessage): Promise<string> {
    const signer = await tenantSigner(issuers, { tenantId, did: message.from, proofType: 'eddsa-rdfc-2022' })
    const input = requestSigningInput(message, signer.verificationMethod)
    return `${input}.${Buffer.from(await signer.sign(Buffer.from(input))).toString('base64url')}`
  }

  async function links(tenantId: string, message: RequestMessage, jws: string) {
    const { baseUrl } = await administration.tenantById(tenantId)
    const requestUri = `${baseUrl}/v1/presentation-requests/${message.id}`
    return { message, jws, requestUri, didcommUri: didcommLink(jws), qrCode: await documents.qrCode(requestUri) }
  }

  const toRecord = async (tenantId: string, row: PresentationRequest): Promise<PresentationRequestRecord> => {
    const { id, templateId, domain, name, query, challenge, callbackUrl, signed, expiresAt } = row
    const record = { id, domain, name, query, challenge, expiresAt: expiresAt.toISOString(), state: state(row, now()) }
    const answer = { ...record, templateId: templateId ?? null, callbackUrl: callbackUrl ?? null }
    if (!signed) return answer
    const [, payload = ''] = signed.split('.')
    const message = JSON.parse(Buffer.from(payload, 'base64url').toString()) as RequestMessage
    return { ...answer, signed: await links(tenantId, message, signed) }
  }

  return {
    /**
     * Throws `Refusal('presentation_request.invalid' | 'presentation_request.challenge_taken')`, what a template is refused
     * for, `presentation.signer_*`, and `Unavailable('keys')`.
     */
    async createRequest(call: Call, input: RequestInput): Promise<PresentationRequestRecord> {
      const { tenantId, idempotency } = call
      if (idempotency && 'effect' in idempotency) return idempotency.effect as PresentationRequestRecord
      const createdAt = now()
      checkRequest(input, createdAt)
      const { templateId, domain, name, query, queries } = await whatIsAsked(tenantId, input)
      const id = uuid()
      const challenge = input.challenge ?? randomBytes(24).toString('base64url')
      const expiresAt = new Date(input.expiresTime ?? createdAt.getTime() + REQUEST_LIFETIME_MS)
      const did = input.did ?? (await askingDid(tenantId))
      const { callbackUrl } = input
      const queryType = firstType(queries)
      const asked = {
        id,
        templateId: templateId ?? id,
        createdAt,
        expiresAt,
        callbackUrl,
        domain,
        name,
        query,
        challenge,
      }
      const message = did === undefined ? undefined : requestMessage({ ...asked, did, queryType })
      const jws = message && (await sign(tenantId, message))
      const record: PresentationRequestRecord = {
        ...{ id, templateId, domain, name, query, challenge, callbackUrl: callbackUrl ?? null },
        expiresAt: expiresAt.toISOString(),
        state: 'open',
        ...(message && jws ? { signed: await links(tenantId, message, jws) } : {}),
      }
      const metadata = { id, templateId, signed: jws !== undefined }
      const operation = {
        name: 'PRESENTATION_WEB_SEMANTIC_REQUEST_CREATE',
        category: 'presentation-web-semantic',
        metadata,
      }
      return operations
        .change(call, operation, async (em) => {
          const row = { id, tenantId, templateId, domain, name, query, challenge, callbackUrl, expiresAt, createdAt }
          em.create(PresentationRequest, { ...row, did: did ?? null, signed: jws ?? null })
          return record
        })
        .catch(conflict)
    },

    async readRequest(tenantId: string, id: string): Promise<PresentationRequestRecord> {
      const row = await inTenant(database.tenants, tenantId, (em) => em.findOne(PresentationRequest, { id }))
      if (!row) throw notFound()
      return toRecord(tenantId, row)
    },

    /** What a wallet reads. Throws `Refusal('presentation_request.over')` once it takes no answer any more. */
    async signedRequest(tenantId: string, id: string): Promise<string> {
      const row = await inTenant(database.tenants, tenantId, (em) => em.findOne(PresentationRequest, { id }))
      if (!row?.signed) throw notFound()
      if (state(row, now()) === 'open') return row.signed
      throw new Refusal('presentation_request.over', 'The presentation request was answered, or has expired.')
    },

    /** The request whose challenge this is; undefined where no request of the tenant has it. */
    async findByChallenge(tenantId: string, challenge: string) {
      const row = await inTenant(database.tenants, tenantId, (em) => em.findOne(PresentationRequest, { challenge }))
      return row && { id: row.id, state: state(row, now()), domain: row.domain, query: row.query }
    },
  }
}

export type PresentationRequests = ReturnType<typeof createPresentationRequests>

const firstType = (queries: PresentationQuery[]) => queries[0]?.type ?? 'QueryByExample'
