import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { EcosystemParticipant } from '../../../entities/administration/ecosystems.ts'
import {
  identifiersOf,
  type ParticipantInput,
  type ReadIdentifiers,
  readParticipant,
} from '../../../protocol/administration/ecosystems/participants.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Call } from '../../frame/operations.ts'
import type { EcosystemChanges } from './changes.ts'
import {
  type EcosystemReader,
  type EcosystemReads,
  findParticipant,
  NEWEST,
  type Paging,
  type ParticipantRecord,
  participantRecord,
} from './rows.ts'

/** Each process that enforces a policy holds all of its participants. */
const MAX_PARTICIPANTS = 1_000

const TAKEN = `select identifier from ecosystem_identifiers
where ecosystem_id = ? and identifier = any(?) and participant_id <> ?`
const CLEAR = 'delete from ecosystem_identifiers where participant_id = ?'
const NAME = `insert into ecosystem_identifiers (ecosystem_id, identifier, participant_id)
select ?, identifier, ? from unnest(?::text[]) as identifier`
const VERIFIES_AS =
  'select count(*)::int as tenants from tenants where ecosystem_id = ? and ecosystem_participant_id = ?'

interface Parts extends Pick<Dependencies, 'now' | 'uuid'> {
  changes: EcosystemChanges
  reads: EcosystemReads
}

const rolesIn = ({ name, isIssuer, isIssuerConstrained, isVerifier, isVerifierConstrained }: ParticipantInput) => ({
  ...{ name, isIssuer, isIssuerConstrained, isVerifier, isVerifierConstrained },
})

/**
 * Gives the participant its identifiers in place of those before. Throws `ecosystem_participant.identifier_taken` for one
 * that is another participant's.
 */
async function nameParticipant(
  em: SqlEntityManager,
  { id, ecosystemId }: Pick<EcosystemParticipant, 'id' | 'ecosystemId'>,
  read: ReadIdentifiers,
): Promise<void> {
  const fields = identifiersOf(read)
  const identifiers = [...fields.keys()]
  const taken = await em.execute<{ identifier: string }[]>(TAKEN, [
    ecosystemId,
    `{${identifiers.map((each) => JSON.stringify(each)).join()}}`,
    id,
  ])
  if (taken.length > 0)
    throw new Refusal(
      'ecosystem_participant.identifier_taken',
      'Another participant of the ecosystem has this identifier; see errors.',
      taken.map(({ identifier }) => ({
        path: fields.get(identifier) ?? 'identifiers',
        code: 'unique',
        message: 'expected an identifier that no other participant of the ecosystem has',
      })),
    )
  await em.execute(CLEAR, [id])
  await em.execute(NAME, [ecosystemId, id, `{${identifiers.map((each) => JSON.stringify(each)).join()}}`])
}

/** Participants of an ecosystem: issuers and verifiers with the identifiers that credentials name them by. */
export function createEcosystemParticipants({ now, uuid, changes, reads }: Parts) {
  return {
    /**
     * Throws `ecosystem.not_found`, `ecosystem_participant.invalid`, `ecosystem_participant.identifier_taken`,
     * `ecosystem_participant.too_many`.
     */
    async createParticipant(call: Call, ecosystemId: string, input: ParticipantInput): Promise<ParticipantRecord> {
      const read = readParticipant(input, now())
      const id = uuid()
      return changes.change(call, 'createEcosystemParticipant', { ecosystemId, id }, ecosystemId, async (em) => {
        if ((await em.count(EcosystemParticipant, { ecosystemId })) >= MAX_PARTICIPANTS)
          throw new Refusal(
            'ecosystem_participant.too_many',
            `An ecosystem has at most ${MAX_PARTICIPANTS} participants. Delete one first.`,
          )
        const at = now()
        const row = em.create(EcosystemParticipant, {
          ...{ id, ecosystemId, ...rolesIn(input), ...read, createdAt: at, updatedAt: at },
        })
        await em.flush()
        await nameParticipant(em, row, read)
        await changes.movePolicy(em, ecosystemId)
        return participantRecord(row)
      })
    },

    /** Newest first. */
    listParticipants: (reader: EcosystemReader, ecosystemId: string, { limit, offset }: Paging) =>
      reads.read(reader, ecosystemId, async (em) => {
        const options = { orderBy: NEWEST, limit, offset }
        const [rows, total] = await em.findAndCount(EcosystemParticipant, { ecosystemId }, options)
        return { participants: rows.map(participantRecord), total }
      }),

    readParticipant: (reader: EcosystemReader, ecosystemId: string, id: string): Promise<ParticipantRecord> =>
      reads.read(reader, ecosystemId, async (em) => participantRecord(await findParticipant(em, ecosystemId, id))),

    /** Replaces name, identifiers and roles; what it is allowed stays. Throws as `createParticipant`. */
    async updateParticipant(
      call: Call,
      ecosystemId: string,
      id: string,
      input: ParticipantInput,
    ): Promise<ParticipantRecord> {
      const read = readParticipant(input, now())
      return changes.change(call, 'updateEcosystemParticipant', { ecosystemId, id }, ecosystemId, async (em) => {
        const row = await findParticipant(em, ecosystemId, id)
        await nameParticipant(em, row, read)
        Object.assign(row, rolesIn(input), read, { updatedAt: now() })
        await changes.movePolicy(em, ecosystemId)
        return participantRecord(row)
      })
    },

    /** What it is allowed goes along. Throws `ecosystem_participant.in_use` while a tenant verifies as it. */
    async deleteParticipant(call: Call, ecosystemId: string, id: string): Promise<void> {
      await changes.change(call, 'deleteEcosystemParticipant', { ecosystemId, id }, ecosystemId, async (em) => {
        const row = await findParticipant(em, ecosystemId, id)
        const [bound] = await em.execute<{ tenants: number }[]>(VERIFIES_AS, [ecosystemId, id])
        if ((bound?.tenants ?? 0) > 0)
          throw new Refusal(
            'ecosystem_participant.in_use',
            `${bound?.tenants} bound tenants have this participant. Bind them first to another one, or to none (participantId: null), with bindEcosystemTenant: a tenant that is unbound is under no policy.`,
          )
        em.remove(row)
        await changes.movePolicy(em, ecosystemId)
      })
    },
  }
}
