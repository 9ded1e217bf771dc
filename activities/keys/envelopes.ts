import type { MikroORM } from '@mikro-orm/postgresql'
import { KeyEnvelope } from '../../entities/keys.ts'
import { inTenant } from '../../entities/orm.ts'
import type { EnvelopeRows } from './envelope.ts'

/** Envelopes in the table `key_envelopes`, each call in a transaction that sees one tenant alone. */
export const createEnvelopeRows = (orm: MikroORM): EnvelopeRows => ({
  insert: ({ tenantId, keyId, keyType }, { publicKey, envelope }) =>
    inTenant(orm, tenantId, async (em) => {
      // not MikroORM's upsert, which reads the row back: it may be another tenant's and invisible
      await em.execute(
        `insert into key_envelopes (key_id, tenant_id, key_type, public_key, envelope) values (?, ?, ?, ?, ?)
         on conflict (key_id) do nothing`,
        [keyId, tenantId, keyType, Buffer.from(publicKey), Buffer.from(envelope)],
      )
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
