import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { EcosystemCredential } from '../../../entities/administration/ecosystems.ts'
import {
  checkEcosystemCredential,
  type EcosystemCredentialInput,
} from '../../../protocol/administration/ecosystems/credentials.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Call } from '../../frame/operations.ts'
import type { EcosystemChanges } from './changes.ts'
import {
  type CredentialRecord,
  credentialRecord,
  type EcosystemReader,
  type EcosystemReads,
  findCredential,
  NEWEST,
  type Paging,
} from './rows.ts'

const MAX_CREDENTIALS = 500

const ALLOWED =
  'select count(distinct participant_id)::int as participants from ecosystem_allowances where credential_id = ?'

interface Parts extends Pick<Dependencies, 'now' | 'uuid'> {
  changes: EcosystemChanges
  reads: EcosystemReads
}

/** Throws `Refusal('ecosystem_credential.taken')` for a profile and type that another credential has. */
async function assertNew(
  em: SqlEntityManager,
  { id, ecosystemId, profile, type }: Pick<CredentialRecord, 'id' | 'ecosystemId' | 'profile' | 'type'>,
): Promise<void> {
  const other = await em.findOne(EcosystemCredential, { ecosystemId, profile, type, id: { $ne: id } })
  if (!other) return
  throw new Refusal('ecosystem_credential.taken', 'The ecosystem has a credential of this profile and type already.', [
    { path: 'type', code: 'unique', message: 'expected a type that no other credential of the profile has' },
  ])
}

/** Types of credentials of an ecosystem, each in one profile. */
export function createEcosystemCredentials({ now, uuid, changes, reads }: Parts) {
  return {
    /**
     * Throws `ecosystem.not_found`, `ecosystem_credential.invalid`, `ecosystem_credential.taken`,
     * `ecosystem_credential.too_many`.
     */
    async createCredential(
      call: Call,
      ecosystemId: string,
      { name, profile, type }: EcosystemCredentialInput,
    ): Promise<CredentialRecord> {
      checkEcosystemCredential({ name, profile, type })
      const id = uuid()
      return changes.change(call, 'createEcosystemCredential', { ecosystemId, id }, ecosystemId, async (em) => {
        if ((await em.count(EcosystemCredential, { ecosystemId })) >= MAX_CREDENTIALS)
          throw new Refusal(
            'ecosystem_credential.too_many',
            `An ecosystem has at most ${MAX_CREDENTIALS} credentials. Delete one first.`,
          )
        const at = now()
        const row = { id, ecosystemId, name, profile, type, createdAt: at, updatedAt: at }
        await assertNew(em, row)
        em.create(EcosystemCredential, row)
        await changes.movePolicy(em, ecosystemId)
        return { id, ecosystemId, name, profile, type }
      })
    },

    /** Newest first. */
    listCredentials: (reader: EcosystemReader, ecosystemId: string, { limit, offset }: Paging) =>
      reads.read(reader, ecosystemId, async (em) => {
        const options = { orderBy: NEWEST, limit, offset }
        const [rows, total] = await em.findAndCount(EcosystemCredential, { ecosystemId }, options)
        return { credentials: rows.map(credentialRecord), total }
      }),

    readCredential: (reader: EcosystemReader, ecosystemId: string, id: string): Promise<CredentialRecord> =>
      reads.read(reader, ecosystemId, async (em) => credentialRecord(await findCredential(em, ecosystemId, id))),

    /** Replaces it; those who are allowed it are allowed what it is now. Throws as `createCredential`. */
    async updateCredential(
      call: Call,
      ecosystemId: string,
      id: string,
      { name, profile, type }: EcosystemCredentialInput,
    ): Promise<CredentialRecord> {
      checkEcosystemCredential({ name, profile, type })
      return changes.change(call, 'updateEcosystemCredential', { ecosystemId, id }, ecosystemId, async (em) => {
        const row = await findCredential(em, ecosystemId, id)
        await assertNew(em, { id: row.id, ecosystemId, profile, type })
        Object.assign(row, { name, profile, type, updatedAt: now() })
        await changes.movePolicy(em, ecosystemId)
        return credentialRecord(row)
      })
    },

    /** Throws `ecosystem_credential.in_use` while a participant is allowed it. */
    async deleteCredential(call: Call, ecosystemId: string, id: string): Promise<void> {
      await changes.change(call, 'deleteEcosystemCredential', { ecosystemId, id }, ecosystemId, async (em) => {
        const row = await findCredential(em, ecosystemId, id)
        const [allowed] = await em.execute<{ participants: number }[]>(ALLOWED, [id])
        if ((allowed?.participants ?? 0) > 0)
          throw new Refusal(
            'ecosystem_credential.in_use',
            `${allowed?.participants} participants are allowed this credential. Take it from them first with deleteEcosystemIssuer and deleteEcosystemVerifier.`,
          )
        em.remove(row)
        await changes.movePolicy(em, ecosystemId)
      })
    },
  }
}
