import type { MikroORM } from '@mikro-orm/postgresql'
import { KeyEnvelope } from '../../entities/keys.ts'
import { inTenant } from '../../entities/orm.ts'
import type { EnvelopeRows } from './envelope.ts'

/** Envelopes in the table `key_envelopes`, each call in a transaction that sees one tenant alone. */
export const createEnvelopeRows = (orm: MikroORM): EnvelopeRows => ({
  insert: ({ tenantId, keyId, keyType }, { publicKey, envelope }) =>
    inTenant(orm, tenantId, async (em) => {
      const row = { keyId, tenantId, keyType, publicKey, envelope, createdAt: new Date() }
      await em.upsert(KeyEnvelope, row, { onConflictFields: ['keyId'], onConflictAction: 'ignore' })
    }),

  find: ({ tenantId, keyId, keyType }) =>
    inTenant(orm, tenantId, async (em) => {
      const row = await em.findOne(KeyEnvelope, { keyId, keyType })
      return row ? { publicKey: row.publicKey, envelope: row.envelope } : undefined
    }),

  remove: ({ tenantId, keyId, keyType }) =>
    inTenant(orm, tenantId, async (em) => {
      await em.nativeDelete(KeyEnvelope, { keyId, keyType })
    }),
})
