import { defineEntity, p } from '@mikro-orm/core'
import type { Profile } from '../../protocol/administration/ecosystems/policy.ts'
import { EVERYTHING, type Rights } from '../base.ts'

const times = {
  createdAt: p.datetime().onCreate(() => new Date()),
  updatedAt: p.datetime(),
}

/** A group of issuers and verifiers under one policy. It belongs to no tenant, and operators manage it. */
const EcosystemSchema = defineEntity({
  name: 'Ecosystem',
  tableName: 'ecosystems',
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    /** Each change that the policy shows adds 1. */
    policyVersion: p.integer().default(1),
    policyModifiedAt: p.datetime(),
    /** When the change before the last one was made. */
    policyModifiedBefore: p.datetime().nullable(),
    ...times,
  },
})
export class Ecosystem extends EcosystemSchema.class {}
EcosystemSchema.setClass(Ecosystem)

const EcosystemParticipantSchema = defineEntity({
  name: 'EcosystemParticipant',
  tableName: 'ecosystem_participants',
  properties: {
    id: p.uuid().primary(),
    ecosystemId: p.uuid(),
    name: p.text(),
    isIssuer: p.boolean(),
    /** It issues only what it is allowed. */
    isIssuerConstrained: p.boolean(),
    isVerifier: p.boolean(),
    isVerifierConstrained: p.boolean(),
    /** Its DID in each profile. */
    webSemantic: p.text().nullable(),
    compact: p.text().nullable(),
    compactSemantic: p.text().nullable(),
    /** A DID, or the https address of an issuer with metadata. */
    sdJwtVc: p.text().nullable(),
    /** Certificates of its IACAs in PEM. */
    mobile: p.array(),
    /** The names of their keys, in the same order (protocol/mobile-credentials/certificates.read.ts, authorityOf). */
    mobileKeys: p.array(),
    ...times,
  },
})
export class EcosystemParticipant extends EcosystemParticipantSchema.class {}
EcosystemParticipantSchema.setClass(EcosystemParticipant)

/** A type of credential in a profile, which participants are allowed. */
const EcosystemCredentialSchema = defineEntity({
  name: 'EcosystemCredential',
  tableName: 'ecosystem_credentials',
  properties: {
    id: p.uuid().primary(),
    ecosystemId: p.uuid(),
    name: p.text(),
    profile: p.text().$type<Profile>(),
    type: p.text(),
    ...times,
  },
})
export class EcosystemCredential extends EcosystemCredentialSchema.class {}
EcosystemCredentialSchema.setClass(EcosystemCredential)

/** The system role alone: a tenant's connection neither reads nor writes what belongs to no tenant. */
export const RIGHTS = {
  ecosystems: { system: EVERYTHING },
  ecosystem_participants: { system: EVERYTHING },
  ecosystem_credentials: { system: EVERYTHING },
  ecosystem_identifiers: { system: EVERYTHING },
  ecosystem_allowances: { system: EVERYTHING },
} satisfies Rights
