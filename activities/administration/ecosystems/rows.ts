import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { Ecosystem, EcosystemCredential, EcosystemParticipant } from '../../../entities/administration/ecosystems.ts'
import { asSystem } from '../../../entities/orm.ts'
import type { ReadIdentifiers } from '../../../protocol/administration/ecosystems/participants.ts'
import type { Profile } from '../../../protocol/administration/ecosystems/policy.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { Dependencies } from '../../dependencies.ts'

/** Who reads: an operator sees every ecosystem, and a tenant the one that it is bound to. */
export interface EcosystemReader {
  tenantId: string
  isOperator: boolean
}

export interface EcosystemRecord {
  id: string
  name: string
}

export interface ParticipantRecord {
  id: string
  ecosystemId: string
  name: string
  identifiers: Omit<ReadIdentifiers, 'mobileKeys'>
  isIssuer: boolean
  isIssuerConstrained: boolean
  isVerifier: boolean
  isVerifierConstrained: boolean
}

export interface CredentialRecord {
  id: string
  ecosystemId: string
  name: string
  profile: Profile
  type: string
}

export interface Paging {
  limit: number
  offset: number
}

/** Newest first. */
export const NEWEST = { createdAt: 'desc', id: 'asc' } as const

export const ecosystemNotFound = () => new Refusal('ecosystem.not_found', 'There is no such ecosystem.')

export const participantNotFound = () =>
  new Refusal('ecosystem_participant.not_found', 'The ecosystem has no such participant.')

export const credentialNotFound = () =>
  new Refusal('ecosystem_credential.not_found', 'The ecosystem has no such credential.')

export const ecosystemRecord = ({ id, name }: Ecosystem): EcosystemRecord => ({ id, name })

export const participantRecord = (row: EcosystemParticipant): ParticipantRecord => ({
  id: row.id,
  ecosystemId: row.ecosystemId,
  name: row.name,
  identifiers: {
    webSemantic: row.webSemantic ?? null,
    compact: row.compact ?? null,
    compactSemantic: row.compactSemantic ?? null,
    mobile: row.mobile,
    sdJwtVc: row.sdJwtVc ?? null,
  },
  isIssuer: row.isIssuer,
  isIssuerConstrained: row.isIssuerConstrained,
  isVerifier: row.isVerifier,
  isVerifierConstrained: row.isVerifierConstrained,
})

export const credentialRecord = ({ id, ecosystemId, name, profile, type }: EcosystemCredential): CredentialRecord => ({
  ...{ id, ecosystemId, name, profile, type },
})

/** Throws `Refusal('ecosystem.not_found')`. */
export async function findEcosystem(em: SqlEntityManager, id: string): Promise<Ecosystem> {
  const row = await em.findOne(Ecosystem, { id })
  if (!row) throw ecosystemNotFound()
  return row
}

/** Throws `Refusal('ecosystem.not_found' | 'ecosystem_participant.not_found')`. */
export async function findParticipant(em: SqlEntityManager, ecosystemId: string, id: string) {
  const row = await em.findOne(EcosystemParticipant, { id, ecosystemId })
  if (row) return row
  await findEcosystem(em, ecosystemId)
  throw participantNotFound()
}

/** Throws `Refusal('ecosystem.not_found' | 'ecosystem_credential.not_found')`. */
export async function findCredential(em: SqlEntityManager, ecosystemId: string, id: string) {
  const row = await em.findOne(EcosystemCredential, { id, ecosystemId })
  if (row) return row
  await findEcosystem(em, ecosystemId)
  throw credentialNotFound()
}

const BOUND = 'select id from tenants where id = ? and ecosystem_id = ?'

/** Reads of operators and of bound tenants, to whom another ecosystem is as a missing one. */
export function createEcosystemReads({ database }: Pick<Dependencies, 'database'>) {
  return {
    /** Runs `work` if the reader may see the ecosystem. Throws `Refusal('ecosystem.not_found')`. */
    read: <Result>(
      { tenantId, isOperator }: EcosystemReader,
      ecosystemId: string,
      work: (em: SqlEntityManager, ecosystem: Ecosystem) => Promise<Result>,
    ): Promise<Result> =>
      asSystem(database.system, async (em) => {
        const isBound = isOperator || (await em.execute<object[]>(BOUND, [tenantId, ecosystemId])).length > 0
        if (!isBound) throw ecosystemNotFound()
        return work(em, await findEcosystem(em, ecosystemId))
      }),
  }
}

export type EcosystemReads = ReturnType<typeof createEcosystemReads>
