import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { Erasure } from '../../../entities/administration/privacy.ts'
import { Credential } from '../../../entities/credentials/credentials.ts'
import { OpenIdUser } from '../../../entities/openid/users.ts'
import { inTenant, takeTurn } from '../../../entities/orm.ts'
import {
  type ErasedStatus,
  type ErasureCounts,
  type ErasureKind,
  type ErasureStep,
  firstStep,
  NO_COUNTS,
} from '../../../protocol/administration/privacy/erasures.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { credentialNotFound } from '../../credentials/refusals.ts'
import type { Frame } from '../../frame/index.ts'
import type { Call, Metadata } from '../../frame/operations.ts'
import { userNotFound } from '../../openid/users/erase.ts'
import { createSubjects } from './subjects.ts'

/** Whom an erasure is about. */
export interface ErasureInput {
  kind: ErasureKind
  /** Id of the user or credential, or the DID of the subject. */
  subject: string
  credentialStatus: ErasedStatus
}

/** In plain JSON: it is also kept as the effect of an Idempotency-Key. */
export interface ErasureRecord {
  id: string
  kind: ErasureKind
  credentialStatus: ErasedStatus
  state: 'ERASING' | 'ERASED'
  /** What is being done; null once it has ended. */
  step: ErasureStep | null
  /** How often it was begun. */
  round: number
  counts: ErasureCounts
  /** Of the credentials that name the subject elsewhere: MOST_MENTIONED at most. */
  mentionedIds: string[]
  createdAt: string
  endedAt: string | null
}

const recordOf = (row: Erasure): ErasureRecord => {
  const { id, kind, credentialStatus, state, round, mentionedIds, createdAt } = row
  return {
    ...{ id, kind, credentialStatus, state, step: row.step ?? null, round },
    // a row of an earlier release has fewer counts
    counts: { ...NO_COUNTS, ...row.counts },
    mentionedIds,
    createdAt: createdAt.toISOString(),
    endedAt: row.endedAt?.toISOString() ?? null,
  }
}

/** What is not there cannot be erased. Of a subject there may be traces anywhere: it is looked for by the erasure alone. */
async function assertThere(em: SqlEntityManager, { kind, subject: id }: ErasureInput): Promise<void> {
  if (kind === 'user' && (await em.count(OpenIdUser, { id })) === 0) throw userNotFound()
  if (kind === 'credential' && (await em.count(Credential, { id })) === 0) throw credentialNotFound()
}

const otherStatus = ({ id, credentialStatus }: Erasure) =>
  new Refusal(
    'erasure.other_status',
    `The erasure ${id} of the same person has credentialStatus ${credentialStatus}. Set the status of the credentials by their ids.`,
  )

/** Erasures of persons: asked for, read, and carried out by the workflow `erasePerson`. */
export function createErasures(frame: Frame) {
  const { database, outbox, now, uuid, operations } = frame
  const subjects = createSubjects(frame)

  /**
   * The same again is the first one; of a subject that has something new, in another round. False: nothing is begun. What
   * was asked for with another status was not done: it is refused.
   */
  async function again(em: SqlEntityManager, call: Call, row: Erasure, input: ErasureInput): Promise<boolean> {
    const { credentialStatus } = input
    if (row.state === 'ERASED' && row.kind === 'subject') {
      const { tenantId, requestId, clientId } = call
      const subject = subjects.seal(tenantId, row.id, input.subject)
      Object.assign(row, { state: 'ERASING', step: firstStep(row.kind), cursorId: null, cursorRow: null })
      Object.assign(row, { round: row.round + 1, startedAt: now(), endedAt: null })
      // they stayed, and are met again
      Object.assign(row, { counts: { ...row.counts, mentioned: 0 }, mentionedIds: [] })
      Object.assign(row, { credentialStatus, subject, requestId, clientId })
      await em.flush()
      return true
    }
    if (row.credentialStatus !== credentialStatus) throw otherStatus(row)
    return false
  }

  async function begin(em: SqlEntityManager, call: Call, input: ErasureInput, subjectDigest: Buffer): Promise<Erasure> {
    const { tenantId, requestId, clientId } = call
    await assertThere(em, input)
    const id = uuid()
    const { kind, credentialStatus } = input
    const at = now()
    const row = em.create(Erasure, {
      ...{ id, tenantId, kind, subjectDigest, credentialStatus, requestId, clientId, createdAt: at, startedAt: at },
      ...{ subject: subjects.seal(tenantId, id, input.subject), state: 'ERASING', step: firstStep(kind), round: 1 },
      counts: { ...NO_COUNTS },
      mentionedIds: [],
    })
    await em.flush()
    return row
  }

  return {
    /** Throws `user.not_found`, `credential.not_found`, `erasure.other_status`. */
    async createErasure(call: Call, input: ErasureInput): Promise<ErasureRecord> {
      const { tenantId } = call
      const metadata: Metadata = { by: input.kind, credentialStatus: input.credentialStatus }
      const subjectDigest = subjects.digest(tenantId, input.kind, input.subject)
      return operations.change(call, 'createErasure', metadata, async (em) => {
        await takeTurn(em, `erasures of ${tenantId} ${subjectDigest.toString('hex')}`)
        const known = await em.findOne(Erasure, { subjectDigest }, { lockMode: LockMode.PESSIMISTIC_WRITE })
        const row = known ?? (await begin(em, call, input, subjectDigest))
        const starts = known ? await again(em, call, known, input) : true
        const { id: erasureId, round } = row
        metadata.id = erasureId
        if (starts) await outbox.start(em, 'erasePerson', { tenantId, erasureId, round })
        return recordOf(row)
      })
    },

    /** Newest first: an erasure that was begun again stays in its place. */
    listErasures: (tenantId: string, { limit, offset }: { limit: number; offset: number }) =>
      inTenant(database.tenants, tenantId, async (em) => {
        const orderBy = { createdAt: 'desc', id: 'asc' } as const
        const [rows, total] = await em.findAndCount(Erasure, {}, { orderBy, limit, offset })
        return { erasures: rows.map(recordOf), total }
      }),

    /** Throws `erasure.not_found`. */
    async readErasure(tenantId: string, id: string): Promise<ErasureRecord> {
      const row = await inTenant(database.tenants, tenantId, (em) => em.findOne(Erasure, { id }))
      if (!row) throw new Refusal('erasure.not_found', 'There is no such erasure.')
      return recordOf(row)
    },
  }
}

export type Erasures = ReturnType<typeof createErasures>
