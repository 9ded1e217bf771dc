import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { Refusal } from '../../../protocol/errors.ts'

/** Changes of the default issuer wait for each other here; a deletion of a DID does not, and locks the DID's row. */
const LOCK = 'select id from tenants where id = ? for no key update'

const CURRENT = 'select did from dids where tenant_id = ? and is_default_issuer and deleted_at is null'

const CLEAR = 'update dids set is_default_issuer = false where tenant_id = ? and is_default_issuer'

/** Not a DID whose keys are all of key agreement; one without keys yet, such as a did:web under way, gets some that sign. */
const CHOOSE = `update dids d set is_default_issuer = true
where d.tenant_id = ? and d.did = ? and d.deleted_at is null and (
  not exists (select from keys k where k.tenant_id = d.tenant_id and k.did_id = d.id)
  or exists (select from keys k where k.tenant_id = d.tenant_id and k.did_id = d.id and k.key_type <> 'x25519'))
returning d.id`

const EXISTS = 'select id from dids where tenant_id = ? and did = ? and deleted_at is null'

/**
 * Makes a DID of the tenant its default issuer, in place of the one before; null: the tenant has none. Returns the id of
 * the DID. Throws `Refusal('settings.default_issuer_unknown')`, `Refusal('settings.default_issuer_unfit')`.
 */
export async function chooseDefaultIssuer(em: SqlEntityManager, tenantId: string, did: string | null) {
  await em.execute(LOCK, [tenantId])
  await em.execute(CLEAR, [tenantId])
  if (did === null) return null
  const [chosen] = await em.execute<{ id: string }[]>(CHOOSE, [tenantId, did])
  if (chosen) return chosen.id
  const [silent] = await em.execute<object[]>(EXISTS, [tenantId, did])
  if (silent)
    throw new Refusal(
      'settings.default_issuer_unfit',
      'The only key of the DID is of key agreement: it signs nothing.',
      [{ path: 'defaultIssuer', code: 'did', message: 'expected a DID with a key that signs, or null' }],
    )
  throw new Refusal('settings.default_issuer_unknown', 'The default issuer is not a DID of this tenant.', [
    { path: 'defaultIssuer', code: 'did', message: 'expected a DID of GET /v1/dids, or null' },
  ])
}

/**
 * Holds the tenant until the end of the transaction, for a DID that becomes the default issuer. Throws
 * `Refusal('did.default_issuer_taken')` where the tenant has one: only its settings replace it.
 */
export async function assertNoDefaultIssuer(em: SqlEntityManager, tenantId: string): Promise<void> {
  await em.execute(LOCK, [tenantId])
  const [current] = await em.execute<{ did: string }[]>(CURRENT, [tenantId])
  if (!current) return
  throw new Refusal(
    'did.default_issuer_taken',
    'The tenant has a default issuer. Create the DID without issuer, then replace the default issuer with PUT /v1/settings.',
    [{ path: 'issuer', code: 'unique', message: `expected false or no member: the default issuer is ${current.did}` }],
  )
}
