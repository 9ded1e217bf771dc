import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createVaultKeyStore } from '../../activities/keys/vault/index.ts'
import { Unavailable } from '../../protocol/errors.ts'
import { dismissGuard } from '../../stack/parts/part.ts'
import { createAppRole, openVault, vaultConfig } from '../support/parts/vault.ts'
import { needs } from '../support/parts.ts'

test.after.always(() => dismissGuard())
const onVault = needs('Vault')

onVault(
  'Vault remembers how far a database has come, within the documented policy, and says so while it is sealed',
  async (t) => {
    const vault = await openVault()
    t.teardown(() => vault.stop())
    const store = createVaultKeyStore(vaultConfig(vault, await createAppRole(vault)))
    t.teardown(() => store.close())
    const { witness } = store
    if (!witness) return t.fail('a Vault is outside of the database')
    const [id, other] = [randomUUID(), randomUUID()]
    t.is(await witness.read(id), undefined)
    t.is(await witness.write(id, 41), 41)
    t.is(await witness.write(id, 42), 42)
    t.is(await witness.write(id, 37), 42, 'it never goes back')
    t.is(await witness.read(id), 42)
    t.is(await witness.read(other), undefined)
    for (const marks of [
      [4, 3, 2, 1],
      [8, 7, 6, 5],
    ]) {
      await Promise.all(marks.map((mark) => witness.write(other, mark)))
      t.is(await witness.read(other), marks[0], 'whichever process writes last')
    }
    await vault.call('DELETE', `secret/data/countersign/epoch-${other}`)
    t.is(await witness.read(other), undefined)
    t.is(await witness.write(other, 2), 2, 'after an operator deleted it')
    await vault.seal()
    await t.throwsAsync(witness.read(id), { instanceOf: Unavailable })
    await t.throwsAsync(witness.write(id, 43), { instanceOf: Unavailable })
    await vault.unseal()
    await store.ready()
    t.is(await witness.read(id), 42)
  },
)
