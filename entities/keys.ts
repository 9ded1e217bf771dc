import { defineEntity, p } from '@mikro-orm/core'
import { EVERYTHING, owned, ownedByTenant, type Rights } from './base.ts'

/**
 * What we know of a key: never its private part. A row without a DID or another owner is of an unfinished creation or of
 * a deleted owner; the key is destroyed after a while.
 */
const KeySchema = defineEntity({
  name: 'Key',
  tableName: 'keys',
  filters: ownedByTenant,
  properties: {
    ...owned,
    didId: p.uuid().nullable(),
    /** Its owner that is no DID: an IACA or a document signer. */
    ownerId: p.uuid().nullable(),
    keyType: p.text().$type<'ed25519' | 'p256' | 'p384' | 'bls12381g2' | 'x25519'>(),
    custody: p.text().$type<'hardened' | 'software'>().nullable(),
    publicKey: p.blob().nullable(),
    /** The DID URL of the verification method, once the DID is known. */
    didUrl: p.text().nullable(),
  },
})
export class Key extends KeySchema.class {}
KeySchema.setClass(Key)

const KeyEnvelopeSchema = defineEntity({
  name: 'KeyEnvelope',
  tableName: 'key_envelopes',
  filters: ownedByTenant,
  properties: {
    keyId: p.uuid().primary(),
    tenantId: p.uuid(),
    keyType: p.text(),
    publicKey: p.blob(),
    envelope: p.blob(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
})
export class KeyEnvelope extends KeyEnvelopeSchema.class {}
KeyEnvelopeSchema.setClass(KeyEnvelope)

export const RIGHTS = {
  keys: { app: EVERYTHING, system: EVERYTHING },
  key_envelopes: { app: EVERYTHING, system: EVERYTHING },
  key_store_logins: { system: EVERYTHING },
  unlisted_keys: { system: EVERYTHING },
} satisfies Rights
