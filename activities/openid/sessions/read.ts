import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { OpenIdReissuance } from '../../../entities/openid/reissuances.ts'
import { OpenIdIssuance, OpenIdSession } from '../../../entities/openid/sessions.ts'
import { inTenant } from '../../../entities/orm.ts'
import { type FormatSlug, slugOf } from '../../../protocol/credentials/formats.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { GrantType, IssuanceState, SessionState, SessionStep } from '../../../protocol/openid/oid4vci/session.ts'
import { workflows } from '../../../protocol/workflows.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Call, Operations } from '../../frame/operations.ts'
import { createWorkflowPages, type WorkflowPage } from '../../frame/temporal/pages.ts'
import { endReissuances, lockReissuanceOf } from '../reissuances/records.ts'
import { addStep, endSession, issuancesOf, lockSession, sessionNotFound } from './records.ts'

export interface IssuanceRecord {
  id: string
  templateId: string
  templateVersion: number | null
  format: FormatSlug
  state: IssuanceState
  credentialIds: string[]
  notification: string | null
  failure: { code: string; message: string } | null
  requestedAt: string | null
  issuedAt: string | null
}

/** A session in plain JSON, without personal data. */
export interface SessionRecord {
  id: string
  grantType: GrantType
  state: SessionState
  /** What it waits for; null once it has ended. */
  waitsFor: 'wallet' | 'holder' | 'issuance' | 'retry' | 'notification' | null
  steps: SessionStep[]
  issuances: IssuanceRecord[]
  txCodeFailures: number
  failure: { code: string; message: string } | null
  /** By which its wallet gets the credentials anew; it may have ended. */
  reissuanceId: string | null
  createdAt: string
  endsAt: string
  endedAt: string | null
  /** That waits for the wallet and signs. */
  workflow: WorkflowPage
}

export interface SessionFilter {
  state?: SessionState | undefined
  limit: number
  offset: number
}

interface Parts extends Pick<Dependencies, 'config' | 'database' | 'now'> {
  operations: Operations
  wake(tenantId: string, sessionId: string): Promise<void>
}

const iso = (time: Date | null | undefined): string | null => time?.toISOString() ?? null

const failureOf = (code: string | null | undefined, message: string | null | undefined) =>
  code ? { code, message: message ?? '' } : null

const toIssuance = (row: OpenIdIssuance): IssuanceRecord => ({
  id: row.id,
  templateId: row.templateId,
  templateVersion: row.templateVersion ?? null,
  format: slugOf(row.format),
  state: row.state,
  credentialIds: row.credentialIds ?? [],
  notification: row.notification ?? null,
  failure: failureOf(row.failureCode, row.failureMessage),
  requestedAt: iso(row.requestedAt),
  issuedAt: iso(row.issuedAt),
})

/** Steps after which the holder is at the authentication provider or at the hook. */
const AT_LOGIN: ReadonlySet<SessionStep['step']> = new Set([
  'LOGIN_BEGUN',
  'HOLDER_IDENTIFIED',
  'HOOK_ASKED',
  'HOOK_ANSWERED',
])

/** What a session waits for; null where it has ended. */
export function waitsFor(
  { endedAt, state, steps }: OpenIdSession,
  issuances: readonly OpenIdIssuance[],
): SessionRecord['waitsFor'] {
  if (endedAt) return null
  if (issuances.some((each) => each.state === 'PENDING')) return 'issuance'
  if (issuances.some((each) => each.state === 'FAILED')) return 'retry'
  const last = steps.at(-1)?.step
  if (state === 'OFFERED' && last && AT_LOGIN.has(last)) return 'holder'
  return state === 'ISSUED' ? 'notification' : 'wallet'
}

