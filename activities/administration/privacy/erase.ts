import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { Erasure } from '../../../entities/administration/privacy.ts'
import { Credential } from '../../../entities/credentials/credentials.ts'
import { inTenant } from '../../../entities/orm.ts'
import { ERASURE_ENTRY } from '../../../protocol/administration/entries.ts'
import {
  type ErasureCounts,
  type ErasureProgress,
  type ErasureSubject,
  MOST_MENTIONED,
  NO_COUNTS,
  stepAfter,
} from '../../../protocol/administration/privacy/erasures.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { NIL_UUID } from '../../../protocol/uuid.ts'
import { refuseRows } from '../../credentials/batches/erase.ts'
import type { Formats } from '../../credentials/format.ts'
import { forgetHolder } from '../../credentials/holders.ts'
import type { CredentialStatus } from '../../credentials/status-lists/changes.ts'
import type { Dependencies } from '../../dependencies.ts'
import { addLogEntry } from '../../frame/log-entries.ts'
import type { Reach } from '../../openid/sessions/reach.ts'
import { eraseUser } from '../../openid/users/erase.ts'
import { eraseWithAnswers } from './credentials.ts'
import { createSubjects } from './subjects.ts'

/** Credentials that one slice looks at, and bytes of their documents: far from the time limit of a statement. */
const AT_ONCE = 1_000
const BYTES_AT_ONCE = 50_000_000
/** Credentials that one slice erases with a new status, each of which is a transaction of its own. */
const STATUSES_AT_ONCE = 200

/**
 * The next credentials of the tenant, and whether their documents have the subject in them: a DID is ASCII, so that it is
 * in JSON and in CBOR as it is.
 */
const LOOK = `with page as (
    select id, document, document_bytes, row_number() over next as nth,
      sum(coalesce(pg_column_size(document), 0) + coalesce(pg_column_size(document_bytes), 0)) over next as bytes
    from credentials where tenant_id = ? and id > ? and erased_at is null window next as (order by id) order by id limit ?)
  select id, case when document is null then position(convert_to(?, 'UTF8') in document_bytes) > 0
    else strpos(document::text, ?) > 0 end as found
  from page where nth = 1 or bytes <= ${BYTES_AT_ONCE} order by id`

const ISSUED = `select credential_id as id from credential_holders
  where tenant_id = ? and holder_id = ? and credential_id > ? order by credential_id limit ?`

const STATUSES = `select count(*) filter (where revoked)::int as revoked, count(*) filter (where suspended)::int as suspended
  from credentials where tenant_id = ? and id = any (string_to_array(?, ' ')::uuid[])`

/** Why a status cannot be set: there is none, or its credential has gone with its tenant. */
const WITHOUT_STATUS = ['credential.not_revocable', 'credential.not_suspendable', 'credential.not_found']

interface Parts extends Pick<Dependencies, 'config' | 'database' | 'now' | 'uuid' | 'log'> {
  formats: Formats
  credentialStatus: CredentialStatus
  wake: Reach['wake']
}

/** Whether the document of a credential has the DID itself in it, and not only one that begins like it (DID Core section 3.1). */
function names({ document }: Credential, did: string): boolean {
  // CBOR has no character that ends a text
  if (!document) return true
  const itself = new RegExp(`${did.replaceAll('.', '\\.')}(?![A-Za-z0-9_%-]|[.:]+[A-Za-z0-9_%-])`)
  return itself.test(JSON.stringify(document))
}

/** What a slice has found. */
interface Found {
  ids: string[]
  /** Those that name the subject elsewhere. */
  mentioned: string[]
  /** Where the next slice begins; undefined: there was nothing to look at any more. */
  next?: string | undefined
}

const NOTHING: Found = { ids: [], mentioned: [] }

/** Whether a row is where it was when a slice began; else another attempt of the slice was faster. */
const isAsBefore = (row: Erasure, seen: Erasure): boolean =>
  row.state === seen.state &&
  row.round === seen.round &&
  row.step === seen.step &&
  (row.cursorId ?? null) === (seen.cursorId ?? null) &&
  (row.cursorRow ?? null) === (seen.cursorRow ?? null)

