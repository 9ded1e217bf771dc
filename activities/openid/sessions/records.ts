import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { OpenIdIssuance, OpenIdSession } from '../../../entities/openid/sessions.ts'
import type { PublicJwk } from '../../../protocol/dids/jwk.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { SessionContent, SessionState, SessionStep } from '../../../protocol/openid/oid4vci/session.ts'
import type { Sealer } from '../../frame/sealing.ts'

/** Keys of a wallet's request, in their order. */
export interface IssuanceRequest {
  holders: { jwk: PublicJwk; did: string }[]
}

const boundTo = ({ tenantId, id }: Pick<OpenIdSession, 'tenantId' | 'id'>) => `${tenantId}/openid/sessions/${id}`
const requestBoundTo = ({ tenantId, id }: Pick<OpenIdIssuance, 'tenantId' | 'id'>) =>
  `${tenantId}/openid/issuances/${id}`

const sealJson = (sealer: Sealer, value: object, bound: string): Buffer =>
  sealer.seal(Buffer.from(JSON.stringify(value)), bound)

export const sealContent = (sealer: Sealer, row: Pick<OpenIdSession, 'tenantId' | 'id'>, content: SessionContent) =>
  sealJson(sealer, content, boundTo(row))

/** Undefined once the session has ended. */
export const openContent = (sealer: Sealer, row: OpenIdSession): SessionContent | undefined =>
  row.content ? (JSON.parse(sealer.open(row.content, boundTo(row)).toString('utf8')) as SessionContent) : undefined

export const sealRequest = (sealer: Sealer, row: Pick<OpenIdIssuance, 'tenantId' | 'id'>, request: IssuanceRequest) =>
  sealJson(sealer, request, requestBoundTo(row))

export const openRequest = (sealer: Sealer, row: OpenIdIssuance): IssuanceRequest | undefined =>
  row.request
    ? (JSON.parse(sealer.open(row.request, requestBoundTo(row)).toString('utf8')) as IssuanceRequest)
    : undefined

export const sessionNotFound = () => new Refusal('openid_session.not_found', 'There is no such session.')

/** The session, locked until the end of the transaction: its steps come one after the other. */
export const lockSession = (em: SqlEntityManager, id: string): Promise<OpenIdSession | null> =>
  em.findOne(OpenIdSession, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })

export const issuancesOf = (em: SqlEntityManager, sessionId: string): Promise<OpenIdIssuance[]> =>
  em.find(OpenIdIssuance, { sessionId }, { orderBy: { place: 'asc' } })

/** A wallet that repeats wrong requests does not make a row grow. */
const MAX_STEPS = 100

export function addStep(session: OpenIdSession, at: Date, step: Omit<SessionStep, 'at'>): void {
  session.updatedAt = at
  if (session.steps.length < MAX_STEPS) session.steps = [...session.steps, { ...step, at: at.toISOString() }]
}

export interface SessionEnd {
  state: Extract<SessionState, 'COMPLETED' | 'FAILED' | 'EXPIRED' | 'CANCELLED'>
  code?: string
  message?: string
}

/** Ends a session: nothing about the holder stays. The wallet may still get again what it was given. */
export function endSession(
  session: OpenIdSession,
  issuances: readonly OpenIdIssuance[],
  at: Date,
  { state, code, message }: SessionEnd,
): void {
  addStep(session, at, { step: 'ENDED', ...(code !== undefined && { code }) })
  Object.assign(session, {
    state,
    content: null,
    endedAt: at,
    failureCode: code ?? null,
    failureMessage: message ?? null,
  })
  for (const issuance of issuances) Object.assign(issuance, { request: null, updatedAt: at })
  if (state === 'CANCELLED') session.tokenDigest = null
}
