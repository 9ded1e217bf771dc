import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { OpenIdReissuance } from '../../../entities/openid/reissuances.ts'
import { OpenIdIssuance, OpenIdSession } from '../../../entities/openid/sessions.ts'
import { inTenant } from '../../../entities/orm.ts'
import { logOf, slugOf } from '../../../protocol/credentials/formats.ts'
import { errorsWithin, Refusal } from '../../../protocol/errors.ts'
import { type Json, toUsableText } from '../../../protocol/json.ts'
import { OPENID_CREDENTIAL_ENTRY } from '../../../protocol/openid/entries.ts'
import {
  claimsOf,
  type IssuanceFailure,
  type IssuanceSubject,
  type SessionContent,
} from '../../../protocol/openid/oid4vci/session.ts'
import type { Formats, TemplateVersion } from '../../credentials/format.ts'
import { addHolder } from '../../credentials/holders.ts'
import { derivedId } from '../../credentials/issue.ts'
import { recordWithin, type SignedRow } from '../../credentials/record.ts'
import { createSubjectIndex } from '../../credentials/subjects.ts'
import type { Dependencies } from '../../dependencies.ts'
import { addLogEntry } from '../../frame/log-entries.ts'
import type { Sealer } from '../../frame/sealing.ts'
import type { Events } from '../../webhooks/events.ts'
import { keepIssued, lockReissuance, noteGiven, withdrawnOf } from '../reissuances/records.ts'
import { holdUser } from '../users/erase.ts'
import { addStep, type IssuanceRequest, issuancesOf, lockSession, openContent, openRequest } from './records.ts'

interface Parts extends Pick<Dependencies, 'config' | 'database' | 'log' | 'now' | 'uuid'> {
  sealer: Sealer
  formats: Formats
  webhookEvents: Pick<Events, 'emitEvent'>
}

const MAX_FAULTS = 3

/** What is signed: an issuance, what its session knows, and the template as it is now. */
interface Work {
  issuance: OpenIdIssuance
  content: SessionContent
  request: IssuanceRequest
  template: TemplateVersion
  reissuanceId: string | undefined
}

/** A workflow keeps the code and the sentence of a refusal: the sentence gets the first places at fault, never their values. */
async function named<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof Refusal) || error.errors.length === 0) throw error
    const faults = errorsWithin('', error.errors.slice(0, MAX_FAULTS)).map(({ path, message }) => `${path}: ${message}`)
    throw new Refusal(error.code, `${error.message} ${faults.join('; ')}`, error.errors, { cause: error.cause })
  }
}

/** The id of the event that tells webhooks of a credential. */
export const eventIdOf = (tenantId: string, credentialId: string) => derivedId(tenantId, `openid-event/${credentialId}`)

