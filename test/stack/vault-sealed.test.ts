import { existsSync } from 'node:fs'
import { join } from 'node:path'
import anyTest from 'ava'
import { dismissGuard } from '../../stack/parts/part.ts'
import { freePort } from '../../stack/parts/ports.ts'
import { createAppRole, openVault } from '../support/parts/vault.ts'
import { needs } from '../support/parts.ts'
import { script, temporary } from '../support/stack/stack.ts'

const test = needs('Vault', anyTest.serial)

anyTest.after.always(() => dismissGuard())

test('the very first npm start waits for a Vault that is sealed, says so, and goes on when it is not', async (t) => {
  t.timeout(480_000)
  const vault = await openVault()
  t.teardown(() => vault.stop())
  const { roleId, secretId } = await createAppRole(vault)
  await vault.seal()
  const local = temporary(t, 'sealed')
  const ports = ['PORT', 'DATABASE_PORT', 'OPERATOR_PORT']
  const env = Object.fromEntries(
    await Promise.all(ports.map(async (name) => [name, String(await freePort())] as const)),
  )
  const started = script(['stack/start.ts', '--local', local], {
    ...env,
    API_PROCESSES: '1',
    TEMPORAL_ADDRESS: `127.0.0.1:${await freePort()}`,
    VAULT_ADDR: vault.address,
    VAULT_ROLE_ID: roleId,
    VAULT_SECRET_ID: secretId,
  })
  t.teardown(async () => {
    started.child.kill('SIGTERM')
    await started.ended
  })
  t.true(await started.says(/^Waiting for the key store: .*sealed/), started.lines.join('\n'))
  t.false(existsSync(join(local, 'log', 'api.log')), 'nothing is started before it can serve')
  await vault.unseal()
  t.true(await started.says(/^Countersign is ready/), started.lines.join('\n'))
  t.is(started.lines.filter((line) => line.startsWith('Waiting for the key store')).length, 1)
})
