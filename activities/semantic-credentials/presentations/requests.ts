import { randomBytes } from 'node:crypto'
import { ForeignKeyConstraintViolationException, UniqueConstraintViolationException } from '@mikro-orm/core'
import { inTenant } from '../../../entities/orm.ts'
import { PresentationRequest } from '../../../entities/semantic-credentials.presentations.ts'
import { Refusal } from '../../../protocol/errors.ts'
import {
  checkRequest,
  REQUEST_LIFETIME_MS,
  requestMessage,
} from '../../../protocol/semantic-credentials/presentations/requests.ts'
import type { TrustedContexts } from '../../../protocol/semantic-credentials/warnings.ts'
import { type Clock, hasCome } from '../../../protocol/time.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Call, Operations } from '../../frame/operations.ts'
import type { Asking, SignedRequest } from './asking.ts'
import type { TemplateInput } from './templates.ts'

export interface RequestInput extends Partial<TemplateInput> {
  templateId?: string
  challenge?: string
  did?: string
  callbackUrl?: string
  /** Milliseconds since 1970. */
  expiresTime?: number
}

interface RequestRow {
  id: string
  templateId?: string | null
  domain: string
  name: string
  query: object
  trustedContexts?: TrustedContexts | null
  challenge: string
  callbackUrl?: string | null
  signed?: string | null
  expiresAt: Date
  usedAt?: Date | null
  /** It accepts no answer any more, even before it expires. */
  isOver?: boolean
}

export interface PresentationRequestRecord {
  id: string
  templateId: string | null
  domain: string
  name: string
  query: object
  /** Absent where none were given. */
  trustedContexts?: TrustedContexts
  challenge: string
  callbackUrl: string | null
  /** ISO 8601. */
  expiresAt: string
  state: 'open' | 'used' | 'expired'
  /** Absent for an unsigned request: no DID was named, and the tenant has none that can sign. */
  signed?: SignedRequest
}

const notFound = () => new Refusal('presentation_request.not_found', 'There is no such presentation request.')

/** Turns a violated constraint, caused by a concurrent change, into a refusal. */
const conflict = (error: unknown): never => {
  if (error instanceof ForeignKeyConstraintViolationException)
    throw new Refusal(
      'presentation_template.not_found',
      'The presentation template was deleted while the request was being created.',
    )
  if (error instanceof UniqueConstraintViolationException)
    throw new Refusal(
      'presentation_request.challenge_taken',
      'Another presentation request of this tenant has this challenge.',
      [{ path: 'challenge', code: 'unique', message: 'expected a challenge that was never used' }],
    )
  throw error
}

const stateOf = ({ usedAt, isOver, expiresAt }: RequestRow, clock: Clock): PresentationRequestRecord['state'] =>
  usedAt ? 'used' : isOver || hasCome(expiresAt, clock) ? 'expired' : 'open'

/** A request from before a restore may have been answered after the backup: it accepts no answer any more. */
const RESTORED_SINCE = 'select restored_at from platform_epoch where restored_at >= ?'

interface Parts extends Pick<Dependencies, 'config' | 'database' | 'now' | 'uuid'> {
  operations: Operations
  asking: Asking
}

/** Presentation requests: a challenge with an expiry, signed and given to a wallet (specification, Endpoints). */
export function createPresentationRequests({ config, database, now, uuid, operations, asking }: Parts) {
  const state = (row: RequestRow) => stateOf(row, { now: now(), toleranceMs: config.clockToleranceMs })

  const find = (tenantId: string, where: { id: string } | { challenge: string }): Promise<RequestRow | null> =>
    inTenant(database.tenants, tenantId, async (em) => {
      const row = await em.findOne(PresentationRequest, where)
      if (!row || row.usedAt) return row
      const [restored] = await em.execute<object[]>(RESTORED_SINCE, [row.createdAt])
      return restored ? { ...row, isOver: true } : row
    })

  const toRecord = async (tenantId: string, row: RequestRow): Promise<PresentationRequestRecord> => ({
    id: row.id,
    templateId: row.templateId ?? null,
    domain: row.domain,
    name: row.name,
    query: row.query,
    ...(row.trustedContexts ? { trustedContexts: row.trustedContexts } : {}),
    challenge: row.challenge,
    callbackUrl: row.callbackUrl ?? null,
    expiresAt: row.expiresAt.toISOString(),
    state: state(row),
    ...(row.signed ? { signed: await asking.handOver(tenantId, row.signed) } : {}),
  })

  return {
    /**
     * Throws `Refusal('presentation_request.invalid' | 'presentation_request.challenge_taken')`, what a template is
     * refused for, `presentation.signer_*`, and `Unavailable('keys')`.
     */
    async createRequest(call: Call, input: RequestInput): Promise<PresentationRequestRecord> {
      const { tenantId, idempotency } = call
      if (idempotency && 'effect' in idempotency) return idempotency.effect as PresentationRequestRecord
      const createdAt = now()
      checkRequest(input, createdAt)
      const { queries, ...asked } = await asking.whatIsAsked(tenantId, input)
      const did = input.did ?? (await asking.askingDid(tenantId))
      const row = {
        id: uuid(),
        ...asked,
        challenge: input.challenge ?? randomBytes(24).toString('base64url'),
        callbackUrl: input.callbackUrl,
        createdAt,
        expiresAt: new Date(input.expiresTime ?? createdAt.getTime() + REQUEST_LIFETIME_MS),
      }
      const [query] = queries
      const templateId = row.templateId ?? row.id
      const message = did && query && requestMessage({ ...row, templateId, did, queryType: query.type })
      const signed = message ? await asking.sign(tenantId, message) : null
      const record = await toRecord(tenantId, { ...row, signed })
      const metadata = { id: row.id, templateId: row.templateId, signed: signed !== null }
      return operations
        .change(call, 'createWebSemanticPresentationRequest', metadata, async (em) => {
          em.create(PresentationRequest, { ...row, tenantId, did: did ?? null, signed })
          return record
        })
        .catch(conflict)
    },

    async readRequest(tenantId: string, id: string): Promise<PresentationRequestRecord> {
      const row = await find(tenantId, { id })
      if (!row) throw notFound()
      return toRecord(tenantId, row)
    },

    /**
     * Returns the JWS for a wallet. Throws `Refusal('presentation_request.over')` once it accepts no answer any more.
     */
    async signedRequest(tenantId: string, id: string): Promise<string> {
      const row = await find(tenantId, { id })
      if (!row?.signed) throw notFound()
      if (state(row) === 'open') return row.signed
      throw new Refusal(
        'presentation_request.over',
        'The presentation request was answered or has expired; ask the verifier for a new one.',
      )
    },

    /** Finds the tenant's request with a challenge; undefined where there is none. */
    async findByChallenge(tenantId: string, challenge: string) {
      const row = await find(tenantId, { challenge })
      if (!row) return undefined
      const { id, domain, query, trustedContexts } = row
      return { id, state: state(row), domain, query, ...(trustedContexts && { trustedContexts }) }
    },
  }
}

export type PresentationRequests = ReturnType<typeof createPresentationRequests>