/** Issues what wallets have asked for, for the workflows of sessions. */
export function createIssuances({ config, database, log, now, uuid, sealer, formats, webhookEvents }: Parts) {
  const subjectIndex = createSubjectIndex(config)

  const walletsOf = ({ format }: OpenIdIssuance) => {
    const { wallets } = formats.of(format)
    if (!wallets) throw new Error(`wallets get no credentials of the format ${format}`)
    return wallets
  }

  /** What the issuer has revoked or suspended since is not given anew (D-984), and nothing is once its grant has ended. */
  async function assertGiven(
    em: SqlEntityManager,
    grant: OpenIdReissuance | null,
    { steps }: OpenIdSession,
    { templateId }: OpenIdIssuance,
  ): Promise<void> {
    // the first session gives what was offered, also where nothing is given anew any more
    if (!grant && steps[0]?.step === 'REFRESHED')
      throw new Refusal('openid_reissuance.ended', 'The re-issuance that the session is of has ended.')
    if (grant && (await withdrawnOf(em, grant)).has(templateId))
      throw new Refusal(
        'openid_reissuance.withdrawn',
        'The issuer has revoked or suspended the credential that the wallet got before.',
      )
  }

  /** Undefined where nothing is pending: an earlier run has issued, or the session has ended. */
  async function load(em: SqlEntityManager, { sessionId, issuanceId }: IssuanceSubject): Promise<Work | undefined> {
    const session = await em.findOne(OpenIdSession, { id: sessionId })
    const issuance = await em.findOne(OpenIdIssuance, { id: issuanceId, sessionId, state: 'PENDING' })
    const content = session ? openContent(sealer, session) : undefined
    const request = issuance ? openRequest(sealer, issuance) : undefined
    if (!session || !issuance || !content || !request) return undefined
    const reissuanceId = session.reissuanceId ?? undefined
    if (reissuanceId !== undefined)
      await assertGiven(em, await em.findOne(OpenIdReissuance, { id: reissuanceId }), session, issuance)
    const template = await formats.of(issuance.format).readTemplate?.(em, issuance.templateId)
    if (!template || template.deleted)
      throw new Refusal('credential_template.not_found', 'The template of the offer was deleted.')
    return { issuance, content, request, template, reissuanceId }
  }

  /** The id of a credential follows from the issuance and the place of its key: a repeated step makes the same ones. */
  const idsOf = ({ tenantId, id }: OpenIdIssuance, count: number): string[] =>
    Array.from({ length: count }, (_, nth) => derivedId(tenantId, `openid/${id}/${nth}`))

  function sign({ issuance, content, request, template }: Work, fetched: Json | undefined): Promise<SignedRow[]> {
    const { tenantId } = issuance
    const { userClaims, authenticationProvider, suspendable } = content
    const input = {
      claims: claimsOf(content, fetched),
      ...(suspendable && { suspendable }),
      ...(userClaims && { userClaims }),
      ...(authenticationProvider && { authenticationProvider }),
    }
    const holders = request.holders.length > 0 ? request.holders : [undefined]
    const ids = idsOf(issuance, holders.length)
    return Promise.all(
      holders.map((holder, nth) =>
        walletsOf(issuance).sign(
          tenantId,
          ids[nth] ?? '',
          template,
          { ...input, ...(holder && { holder }) },
          holders.length,
        ),
      ),
    )
  }

  const recordingOf = (row: SignedRow, { issuance, template }: Work, session: OpenIdSession) => {
    const { tenantId, requestId } = issuance
    const from = { templateId: template.id, templateVersion: template.version }
    const { name, category } = logOf(row.format, 'SIGN')
    const issuer = row.documentSignerId ? { documentSignerId: row.documentSignerId } : { didId: row.didId }
    const of = { sessionId: session.id, eventId: eventIdOf(tenantId, row.id) }
    const about = { id: row.id, ...issuer, proofType: row.proofType, revocable: row.statusListId !== null }
    return {
      row: { ...row, ...from, tenantId, subjects: subjectIndex.ofAll(tenantId, row.format, row.document) },
      log: {
        id: uuid(),
        category,
        type: `${name}_SUCCESS`,
        requestId: requestId ?? session.requestId,
        metadata: { clientId: session.clientId, ...about, ...of, ...from },
      },
    }
  }

  async function emit(em: SqlEntityManager, row: SignedRow, { issuance, template }: Work): Promise<void> {
    const { tenantId, sessionId, id: issuanceId } = issuance
    await webhookEvents.emitEvent(em, {
      id: eventIdOf(tenantId, row.id),
      tenantId,
      type: 'OpenIdCredentialIssued',
      payload: {
        sessionId,
        issuanceId,
        credentialId: row.id,
        format: slugOf(row.format),
        templateId: template.id,
        templateVersion: template.version,
        issuanceDate: row.issuanceDate,
      },
    })
  }

  /** Records all credentials of a request with their events, or none. */
  const record = (subject: IssuanceSubject, work: Work, rows: readonly SignedRow[]): Promise<void> =>
    inTenant(database.tenants, subject.tenantId, async (em) => {
      const { reissuanceId } = work
      const { userId: holderId } = work.content
      // an erasure of the user comes before this, and has ended the session, or after it, and finds the grant
      if (holderId !== undefined && !(await holdUser(em, holderId))) return
      const kept = reissuanceId === undefined ? null : await lockReissuance(em, reissuanceId)
      const session = await lockSession(em, subject.sessionId)
      const issuances = await issuancesOf(em, subject.sessionId)
      const issuance = issuances.find(({ id }) => id === subject.issuanceId)
      if (!session || session.endedAt || issuance?.state !== 'PENDING') return // another run was first
      // its wallet has not asked for so long, and could not get it any more: the next look ends the session
      if (session.endsAt <= now()) return
      if (reissuanceId !== undefined) await assertGiven(em, kept, session, issuance)
      const outcomes = await recordWithin(
        em,
        rows.map((row) => recordingOf(row, work, session)),
      )
      if (outcomes.includes('template_gone'))
        throw new Refusal(
          'credential_template.not_found',
          'The template was deleted while the credential was being signed.',
        )
      if (outcomes.includes('issuer_gone'))
        throw new Refusal('credential.issuer_unknown', 'The issuer was deleted while the credential was being signed.')
      if (outcomes.some((outcome) => outcome !== 'recorded'))
        throw new Error(`credentials were not recorded: ${outcomes}`)
      for (const row of rows) await emit(em, row, work)
      const at = now()
      const credentialIds = rows.map(({ id }) => id)
      if (holderId !== undefined) await addHolder(em, { tenantId: subject.tenantId, holderId }, credentialIds)
      Object.assign(issuance, {
        state: 'ISSUED',
        credentialIds,
        templateVersion: work.template.version,
        issuedAt: at,
        request: null,
        updatedAt: at,
      })
      if (kept) {
        keepIssued(sealer, kept, work.content, { templateId: issuance.templateId, credentialIds, at })
        await noteGiven(em, kept, credentialIds)
      }
      addStep(session, at, { step: 'CREDENTIAL_ISSUED', issuanceId: issuance.id })
      if (issuances.every(({ state }) => state === 'ISSUED')) session.state = 'ISSUED'
      logIssuance(em, session, issuance, 'SUCCESS', { credentials: credentialIds.length, id: credentialIds[0] ?? null })
    })

  function logIssuance(
    em: SqlEntityManager,
    { tenantId, id: sessionId, requestId, clientId }: OpenIdSession,
    issuance: OpenIdIssuance,
    outcome: 'SUCCESS' | 'FAIL',
    more: Record<string, string | number | null>,
  ): void {
    const metadata = { sessionId, issuanceId: issuance.id, templateId: issuance.templateId, ...more }
    const about = { tenantId, requestId: issuance.requestId ?? requestId, clientId, outcome, metadata }
    addLogEntry(em, { now, uuid }, { ...OPENID_CREDENTIAL_ENTRY, ...about })
  }

  return {
    /**
     * Signs and records the credentials of a request: all of them or none, each with one event. Safe to retry: what an
     * earlier run has recorded stays. Throws `Refusal` for what a retry would not mend.
     */
    async issueOpenIdCredential({ claims, ...subject }: IssuanceSubject & { claims?: Json }): Promise<void> {
      const work = await inTenant(database.tenants, subject.tenantId, (em) => load(em, subject))
      if (!work) return
      await record(subject, work, await named(sign(work, claims)))
    },

    /** Notes why an issuance failed; the wallet may ask again, and the operator may have it tried again. Safe to retry. */
    async failOpenIdIssuance({ failure, ...subject }: IssuanceSubject & { failure: IssuanceFailure }): Promise<void> {
      const { tenantId, sessionId, issuanceId } = subject
      await inTenant(database.tenants, tenantId, async (em) => {
        const session = await lockSession(em, sessionId)
        const issuance = await em.findOne(OpenIdIssuance, { id: issuanceId, state: 'PENDING' })
        if (!session || !issuance) return
        const at = now()
        const { code, message, forWallet } = failure
        Object.assign(issuance, {
          state: 'FAILED',
          failureCode: code,
          failureMessage: toUsableText(message.slice(0, 1_000)),
          walletMessage: forWallet,
          updatedAt: at,
        })
        addStep(session, at, { step: 'CREDENTIAL_FAILED', issuanceId, code })
        logIssuance(em, session, issuance, 'FAIL', { code })
        log.warn({ tenantId, sessionId, issuanceId, code }, 'a credential for a wallet was not issued')
      })
    },
  }
}

export type Issuances = ReturnType<typeof createIssuances>
