import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { EcosystemParticipant } from '../../../entities/administration/ecosystems.ts'
import type { EcosystemRole } from '../../../protocol/administration/ecosystems/policy.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { Call } from '../../frame/operations.ts'
import type { EcosystemChanges } from './changes.ts'
import { type CredentialRecord, credentialNotFound, credentialRecord, findCredential, findParticipant } from './rows.ts'

const ALLOW = `insert into ecosystem_allowances (ecosystem_id, participant_id, role, credential_id) values (?, ?, ?, ?)
on conflict do nothing returning credential_id`
const TAKE = `delete from ecosystem_allowances where participant_id = ? and role = ? and credential_id = ?
returning credential_id`

const OPERATIONS = {
  issuer: { allow: 'createEcosystemIssuer', take: 'deleteEcosystemIssuer' },
  verifier: { allow: 'createEcosystemVerifier', take: 'deleteEcosystemVerifier' },
} as const

/** A credential that a participant is allowed in a role. */
export interface Allowance {
  ecosystemId: string
  participantId: string
  credentialId: string
}

/** An allowance that changes nothing must not look as if it did. Throws `ecosystem_participant.role_missing`. */
function assertHolds(role: EcosystemRole, participant: EcosystemParticipant): void {
  if (role === 'issuer' ? participant.isIssuer : participant.isVerifier) return
  throw new Refusal(
    'ecosystem_participant.role_missing',
    `The participant is no ${role}: a credential that it is allowed as one would change nothing. Update the participant first.`,
  )
}

/** Which credentials constrained participants may issue and verify. */
export function createEcosystemAllowances({ changes }: { changes: EcosystemChanges }) {
  const find = async (em: SqlEntityManager, { ecosystemId, participantId, credentialId }: Allowance) => ({
    participant: await findParticipant(em, ecosystemId, participantId),
    credential: await findCredential(em, ecosystemId, credentialId),
  })

  return {
    /**
     * Returns the credential. Safe to repeat: what is allowed already stays so, and the policy does not move. Throws
     * `ecosystem.not_found`, `ecosystem_participant.not_found`, `ecosystem_participant.role_missing`,
     * `ecosystem_credential.not_found`.
     */
    async allowCredential(call: Call, role: EcosystemRole, allowance: Allowance): Promise<CredentialRecord> {
      return changes.change(call, OPERATIONS[role].allow, { ...allowance }, allowance.ecosystemId, async (em) => {
        const { participant, credential } = await find(em, allowance)
        assertHolds(role, participant)
        const values = [allowance.ecosystemId, participant.id, role, credential.id]
        const added = await em.execute<object[]>(ALLOW, values)
        if (added.length > 0) await changes.movePolicy(em, allowance.ecosystemId)
        return credentialRecord(credential)
      })
    },

    /** Throws `ecosystem_credential.not_found` also where the participant is not allowed the credential. */
    async takeCredential(call: Call, role: EcosystemRole, allowance: Allowance): Promise<void> {
      await changes.change(call, OPERATIONS[role].take, { ...allowance }, allowance.ecosystemId, async (em) => {
        const { participant, credential } = await find(em, allowance)
        const taken = await em.execute<object[]>(TAKE, [participant.id, role, credential.id])
        if (taken.length === 0) throw credentialNotFound()
        await changes.movePolicy(em, allowance.ecosystemId)
      })
    },
  }
}
