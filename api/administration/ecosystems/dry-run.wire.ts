import type { DryRun } from '../../../activities/administration/ecosystems/dry-run.ts'
import type { PolicyChange } from '../../../protocol/administration/ecosystems/changes.ts'
import { type Count, inLowerCase, type Uuid } from '../../frame/wire.ts'
import type { EcosystemProfile } from './wire.ts'

/**
 * removeParticipant needs participantId; removeCredential needs credentialId; removeRole and constrain need participantId
 * and role; takeCredential needs all three.
 */
export type PolicyChangeName = 'removeParticipant' | 'removeCredential' | 'removeRole' | 'constrain' | 'takeCredential'

/** A change that is only rehearsed. */
export interface PolicyChangeIn {
  change: PolicyChangeName
  participantId?: Uuid
  credentialId?: Uuid
  role?: 'issuer' | 'verifier'
}

export interface DryRunIn {
  /**
   * All of them together, in their order.
   * @minItems 1
   * @maxItems 20
   */
  changes: PolicyChangeIn[]
}

/** Credentials in force that would verify no more in the ecosystem. */
export interface BrokenCredentialsOut {
  tenantId: Uuid
  profile: EcosystemProfile
  types: string[]
  count: Count
}

/** A template from which its tenant could sign no more. */
export interface BrokenTemplateOut {
  tenantId: Uuid
  templateId: Uuid
  profile: EcosystemProfile
  types: string[]
}

/** A verifier that could verify less. */
export interface BrokenVerifierOut {
  participantId: Uuid
  name: string
  /** Tenants that verify as it. */
  tenantIds: Uuid[]
  /** Credentials of the ecosystem that it may verify now, and could not any more. */
  credentialIds: Uuid[]
}

export interface DryRunOut {
  credentials: BrokenCredentialsOut[]
  templates: BrokenTemplateOut[]
  verifiers: BrokenVerifierOut[]
  /** Tenants with more credentials or templates than are looked at: there may be more of them than the answer says. */
  atLeast: Uuid[]
  /** Tenants that were not looked at, because the time was up. */
  notCounted: Uuid[]
}

const optional = <Name extends string>(name: Name, id: string | undefined) =>
  (id === undefined ? {} : { [name]: inLowerCase(id) }) as Partial<Record<Name, string>>

export const toPolicyChanges = ({ changes }: DryRunIn): PolicyChange[] =>
  changes.map(({ change, role, participantId, credentialId }) => ({
    change,
    ...(role && { role }),
    ...optional('participantId', participantId),
    ...optional('credentialId', credentialId),
  }))

export const dryRunToWire = ({ credentials, templates, verifiers, atLeast, notCounted }: DryRun): DryRunOut => ({
  credentials: credentials.map(({ tenantId, profile, types, count }) => ({ tenantId, profile, types, count })),
  templates: templates.map(({ tenantId, templateId, profile, types }) => ({ tenantId, templateId, profile, types })),
  verifiers: verifiers.map(({ participantId, name, tenantIds, credentialIds }) => ({
    ...{ participantId, name, tenantIds, credentialIds },
  })),
  atLeast,
  notCounted,
})
