import { type FieldError, Refusal } from '../../errors.ts'
import type { EcosystemRole, Grant, ParticipantFacts, PolicyCredential } from './policy.ts'

export const POLICY_CHANGES = [
  'removeParticipant',
  'removeCredential',
  'removeRole',
  'constrain',
  'takeCredential',
] as const

/** A change of a policy that is only rehearsed. */
export interface PolicyChange {
  change: (typeof POLICY_CHANGES)[number]
  participantId?: string | undefined
  credentialId?: string | undefined
  role?: EcosystemRole | undefined
}

interface Facts {
  participants: readonly ParticipantFacts[]
  credentials: readonly PolicyCredential[]
}

export const MAX_CHANGES = 20

type Member = 'participantId' | 'credentialId' | 'role'

const NEEDED: Record<PolicyChange['change'], readonly Member[]> = {
  removeParticipant: ['participantId'],
  removeCredential: ['credentialId'],
  removeRole: ['participantId', 'role'],
  constrain: ['participantId', 'role'],
  takeCredential: ['participantId', 'credentialId', 'role'],
}

const MEMBERS: readonly Member[] = ['participantId', 'credentialId', 'role']

/** Throws `Refusal('request.invalid')` for a change that lacks a member, or that has one which it would not use. */
export function checkPolicyChanges(changes: readonly PolicyChange[]): void {
  const errors: FieldError[] = []
  if (changes.length === 0 || changes.length > MAX_CHANGES)
    errors.push({ path: 'changes', code: 'length', message: `expected 1 to ${MAX_CHANGES} changes` })
  for (const [at, change] of changes.slice(0, MAX_CHANGES).entries())
    for (const member of MEMBERS) {
      const path = `changes.${at}.${member}`
      const isNeeded = NEEDED[change.change].includes(member)
      if (isNeeded && change[member] === undefined)
        errors.push({ path, code: 'required', message: `expected a ${member}, which ${change.change} needs` })
      if (!isNeeded && change[member] !== undefined)
        errors.push({ path, code: 'unused', message: `expected none: ${change.change} does not use it` })
    }
  if (errors.length > 0) throw new Refusal('request.invalid', 'The changes are not valid; see errors.', errors)
}

const without = (grant: Grant, credentialId: string | undefined): Grant => ({
  ...grant,
  allowed: new Set([...grant.allowed].filter((id) => id !== credentialId)),
})

/** What one role of a participant is after a change. */
const CHANGED: Partial<Record<PolicyChange['change'], (grant: Grant, change: PolicyChange) => Grant>> = {
  removeRole: (grant) => ({ ...grant, isHeld: false }),
  constrain: (grant) => ({ ...grant, isConstrained: true }),
  takeCredential: (grant, { credentialId }) => without(grant, credentialId),
}

function after({ participants, credentials }: Facts, change: PolicyChange): Facts {
  const { participantId, credentialId, role } = change
  if (participantId !== undefined && !participants.some(({ id }) => id === participantId))
    throw new Refusal('ecosystem_participant.not_found', 'The ecosystem has no such participant.')
  if (credentialId !== undefined && !credentials.some(({ id }) => id === credentialId))
    throw new Refusal('ecosystem_credential.not_found', 'The ecosystem has no such credential.')
  if (change.change === 'removeParticipant')
    return { participants: participants.filter(({ id }) => id !== participantId), credentials }
  if (change.change === 'removeCredential')
    return { participants, credentials: credentials.filter(({ id }) => id !== credentialId) }
  const changed = CHANGED[change.change]
  return {
    credentials,
    participants: participants.map((each) =>
      each.id === participantId && role !== undefined && changed
        ? { ...each, [role]: changed(each[role], change) }
        : each,
    ),
  }
}

/**
 * The facts as they would be after all changes, in their order. Throws `Refusal('ecosystem_participant.not_found' |
 * 'ecosystem_credential.not_found')` also for what an earlier change has removed.
 */
export const afterChanges = (facts: Facts, changes: readonly PolicyChange[]): Facts => changes.reduce(after, facts)
