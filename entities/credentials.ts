import { defineEntity, p } from '@mikro-orm/core'
import type { FormatName } from '../protocol/credentials/formats.ts'
import { EVERYTHING, owned, ownedByTenant, type Rights } from './base.ts'

/** A credential as it was issued, whatever its format. */
const CredentialSchema = defineEntity({
  name: 'Credential',
  tableName: 'credentials',
  filters: ownedByTenant,
  properties: {
    ...owned,
    didId: p.uuid(),
    format: p.text().$type<FormatName>(),
    /** As returned to the caller, with its proof; null for a format whose documents are bytes. */
    document: p.json<Record<string, unknown>>().nullable(),
    /** As returned to the caller; null for a format whose documents are JSON. */
    documentBytes: p.blob().nullable(),
    proofType: p.text(),
    tag: p.text().nullable(),
    types: p.array(),
    issuanceDate: p.datetime(),
    expirationDate: p.datetime().nullable(),
    statusListId: p.uuid().nullable(),
    statusIndex: p.integer().nullable(),
    revoked: p.boolean().default(false),
    /** Its second entry, if it may be suspended. */
    suspensionListId: p.uuid().nullable(),
    suspensionIndex: p.integer().nullable(),
    suspended: p.boolean().default(false),
    statusChangedAt: p.datetime().nullable(),
    /** The template version that it was issued from. */
    templateId: p.uuid().nullable(),
    templateVersion: p.integer().nullable(),
    /** The batch that it was signed in, and its row there, from 1. */
    batchId: p.uuid().nullable(),
    batchRow: p.integer().nullable(),
  },
})
export class Credential extends CredentialSchema.class {}
CredentialSchema.setClass(Credential)

export const RIGHTS = {
  credentials: { app: EVERYTHING, system: EVERYTHING },
} satisfies Rights
