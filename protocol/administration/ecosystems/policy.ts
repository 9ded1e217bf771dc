import { type FormatSlug, slugOf } from '../../credentials/formats.ts'
import type { JudgedCredential } from '../../credentials/policy.ts'

export const PROFILES = [
  'web-semantic',
  'compact',
  'compact-semantic',
  'mobile',
  'sd-jwt-vc',
] as const satisfies FormatSlug[]
export type Profile = (typeof PROFILES)[number]

export const ROLES = ['issuer', 'verifier'] as const
export type EcosystemRole = (typeof ROLES)[number]

/** What a participant may do in one role. */
export interface Grant {
  isHeld: boolean
  /** Only the allowed credentials. */
  isConstrained: boolean
  /** Ids of ecosystem credentials. */
  allowed: ReadonlySet<string>
}

export interface PolicyParticipant {
  id: string
  name: string
  issuer: Grant
  verifier: Grant
}

export interface PolicyCredential {
  id: string
  profile: Profile
  type: string
}

/** A participant as rows have it. */
export interface ParticipantFacts extends PolicyParticipant {
  /** By profile: its DID, or the names of the keys of its IACAs. */
  identifiers: ReadonlyMap<Profile, readonly string[]>
}

/** What an ecosystem enforces, in the form that a signature looks it up in. */
export interface Policy {
  ecosystemId: string
  participants: ReadonlyMap<string, PolicyParticipant>
  /** By profile and identifier. */
  byIdentifier: ReadonlyMap<string, PolicyParticipant>
  /** Ids of credentials by profile and type. */
  byKind: ReadonlyMap<string, string>
}

/** No profile has a space in it. */
const keyOf = (profile: Profile, name: string): string => `${profile} ${name}`

export function policyOf(
  ecosystemId: string,
  participants: readonly ParticipantFacts[],
  credentials: readonly PolicyCredential[],
): Policy {
  const byIdentifier = new Map<string, PolicyParticipant>()
  for (const participant of participants)
    for (const [profile, identifiers] of participant.identifiers)
      for (const identifier of identifiers) byIdentifier.set(keyOf(profile, identifier), participant)
  return {
    ecosystemId,
    participants: new Map(participants.map((participant) => [participant.id, participant])),
    byIdentifier,
    byKind: new Map(credentials.map(({ id, profile, type }) => [keyOf(profile, type), id])),
  }
}

/** The rule that forbids. */
export type PolicyRule =
  | 'issuer_unknown'
  | 'not_an_issuer'
  | 'issuer_constrained'
  | 'verifier_unknown'
  | 'not_a_verifier'
  | 'verifier_constrained'

export interface PolicyFault {
  rule: PolicyRule
  /** Of the credential that it is about, for people. */
  message: string
}

const BASE_TYPE = 'VerifiableCredential'

/**
 * The types that an allowance is looked up by: every one but VerifiableCredential, which all have; that one where there
 * is no other (D-643).
 */
export const kindsOf = (types: readonly string[]): readonly string[] => {
  const own = types.filter((type) => type !== BASE_TYPE)
  return own.length > 0 ? own : [BASE_TYPE]
}

const shown = (text: string): string => text.slice(0, 200)

/** The first type that a grant does not cover: a credential of two types passes for either, so both must be allowed. */
function typeBeyond({ byKind }: Policy, grant: Grant, profile: Profile, types: readonly string[]): string | undefined {
  if (!grant.isConstrained) return undefined
  return kindsOf(types).find((type) => {
    const id = byKind.get(keyOf(profile, type))
    return id === undefined || !grant.allowed.has(id)
  })
}

/** Why a credential of this issuer is not one of the ecosystem; undefined where it is. */
export function issuerFault(policy: Policy, judged: JudgedCredential): PolicyFault | undefined {
  const { format, issuer, authorities = [], types } = judged
  const profile = slugOf(format)
  const names = issuer === undefined ? [] : [issuer, ...authorities]
  const known = names.find((name) => policy.byIdentifier.has(keyOf(profile, name))) ?? issuer
  const participant = known === undefined ? undefined : policy.byIdentifier.get(keyOf(profile, known))
  const what = known === undefined ? 'The issuer' : `The issuer ${shown(known)}`
  if (!participant)
    return { rule: 'issuer_unknown', message: `${what} is no participant of the ecosystem for ${profile} credentials.` }
  if (!participant.issuer.isHeld)
    return { rule: 'not_an_issuer', message: `${what} is a participant of the ecosystem, and no issuer.` }
  const beyond = typeBeyond(policy, participant.issuer, profile, types)
  if (beyond === undefined) return undefined
  return {
    rule: 'issuer_constrained',
    message: `${what} may issue only credentials that it is allowed, and ${profile} credentials of type ${shown(beyond)} are not among them.`,
  }
}

/** Why a participant may not verify a credential; `participantId`: null for a tenant that verifies as none. */
export function verifierFault(
  policy: Policy,
  participantId: string | null,
  { format, types }: Pick<JudgedCredential, 'format' | 'types'>,
): PolicyFault | undefined {
  const profile = slugOf(format)
  const participant = participantId === null ? undefined : policy.participants.get(participantId)
  if (!participant)
    return { rule: 'verifier_unknown', message: 'This tenant verifies as no participant of its ecosystem.' }
  if (!participant.verifier.isHeld)
    return { rule: 'not_a_verifier', message: 'The participant that this tenant verifies as is no verifier.' }
  const beyond = typeBeyond(policy, participant.verifier, profile, types)
  if (beyond === undefined) return undefined
  return {
    rule: 'verifier_constrained',
    message: `This tenant may verify only credentials that it is allowed, and ${profile} credentials of type ${shown(beyond)} are not among them.`,
  }
}
