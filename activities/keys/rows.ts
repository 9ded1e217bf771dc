import { Key } from '../../entities/keys.ts'
import { inTenant } from '../../entities/orm.ts'
import type { Dependencies } from '../dependencies.ts'
import type { CreatedKey, KeyRef, KeyType } from './index.ts'

export type NewKey = KeyRef & CreatedKey

/** Makes keys with rows, so that none is forgotten in the store. */
export const createKeyRows = ({
  database,
  keys,
  uuid,
  now,
}: Pick<Dependencies, 'database' | 'keys' | 'uuid' | 'now'>) => ({
  /** Writes the key's row before the key, so that the reaper finds it after a crash before its owner is written. */
  async createKey(tenantId: string, keyType: KeyType): Promise<NewKey> {
    const keyId = uuid()
    await inTenant(database.tenants, tenantId, async (em) => {
      em.create(Key, { id: keyId, tenantId, keyType, createdAt: now() })
    })
    return { tenantId, keyType, keyId, ...(await keys.create({ tenantId, keyId, keyType })) }
  },
})