/** Activities of the workflow `erasePerson`. */
export function createErasing(parts: Parts) {
  const { database, now, uuid, log, formats, credentialStatus, wake } = parts
  const subjects = createSubjects(parts)

  /** Whether a DID is a subject of a credential. What cannot be read stays, and the answer names it. */
  function isAbout(credential: Credential, did: string): boolean {
    const format = formats.of(credential.format)
    try {
      return format.show(credential).subjects.includes(did)
    } catch (error) {
      log.warn({ err: error, credentialId: credential.id }, 'a credential could not be read by an erasure')
      return false
    }
  }

  async function findOfSubject(em: SqlEntityManager, row: Erasure, did: string, atOnce: number): Promise<Found> {
    const values = [row.tenantId, row.cursorId ?? NIL_UUID, atOnce, did, did]
    const rows = await em.execute<{ id: string; found: boolean }[]>(LOOK, values)
    const candidates = rows.filter(({ found }) => found).map(({ id }) => id)
    const credentials = candidates.length === 0 ? [] : await em.find(Credential, { id: { $in: candidates } })
    const about = new Set(credentials.filter((credential) => isAbout(credential, did)).map(({ id }) => id))
    const mentioned = credentials.filter((one) => !about.has(one.id) && names(one, did)).map(({ id }) => id)
    return { ids: [...about], mentioned, next: rows.at(-1)?.id }
  }

  async function findOfUser(em: SqlEntityManager, row: Erasure, userId: string, atOnce: number): Promise<Found> {
    const values = [row.tenantId, userId, row.cursorId ?? NIL_UUID, atOnce]
    const rows = await em.execute<{ id: string }[]>(ISSUED, values)
    return { ids: rows.map(({ id }) => id), mentioned: [], next: rows.at(-1)?.id }
  }

  /** The credentials of the next slice. */
  async function find(em: SqlEntityManager, row: Erasure, subject: string): Promise<Found> {
    const { kind, step, credentialStatus: wanted } = row
    if (step !== 'credentials') return NOTHING
    const atOnce = wanted === 'keep' ? AT_ONCE : STATUSES_AT_ONCE
    if (kind === 'subject') return findOfSubject(em, row, subject, atOnce)
    if (kind === 'user') return findOfUser(em, row, subject, atOnce)
    return { ids: [subject], mentioned: [] }
  }

  /** Sets the status that the caller chose. A credential without an entry for it stays as it is. Safe to repeat. */
  async function setStatuses({ tenantId, requestId, clientId, credentialStatus: wanted }: Erasure, ids: string[]) {
    if (wanted === 'keep') return
    const call = { tenantId, requestId, clientId }
    for (const id of ids)
      try {
        if (wanted === 'revoke') await credentialStatus.setStatus(call, id, true)
        else await credentialStatus.setSuspension(call, id, true)
      } catch (error) {
        if (!(error instanceof Refusal && WITHOUT_STATUS.includes(error.code))) throw error
      }
  }

  async function eraseFound(
    em: SqlEntityManager,
    row: Erasure,
    { ids, mentioned }: Found,
    counts: ErasureCounts,
  ): Promise<string[]> {
    const { tenantId } = row
    const { sessionIds, ...gone } = await eraseWithAnswers(em, { tenantId, at: now() }, ids)
    counts.sessions += sessionIds.length
    counts.credentials += gone.credentials
    counts.notifications += gone.notifications
    counts.mentioned += mentioned.length
    row.mentionedIds = [...row.mentionedIds, ...mentioned].slice(0, MOST_MENTIONED)
    const [statuses] = await em.execute<{ revoked: number; suspended: number }[]>(STATUSES, [tenantId, ids.join(' ')])
    counts.revoked += statuses?.revoked ?? 0
    counts.suspended += statuses?.suspended ?? 0
    return sessionIds
  }

  /** What names the person besides credentials. */
  async function eraseRest(em: SqlEntityManager, row: Erasure, subject: string, counts: ErasureCounts): Promise<void> {
    const { tenantId } = row
    if (row.kind === 'user') await forgetHolder(em, { tenantId, holderId: subject })
    if (row.kind !== 'subject') return
    const told =
      'delete from credential_notifications where tenant_id = ? and md5(recipient) = md5(?) and recipient = ?'
    const values = [tenantId, subject, subject]
    counts.notifications += (await em.execute<unknown[]>(`${told} returning id`, values)).length
    // a DID of the tenant's own is registered by the tenant, and goes with deleteDID
    const registered = 'delete from inbox_dids where tenant_id = ? and did = ? and did_id is null returning id'
    counts.registrations += (await em.execute<unknown[]>(registered, [tenantId, subject])).length
  }

  function end(em: SqlEntityManager, row: Erasure): void {
    Object.assign(row, { state: 'ERASED', step: null, subject: null, cursorId: null, cursorRow: null, endedAt: now() })
    const { tenantId, requestId, clientId, id, kind, counts } = row
    const metadata = { id, by: kind, ...counts }
    addLogEntry(em, { now, uuid }, { ...ERASURE_ENTRY, tenantId, requestId, clientId, outcome: 'SUCCESS', metadata })
  }

  function goOn(em: SqlEntityManager, row: Erasure, cursor?: { id: string | null; row?: number | null }): void {
    if (cursor) {
      Object.assign(row, { cursorId: cursor.id, cursorRow: cursor.row ?? null })
      return
    }
    const step = row.step && stepAfter(row.step)
    if (step) Object.assign(row, { step, cursorId: null, cursorRow: null })
    else end(em, row)
  }

  /** One slice of the row's step, in one transaction with the note how far it came. Returns sessions that ended. */
  async function slice(em: SqlEntityManager, row: Erasure, subject: string, found: Found): Promise<string[]> {
    const counts = { ...NO_COUNTS, ...row.counts }
    row.counts = counts
    switch (row.step) {
      case 'person': {
        const ended = await eraseUser(em, subject, now())
        if (ended) counts.users += 1
        counts.logins += ended?.logins ?? 0
        counts.sessions += ended?.sessionIds.length ?? 0
        goOn(em, row)
        return ended?.sessionIds ?? []
      }
      case 'batches': {
        const { cursorId, cursorRow } = row
        const from = { batchId: cursorId ?? null, row: cursorRow ?? null }
        const { refused, next } = await refuseRows(em, { tenantId: row.tenantId, did: subject }, from)
        counts.rows += refused
        goOn(em, row, next && { id: next.batchId, row: next.row })
        return []
      }
      case 'credentials': {
        const sessionIds = await eraseFound(em, row, found, counts)
        goOn(em, row, found.next === undefined ? undefined : { id: found.next })
        return sessionIds
      }
      default:
        await eraseRest(em, row, subject, counts)
        goOn(em, row)
        return []
    }
  }

  const progressOf = ({ state, counts: { credentials } }: Erasure): ErasureProgress => ({
    phase: state === 'ERASED' ? 'done' : 'more',
    credentials,
  })

  return {
    /** Erases the next slice. Safe to retry: its transaction stores how far it came, and another attempt finds that. */
    async eraseSlice({ tenantId, erasureId }: ErasureSubject): Promise<ErasureProgress> {
      const seen = await inTenant(database.tenants, tenantId, (em) => em.findOne(Erasure, { id: erasureId }))
      if (!seen) return { phase: 'gone', credentials: 0 }
      if (!seen.subject) return progressOf(seen)
      const subject = subjects.open(tenantId, erasureId, seen.subject)
      const found = await inTenant(database.tenants, tenantId, (em) => find(em, seen, subject))
      await setStatuses(seen, found.ids)
      const { row, ended } = await inTenant(database.tenants, tenantId, async (em) => {
        const locked = await em.findOne(Erasure, { id: erasureId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
        if (!locked || !isAsBefore(locked, seen)) return { row: locked, ended: [] }
        const sessionIds = await slice(em, locked, subject, found)
        await em.flush()
        return { row: locked, ended: sessionIds }
      })
      for (const sessionId of ended) await wake(tenantId, sessionId)
      return row ? progressOf(row) : { phase: 'gone', credentials: 0 }
    },
  }
}

export type Erasing = ReturnType<typeof createErasing>
