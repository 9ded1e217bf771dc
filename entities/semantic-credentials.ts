import { defineEntity, p } from '@mikro-orm/core'
import type { StatusListKind, StatusPurpose } from '../protocol/status-list/index.ts'
import { owned, ownedByTenant } from './base.ts'

const SemanticCredentialSchema = defineEntity({
  name: 'SemanticCredential',
  tableName: 'semantic_credentials',
  filters: ownedByTenant,
  properties: {
    ...owned,
    didId: p.uuid(),
    /** As it was answered, proof and all. */
    credential: p.json<Record<string, unknown>>(),
    proofType: p.text(),
    tag: p.text().nullable(),
    types: p.array(),
    issuanceDate: p.datetime(),
    expirationDate: p.datetime().nullable(),
    statusListId: p.uuid().nullable(),
    statusIndex: p.integer().nullable(),
    revoked: p.boolean().default(false),
    /** Its second entry, where it may be suspended too. */
    suspensionListId: p.uuid().nullable(),
    suspensionIndex: p.integer().nullable(),
    suspended: p.boolean().default(false),
    statusChangedAt: p.datetime().nullable(),
    /** The version of a template that it was made by. */
    templateId: p.uuid().nullable(),
    templateVersion: p.integer().nullable(),
  },
})
export class SemanticCredential extends SemanticCredentialSchema.class {}
SemanticCredentialSchema.setClass(SemanticCredential)

const StatusListSchema = defineEntity({
  name: 'StatusList',
  tableName: 'status_lists',
  filters: ownedByTenant,
  properties: {
    ...owned,
    didId: p.uuid(),
    kind: p.text().$type<StatusListKind>(),
    purpose: p.text().$type<StatusPurpose>(),
    proofType: p.text(),
    size: p.integer(),
    /** How many entries are given out; entry n stands at the n-th value of the list's keyed permutation. */
    used: p.integer().default(0),
    permutationKey: p.blob(),
    /** Counts changes of status; a signed list holds all up to `publishedChanges`. */
    changes: p.integer().default(0),
    publishedChanges: p.integer().default(0),
    signed: p.json<Record<string, unknown>>().nullable(),
    etag: p.text().nullable(),
    signedAt: p.datetime().nullable(),
    validUntil: p.datetime().nullable(),
  },
})
export class StatusList extends StatusListSchema.class {}
StatusListSchema.setClass(StatusList)

const JsonLdContextSchema = defineEntity({
  name: 'JsonLdContext',
  tableName: 'jsonld_contexts',
  filters: ownedByTenant,
  properties: {
    ...owned,
    url: p.text(),
    /** SHA-256 of the document as it was fetched, in hex: the pin. */
    sha256: p.text(),
    document: p.text(),
    source: p.text().$type<'registered' | 'fetched'>(),
  },
})
export class JsonLdContext extends JsonLdContextSchema.class {}
JsonLdContextSchema.setClass(JsonLdContext)
