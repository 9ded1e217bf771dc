import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { EcosystemCredential, EcosystemParticipant } from '../../../entities/administration/ecosystems.ts'
import { asSystem } from '../../../entities/orm.ts'
import type { EcosystemRole } from '../../../protocol/administration/ecosystems/policy.ts'
import { etagOf } from '../../../protocol/etag.ts'
import type { Dependencies } from '../../dependencies.ts'
import {
  type CredentialRecord,
  credentialRecord,
  findEcosystem,
  type ParticipantRecord,
  participantRecord,
} from './rows.ts'

export interface PublishedParticipant extends ParticipantRecord {
  /** Ids of credentials. */
  issuerAllowedCredentials: string[]
  verifierAllowedCredentials: string[]
}

export interface PublishedPolicy {
  credentials: CredentialRecord[]
  participants: PublishedParticipant[]
  policyModifiedAt: Date
}

/** A policy for readers, who mostly have it already. */
export interface PolicyVersion {
  etag: string
  modifiedAt: Date
  /** Undefined where the last change was the first of its second: then the second alone names the version. */
  modifiedBefore: Date | undefined
  read(): Promise<PublishedPolicy>
}

/** Counts up when the form of the document changes. */
const FORM = 1

const ALLOWANCES = `select participant_id, role, credential_id::text from ecosystem_allowances where ecosystem_id = ?
order by credential_id`
const OLDEST = { orderBy: { createdAt: 'asc', id: 'asc' } } as const

interface AllowanceRow {
  participant_id: string
  role: EcosystemRole
  credential_id: string
}

async function readPolicy(em: SqlEntityManager, id: string, role: EcosystemRole | undefined): Promise<PublishedPolicy> {
  const { policyModifiedAt } = await findEcosystem(em, id)
  const roles = { issuer: { isIssuer: true }, verifier: { isVerifier: true } }
  const where = { ecosystemId: id, ...(role && roles[role]) }
  const participants = await em.find(EcosystemParticipant, where, OLDEST)
  const credentials = await em.find(EcosystemCredential, { ecosystemId: id }, OLDEST)
  const allowances = Map.groupBy(
    await em.execute<AllowanceRow[]>(ALLOWANCES, [id]),
    ({ participant_id, role: held }) => `${participant_id} ${held}`,
  )
  const allowed = (participant: EcosystemParticipant, held: EcosystemRole) =>
    (allowances.get(`${participant.id} ${held}`) ?? []).map(({ credential_id }) => credential_id)
  return {
    credentials: credentials.map(credentialRecord),
    participants: participants.map((participant) => ({
      ...participantRecord(participant),
      issuerAllowedCredentials: allowed(participant, 'issuer'),
      verifierAllowedCredentials: allowed(participant, 'verifier'),
    })),
    policyModifiedAt,
  }
}

/** The public policy of an ecosystem. */
export const createPublishedPolicies = ({ database }: Pick<Dependencies, 'database'>) => ({
  /**
   * `role`: the participants that hold it; by default all. The tag is known before the policy is read. Throws
   * `Refusal('ecosystem.not_found')`.
   */
  async publishedPolicy(ecosystemId: string, role?: EcosystemRole): Promise<PolicyVersion> {
    const row = await asSystem(database.system, (em) => findEcosystem(em, ecosystemId))
    return {
      etag: etagOf(`${FORM} ${row.id} ${row.policyVersion} ${role ?? ''}`),
      modifiedAt: row.policyModifiedAt,
      modifiedBefore: row.policyModifiedBefore ?? undefined,
      read: () => asSystem(database.system, (em) => readPolicy(em, ecosystemId, role)),
    }
  },
})