/** Sessions as operators see them. */
export function createSessions({ database, config, now, operations, wake }: Parts) {
  const pageOf = createWorkflowPages({ config })

  const toRecord = (session: OpenIdSession, issuances: readonly OpenIdIssuance[]): SessionRecord => ({
    id: session.id,
    grantType: session.grantType,
    state: session.state,
    waitsFor: waitsFor(session, issuances),
    steps: session.steps,
    issuances: issuances.map(toIssuance),
    txCodeFailures: session.txCodeFailures,
    failure: failureOf(session.failureCode, session.failureMessage),
    reissuanceId: session.reissuanceId ?? null,
    createdAt: session.createdAt.toISOString(),
    endsAt: session.endsAt.toISOString(),
    endedAt: iso(session.endedAt),
    workflow: pageOf(workflows.issueOpenIdCredentials.id({ tenantId: session.tenantId, sessionId: session.id })),
  })

  async function locked(em: SqlEntityManager, id: string) {
    const session = await lockSession(em, id)
    if (!session) throw sessionNotFound()
    return { session, issuances: await issuancesOf(em, id) }
  }

  return {
    /** Newest first. */
    listSessions: (tenantId: string, { state, limit, offset }: SessionFilter) =>
      inTenant(database.tenants, tenantId, async (em) => {
        const orderBy = { createdAt: 'desc', id: 'asc' } as const
        const where = state === undefined ? {} : { state }
        const [sessions, total] = await em.findAndCount(OpenIdSession, where, { orderBy, limit, offset })
        const ids = sessions.map(({ id }) => id)
        const issuances = await em.find(OpenIdIssuance, { sessionId: { $in: ids } }, { orderBy: { place: 'asc' } })
        const of = Map.groupBy(issuances, ({ sessionId }) => sessionId)
        return { sessions: sessions.map((session) => toRecord(session, of.get(session.id) ?? [])), total }
      }),

    /** Throws `openid_session.not_found`. */
    readSession: (tenantId: string, id: string): Promise<SessionRecord> =>
      inTenant(database.tenants, tenantId, async (em) => {
        const session = await em.findOne(OpenIdSession, { id })
        if (!session) throw sessionNotFound()
        return toRecord(session, await issuancesOf(em, id))
      }),

    /**
     * Has what failed tried again, with the keys that the wallet proved; the wallet gets the credential when it asks again.
     * Throws `openid_session.not_found`, `openid_session.nothing_failed`.
     */
    async retrySession(call: Call, id: string): Promise<SessionRecord> {
      const retried = await operations.change(call, 'retryOpenIdSession', { id }, async (em) => {
        const { session, issuances } = await locked(em, id)
        const failed = session.endedAt ? [] : issuances.filter(({ state, request }) => state === 'FAILED' && request)
        if (failed.length === 0)
          throw new Refusal('openid_session.nothing_failed', 'No issuance of the session has failed, or it has ended.')
        const at = now()
        for (const issuance of failed) {
          const none = { failureCode: null, failureMessage: null, walletMessage: null }
          Object.assign(issuance, { state: 'PENDING', ...none, updatedAt: at })
          addStep(session, at, { step: 'CREDENTIAL_RETRIED', issuanceId: issuance.id })
        }
        return toRecord(session, issuances)
      })
      await wake(call.tenantId, id)
      return retried
    },

    /**
     * Ends a session: its code and its token give nothing any more. What was issued stays. Throws
     * `openid_session.not_found`, `openid_session.ended`.
     */
    async cancelSession(call: Call, id: string): Promise<SessionRecord> {
      const ended: string[] = []
      const cancelled = await operations.change(call, 'cancelOpenIdSession', { id }, async (em) => {
        await lockReissuanceOf(em, id)
        const { session, issuances } = await locked(em, id)
        if (session.endedAt) throw new Refusal('openid_session.ended', 'The session has ended already.')
        const at = now()
        endSession(session, issuances, at, { state: 'CANCELLED' })
        await em.flush()
        // with the offer ends what came of it; a later session ends alone
        const of = { id: session.reissuanceId ?? null, sessionId: id }
        if (of.id !== null && (await em.count(OpenIdReissuance, of)) > 0)
          ended.push(...(await endReissuances(em, { id: of.id }, at)))
        return toRecord(session, issuances)
      })
      for (const sessionId of [id, ...ended]) await wake(call.tenantId, sessionId)
      return cancelled
    },
  }
}

export type Sessions = ReturnType<typeof createSessions>
