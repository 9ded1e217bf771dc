import type { Dependencies } from '../dependencies.ts'
import type { KeyRef } from '../keys/index.ts'
import { isKeyMissing, KeyLost } from '../keys/lost.ts'

/** A DID is marked as deleted before its keys are destroyed. */
const STANDS = `select 1 from keys k join dids d on d.tenant_id = k.tenant_id and d.id = k.did_id
where k.tenant_id = $1 and k.id = $2 and d.deleted_at is null`

/**
 * Handles an error of a key of a remembered DID, where it may be that the key store lacks the key: throws `KeyLost` where
 * the DID stands, as after a restore of the key store alone, and what `deleted` makes where it does not.
 */
export const createMissingKeys = ({ systemSql }: Pick<Dependencies, 'systemSql'>) => {
  const stands = async ({ tenantId, keyId }: KeyRef) =>
    (await systemSql.query<object>({ name: 'key-stands', text: STANDS, values: [tenantId, keyId] })).rows.length > 0
  return (ref: KeyRef, deleted: () => Error) =>
    async (error: unknown): Promise<never> => {
      if (!isKeyMissing(error)) throw error
      throw (await stands(ref)) ? new KeyLost('a key of a DID', error) : deleted()
    }
}
