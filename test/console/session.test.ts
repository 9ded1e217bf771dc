import anyTest from 'ava'
import { generateSync } from 'otplib'
import { tokenOfPerson } from '../support/accounts.ts'
import { closeBrowser, memberOf, openConsole, openPage, violationsOf } from '../support/console/browser.ts'
import { createDid, sign } from '../support/credentials/credentials.ts'
import { needs } from '../support/parts.ts'
import { openWorld, type World } from '../support/world.ts'

const test = needs('Chromium', anyTest.serial)

// no worker: sessions need none
let world: World
let did: string
anyTest.before(async () => {
  world = await openWorld()
  did = await createDid(world)
})
anyTest.after.always(async () => {
  await closeBrowser()
  await world?.close()
})

test('the session outlives a new load of the page, and nothing of it is in a storage that scripts read', async (t) => {
  const { page, context, close } = await openConsole(world, await memberOf(world))
  await page.reload()
  await page.waitForSelector('nav.main')
  t.deepEqual(await page.evaluate('[document.cookie, localStorage.length, sessionStorage.length, history.state]'), [
    '',
    0,
    0,
    null,
  ])
  const cookies = await context.cookies()
  t.true(cookies.length > 0 && cookies.every(({ httpOnly, sameSite }) => httpOnly && sameSite === 'Strict'))
  await page.click('button:text-is("Log out")')
  await page.waitForSelector('h1:text-is("Log in")')
  await page.reload()
  await page.waitForSelector('h1:text-is("Log in")')
  await close()
})

test('a wrong password is refused with the reason and the id of the request', async (t) => {
  const account = await memberOf(world)
  const { page, close } = await openPage(world)
  await page.fill('input[name=email]', account.email)
  await page.fill('input[name=password]', 'eleven red unicycles at dusk')
  await page.click('button[type=submit]')
  const alert = (await page.textContent('[role=alert]')) ?? ''
  t.regex(alert, /login\.refused/)
  t.regex(alert, /[0-9a-f]{8}-[0-9a-f]{4}-/)
  t.is(await page.locator('input[name=totp]').count(), 0)
  await page.fill('input[name=password]', account.password)
  await page.click('button[type=submit]')
  await page.waitForSelector('nav.main')
  await close()
})

test('a role sees what it may do, and no more', async (t) => {
  const { id } = await sign(world, did, { revocable: true, tag: 'roles' })
  const verifier = await openConsole(world, await memberOf(world, 'verifier'), `/console/credentials/${id}`)
  const areas = await verifier.page.locator('nav.main a').allTextContents()
  for (const name of ['Home', 'Credentials', 'Batches', 'Templates', 'DIDs', 'Document signers'])
    t.true(areas.includes(name), name)
  for (const name of ['Issue', 'Webhooks', 'Domains', 'Inboxes', 'Claim sources', 'Log'])
    t.false(areas.includes(name), name)
  t.is(await verifier.page.locator('button:text-is("Revoke"), button:text-is("Suspend")').count(), 0)
  t.is(await verifier.page.locator('button:text-is("Verify now")').count(), 1)
  await verifier.page.goto(`${world.url}/console/log`)
  await verifier.page.waitForSelector('h1:text-is("There is no such page")')
  t.false(verifier.asked.some(({ path }) => path.startsWith('/v1/analytics') || path.startsWith('/v1/webhooks')))
  await verifier.close()
  const auditor = await openConsole(world, await memberOf(world, 'auditor'), '/console/log')
  t.true((await auditor.page.locator('tbody tr').count()) > 0)
  await auditor.close()
})

test('a person of two tenants switches, and sees the other one’s objects alone', async (t) => {
  const account = await memberOf(world)
  const { tenantId } = await world.addTenant()
  await world.dependencies.systemSql.query({
    text: `update tenants set organization_id = (select organization_id from tenants where id = $1) where id = $2`,
    values: [world.first.tenantId, tenantId],
  })
  const { page, asked, close } = await openConsole(world, account, '/console/dids')
  const select = page.locator('header select').first()
  await select.selectOption(world.first.tenantId)
  await page.waitForSelector('tbody tr')
  t.true((await page.textContent('tbody'))?.includes(did))
  await select.selectOption(tenantId)
  await page.waitForSelector('text=There is no DID')
  const before = asked.length
  await page.reload()
  await page.waitForSelector('text=There is no DID')
  t.true(asked.length > before, 'the tenant outlives a new load')
  await close()
})

test('the code of an authenticator is asked for where the account has one', async (t) => {
  const account = await memberOf(world)
  const token = await tokenOfPerson(world, account)
  const enrolled = await world.ask('/v1/account/totp', { token, body: { password: account.password } })
  const { secret } = enrolled.json<{ secret: string }>()
  const confirmed = await world.ask('/v1/account/totp/confirm', { token, body: { totp: generateSync({ secret }) } })
  const [code = ''] = confirmed.json<{ recovery_codes: string[] }>().recovery_codes
  const { page, close } = await openPage(world)
  await page.fill('input[name=email]', account.email)
  await page.fill('input[name=password]', account.password)
  await page.click('button[type=submit]')
  await page.fill('input[name=totp]', code)
  t.deepEqual(await violationsOf(page), [])
  await page.click('button[type=submit]')
  await page.waitForSelector('nav.main')
  t.pass()
  await close()
})
