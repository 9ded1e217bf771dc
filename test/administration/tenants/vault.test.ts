import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createTenantErasure } from '../../../activities/administration/tenants/erase.ts'
import { KEY_TYPES } from '../../../activities/keys/index.ts'
import { createVaultKeyStore } from '../../../activities/keys/vault/index.ts'
import { dismissGuard } from '../../../stack/parts/part.ts'
import { insertion, openFence } from '../../support/frame/fence.ts'
import { createAppRole, openVault, vaultConfig } from '../../support/parts/vault.ts'
import { needs } from '../../support/parts.ts'

test.after.always(() => dismissGuard())
const onVault = needs('Vault')

onVault(
  'the keys of a deleted tenant are gone from Vault with all versions, and those of another one stay',
  async (t) => {
    const vault = await openVault()
    t.teardown(() => vault.stop())
    const keys = createVaultKeyStore(vaultConfig(vault, await createAppRole(vault)))
    t.teardown(() => keys.close())
    const fence = await openFence()
    t.teardown(() => fence.close())
    const { database, ours, theirs } = fence
    const made = async (tenantId: string) => {
      const refs = KEY_TYPES.map((keyType) => ({ tenantId, keyId: randomUUID(), keyType }))
      for (const ref of refs) {
        await database.systemSql.query(insertion('keys', { id: ref.keyId, tenant_id: tenantId, key_type: ref.keyType }))
        await keys.create(ref)
      }
      return refs
    }
    const [kept, lost] = [await made(ours), await made(theirs)]
    t.is((await keys.names?.())?.length, 2 * KEY_TYPES.length)
    const parts = {
      database,
      systemSql: database.systemSql,
      temporal: {},
      keys,
      now: () => new Date(),
      uuid: randomUUID,
    }
    const { destroyTenantKeys } = createTenantErasure(parts as never)
    const subject = { tenantId: ours, subjectTenantId: theirs, nextInMs: 1_000 }
    for (let step = await destroyTenantKeys(subject); step.next !== undefined; )
      step = await destroyTenantKeys({ ...subject, after: step.next })
    for (const ref of lost) await t.throwsAsync(keys.publicKey(ref), { name: 'Refusal' })
    for (const ref of kept) await t.notThrowsAsync(keys.publicKey(ref))
    t.is((await keys.names?.())?.length, KEY_TYPES.length, 'no name of them is left, which would have versions')
    await vault.seal()
    t.truthy((await destroyTenantKeys(subject)).waiting)
  },
)
