import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { OpenIdIssuance } from '../../../entities/openid/sessions.ts'
import { OpenIdSession } from '../../../entities/openid/sessions.ts'
import { inTenant } from '../../../entities/orm.ts'
import { OPENID_SESSION_ENTRY } from '../../../protocol/openid/entries.ts'
import type { PendingIssuance, SessionLook, SessionSubject } from '../../../protocol/openid/oid4vci/session.ts'
import type { Formats } from '../../credentials/format.ts'
import type { Dependencies } from '../../dependencies.ts'
import { addLogEntry } from '../../frame/log-entries.ts'
import type { Sealer } from '../../frame/sealing.ts'
import { waitsFor } from './read.ts'
import { endSession, issuancesOf, lockSession, openContent } from './records.ts'

interface Parts extends Pick<Dependencies, 'config' | 'database' | 'now' | 'uuid'> {
  sealer: Sealer
  formats: Formats
}

/** A workflow looks at its session at least so often, whatever Temporal's timers can hold. */
const LONGEST_WAIT_MS = 24 * 60 * 60 * 1000

const GONE: SessionLook = { state: 'GONE', pending: [], issued: 0, offered: 0 }

/** Looks of the workflows of sessions at their rows. */
export function createSessionLooks({ config, database, now, uuid, sealer, formats }: Parts) {
  /** Until when somebody waits for a pending issuance: its row is as the wallet's request, or the retry, left it. */
  const untilOf = ({ updatedAt }: OpenIdIssuance) =>
    new Date(updatedAt.getTime() + config.claimSources.patienceMs).toISOString()

  /** Whom to ask for the claims of a pending issuance, and with what. */
  async function pendingOf(
    em: SqlEntityManager,
    session: OpenIdSession,
    issuance: OpenIdIssuance,
  ): Promise<PendingIssuance> {
    const { id: issuanceId, format, templateId } = issuance
    const { wallets, readTemplate } = formats.of(format)
    const template = await readTemplate?.(em, templateId)
    const claimSourceId = template && wallets?.claimSourceOf(template)
    if (!template || claimSourceId === undefined) return { issuanceId }
    const { claims = {}, userClaims = {}, authenticationProvider } = openContent(sealer, session) ?? {}
    return {
      issuanceId,
      source: {
        tenantId: session.tenantId,
        claimSourceId,
        requestId: issuance.requestId ?? session.requestId,
        clientId: session.clientId,
        until: untilOf(issuance),
        claims: { ...userClaims, ...claims },
        ...(authenticationProvider && { authenticationProvider }),
        credentialConfiguration: template.definition,
      },
    }
  }

  /** Ends a session whose time is up: completed, where it has given all that it offered. */
  function expire(em: SqlEntityManager, session: OpenIdSession, issuances: readonly OpenIdIssuance[]): void {
    const { tenantId, id, requestId, clientId, state } = session
    const isComplete = state === 'ISSUED'
    const failed = issuances.find(({ failureCode }) => failureCode)
    const code = isComplete ? undefined : (failed?.failureCode ?? 'openid_session.timed_out')
    endSession(session, issuances, now(), {
      state: isComplete ? 'COMPLETED' : 'EXPIRED',
      ...(code !== undefined && { code }),
      ...(!isComplete && { message: failed?.failureMessage ?? 'The time of the session was up.' }),
    })
    const metadata = { id, status: session.state, ...(code !== undefined && { code }) }
    const outcome = isComplete ? 'SUCCESS' : 'FAIL'
    addLogEntry(em, { now, uuid }, { ...OPENID_SESSION_ENTRY, tenantId, requestId, clientId, outcome, metadata })
  }

  return {
    /** Finds what a session waits for; ends it when its time is up. Safe to retry. */
    lookAtOpenIdSession: ({ tenantId, sessionId }: SessionSubject): Promise<SessionLook> =>
      inTenant(database.tenants, tenantId, async (em) => {
        const session = await lockSession(em, sessionId)
        if (!session) return GONE
        const issuances = await issuancesOf(em, sessionId)
        const left = session.endsAt.getTime() - now().getTime()
        if (!session.endedAt && left <= 0) expire(em, session, issuances)
        const own = session.failureCode ? [session.failureCode] : []
        const failed = issuances.flatMap(({ state, failureCode }) =>
          state === 'FAILED' && failureCode ? [failureCode] : [],
        )
        const failures = [...new Set(session.endedAt ? own : failed)]
        const counts = {
          ...(failures.length > 0 && { failures }),
          issued: issuances.filter(({ state }) => state === 'ISSUED').length,
          offered: issuances.length,
        }
        if (session.endedAt) return { state: session.state, pending: [], ...counts }
        const waiting = issuances.filter(({ state }) => state === 'PENDING')
        const pending: PendingIssuance[] = []
        for (const issuance of waiting) pending.push(await pendingOf(em, session, issuance))
        const waits = waitsFor(session, issuances)
        return {
          state: session.state,
          pending,
          ...counts,
          ...(waits && { waitsFor: waits }),
          nextInMs: Math.min(LONGEST_WAIT_MS, left),
        }
      }),
  }
}

export type SessionLooks = ReturnType<typeof createSessionLooks>
