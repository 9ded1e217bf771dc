import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import anyTest from 'ava'
import { dismissGuard } from '../../../stack/parts/part.ts'
import { looksRight } from '../../support/console/appearance.ts'
import { closeBrowser, memberOf, openConsole, operatorOf, settled } from '../../support/console/browser.ts'
import { createDid, sign } from '../../support/credentials/credentials.ts'
import { until } from '../../support/credentials/dids.ts'
import { createAppRole, openVault } from '../../support/parts/vault.ts'
import { needs } from '../../support/parts.ts'
import { temporary } from '../../support/stack/stack.ts'
import { openWorld, type World } from '../../support/world.ts'

const test = needs('Chromium', anyTest.serial)
const withVault = needs('Vault', test as typeof anyTest.serial)

// no Temporal
let world: World
anyTest.before(async () => {
  world = await openWorld()
})
anyTest.after.always(async () => {
  await closeBrowser()
  await world?.close()
  dismissGuard()
})

const stateOf = (part: string, state: string) => `tr:has(td :text-is("${part}")) .state:text-is("${state}")`

test('home and health name a part that is down and a list that is not published; every role reads it', async (t) => {
  const issuer = await createDid(world)
  const { id, credential } = await sign(world, issuer, { revocable: true })
  const list = (credential.credentialStatus as Record<string, string>).statusListCredential ?? ''
  t.is((await world.ask(new URL(list).pathname)).status, 200)
  const revoke = { token: world.token, body: { is_revoked: true } }
  t.is((await world.ask(`/v1/credentials/web-semantic/${id}/revocation-status`, revoke)).status, 200)
  const text = `update status_lists set changed_since = changed_since - interval '1 hour', publish_failures = 3`
  await world.dependencies.systemSql.query({ text, values: [] })
  const { page, complaints, close } = await openConsole(world, await memberOf(world, 'verifier'))
  await page.waitForSelector('.attention a:text-is("Temporal is down")')
  await page.click('.attention a:text-is("1 status list is not published")')
  await page.waitForURL('**/console/health')
  await settled(page)
  t.is(await page.locator(stateOf('Temporal', 'down')).count(), 1)
  t.is(await page.locator(stateOf('Database', 'up')).count(), 1)
  t.is(await page.locator(stateOf('Worker', 'unknown')).count(), 1)
  t.is(await page.locator(`td code:text-is("${issuer}")`).count(), 1)
  t.is(await page.locator('h2:text-is("The whole platform")').count(), 0)
  t.deepEqual(complaints, [])
  await close()
})

test('the page looks by itself, and not while nobody sees it', async (t) => {
  const { page, asked, close } = await openConsole(world, await memberOf(world), '/console/health')
  const looks = () => asked.filter(({ path }) => path === '/v1/health').length
  const first = looks()
  await until('another look', async () => looks() > first)
  await settled(page)
  await page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, get: () => true })`)
  const before = looks()
  await page.waitForTimeout(6_000)
  t.is(looks(), before)
  await page.evaluate(`delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))`)
  await until('a look at once', async () => looks() > before)
  await close()
})

looksRight(
  test,
  () => world,
  () => [['health', '/health']],
  operatorOf,
)

withVault('the page shows by itself that the key store is sealed, and that it is back', async (t) => {
  t.timeout(3 * 60_000)
  const vault = await openVault()
  t.teardown(() => vault.stop())
  const role = await createAppRole(vault)
  const secretIdFile = join(temporary(t, 'secret'), 'secret-id')
  writeFileSync(secretIdFile, role.secretId)
  await world.close()
  world = await openWorld({
    env: { VAULT_ADDR: vault.address, VAULT_ROLE_ID: role.roleId, VAULT_SECRET_ID_FILE: secretIdFile },
  })
  const { page, close } = await openConsole(world, await memberOf(world), '/console/health')
  await page.click('nav.main a:text-is("Health")')
  await page.waitForSelector(stateOf('Key store', 'up'))
  await vault.seal()
  await page.waitForSelector(stateOf('Key store', 'down'))
  t.is(await page.locator('code:text-is("keys.unavailable")').count(), 1)
  await vault.unseal()
  await page.waitForSelector(stateOf('Key store', 'up'))
  await close()
})
