import anyTest from 'ava'
import { generateSync } from 'otplib'
import type { Page } from 'playwright-core'
import { tokenOfPerson } from '../support/accounts.ts'
import { answerFirst } from '../support/console/answers.ts'
import {
  closeBrowser,
  logIn,
  memberOf,
  openConsole,
  openPage,
  settled,
  violationsOf,
} from '../support/console/browser.ts'
import { gate } from '../support/console/gate.ts'
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
  await verifier.page.waitForSelector('h1:text-is("Your role may not open this page")')
  await verifier.page.goto(`${world.url}/console/log/nothing`)
  await verifier.page.waitForSelector('h1:text-is("There is no such page")')
  for (const area of ['sessions', 'batches']) {
    await verifier.page.goto(`${world.url}/console/${area}`)
    await verifier.page.waitForSelector('.empty:has-text("Your role may read this, and create nothing here.")')
    t.is(await verifier.page.locator('.empty details, .empty:has-text("Choose a CSV above")').count(), 0, area)
  }
  t.false(verifier.asked.some(({ path }) => path.startsWith('/v1/analytics') || path.startsWith('/v1/webhooks')))
  await verifier.close()
  const auditor = await openConsole(world, await memberOf(world, 'auditor'), '/console/log')
  t.true((await auditor.page.locator('tbody tr').count()) > 0)
  await auditor.close()
  const issuer = await openConsole(world, await memberOf(world, 'issuer'), '/console/sessions')
  await issuer.page.waitForSelector('.empty summary:has-text("POST /v1/openid/sessions")')
  await issuer.close()
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

/** A person who administers the first tenant and another one, whose client did something. */
async function ofTwoTenants() {
  const account = await memberOf(world)
  const other = await world.addTenant()
  await world.dependencies.systemSql.query({
    text: `update tenants set organization_id = (select organization_id from tenants where id = $1) where id = $2`,
    values: [world.first.tenantId, other.tenantId],
  })
  const theirs = await createDid(world, 'ed25519', await world.tokenOf(other))
  return { account, other, theirs }
}

/** The platform takes the token of the next request no more, so that the page asks for another one. */
const refuseOnce = (page: Page, address: string) =>
  answerFirst(page, address, (route) =>
    route.fulfill({
      status: 401,
      headers: { 'www-authenticate': 'Bearer realm="countersign", error="invalid_token"' },
      json: { type: '/problems#token.invalid', status: 401 },
    }),
  )

test('a page keeps its tenant when it renews its token, though another tab has chosen another one', async (t) => {
  const { account, other, theirs } = await ofTwoTenants()
  const { page, context, close } = await openConsole(world, account)
  const select = (each: Page) => each.locator('header select').first()
  await select(page).selectOption(world.first.tenantId)
  await page.click('nav.main a:text-is("DIDs")')
  await page.waitForSelector(`tbody tr:has-text("${did}")`)
  const tab = await context.newPage()
  await tab.goto(`${world.url}/console/dids`)
  await tab.waitForSelector('nav.main')
  await select(tab).selectOption(other.tenantId)
  await tab.waitForSelector(`tbody tr:has-text("${theirs}")`)
  // a browser draws nothing on a tab that is behind another one
  await page.bringToFront()
  await refuseOnce(page, '**/v1/credentials?*')
  await page.click('nav.main a:text-is("Credentials")')
  await settled(page)
  await page.click('nav.main a:text-is("DIDs")')
  await page.waitForSelector(`tbody tr:has-text("${did}")`)
  t.is(await select(page).inputValue(), world.first.tenantId)
  t.is(await page.locator(`tbody tr:has-text("${theirs}")`).count(), 0)
  await close()
})

test('a tab that comes second to a refresh waits for the cookie of the first one', async (t) => {
  const { page, close } = await openConsole(world, await memberOf(world))
  const problem = { type: '/problems#session.refreshed', status: 409 }
  await answerFirst(page, '**/v1/auth/refresh', (route) => route.fulfill({ status: 409, json: problem }), 2)
  await page.reload()
  await page.waitForSelector('nav.main')
  t.is(await page.locator('[role=alert]').count(), 0)
  await close()
})

test('a tenant that is chosen while a token is renewed is the tenant of the page', async (t) => {
  const { account, other, theirs } = await ofTwoTenants()
  const { page, asked, complaints, close } = await openConsole(world, account, '/console/dids')
  const select = page.locator('header select').first()
  await select.selectOption(world.first.tenantId)
  await page.waitForSelector(`tbody tr:has-text("${did}")`)
  const [held, released] = [gate(), gate()]
  const refreshes = () => asked.filter(({ path }) => path === '/v1/auth/refresh').length
  await answerFirst(page, '**/v1/auth/refresh', async (route) => {
    held.open()
    await released.opened
    await route.continue()
  })
  await refuseOnce(page, '**/v1/credentials?*')
  const before = refreshes()
  await page.click('nav.main a:text-is("Credentials")')
  await held.opened
  await select.selectOption(other.tenantId)
  await page.waitForTimeout(300)
  t.is(refreshes(), before + 1, 'one refresh at a time')
  released.open()
  await page.click('nav.main a:text-is("DIDs")')
  await page.waitForSelector(`tbody tr:has-text("${theirs}")`)
  t.is(await select.inputValue(), other.tenantId)
  t.deepEqual(complaints, [])
  await close()
})

test('a switch of the tenant that fails halfway leaves the page, and what it does, in the tenant that it shows', async (t) => {
  const { account, other, theirs } = await ofTwoTenants()
  const { page, complaints, close } = await openConsole(world, account, '/console/dids')
  const select = page.locator('header select').first()
  const shows = (each: string) => page.waitForSelector(`tbody tr:has-text("${each}")`)
  await select.selectOption(world.first.tenantId)
  await settled(page)
  await shows(did)
  const [held, released] = [gate(), gate()]
  await answerFirst(page, '**/v1/account', async (route) => {
    held.open()
    await released.opened
    await route.fulfill({ status: 503, json: { type: '/problems#database.unavailable', status: 503 } })
  })
  await select.selectOption(other.tenantId)
  await held.opened
  t.is(await page.locator('.columns[inert]').count(), 1, 'nothing is done in a tenant that is being left')
  t.is(await select.inputValue(), world.first.tenantId)
  released.open()
  await page.waitForSelector('[role=alert] a:text-is("database.unavailable")')
  t.is(await select.inputValue(), world.first.tenantId)
  for (const isRefused of [false, true]) {
    if (isRefused) await refuseOnce(page, '**/v1/credentials?*')
    await page.click('nav.main a:text-is("Credentials")')
    await settled(page)
    await page.click('nav.main a:text-is("DIDs")')
    await settled(page)
    await shows(did)
    t.is(await page.locator(`tbody tr:has-text("${theirs}")`).count(), 0)
  }
  await select.selectOption(other.tenantId)
  await shows(theirs)
  t.is(await page.locator('[role=alert], [inert]').count(), 0)
  t.deepEqual(complaints, [])
  await close()
})

test('a tab goes on for nobody but the person that it shows', async (t) => {
  const [first, second] = [await memberOf(world), await memberOf(world)]
  const { page, context, close } = await openConsole(world, first, '/console/dids')
  const asksForLogin = async () => {
    await page.bringToFront() // a browser draws nothing on a tab that is behind another one
    await page.waitForSelector('h1:text-is("Log in")')
    t.is(await page.locator('nav.main, .who').count(), 0)
  }
  const tab = await context.newPage()
  await tab.goto(`${world.url}/console`)
  await tab.click('button:text-is("Log out")')
  await asksForLogin()
  await logIn(page, first)
  await context.clearCookies()
  await tab.goto(`${world.url}/console/login`)
  await logIn(tab, second)
  await asksForLogin()
  await tab.close()
  await page.reload()
  await page.waitForSelector(`.who:text-is("${second.email}")`)
  // elsewhere than in a page of the console, so that none tells
  const headers = { 'X-Requested-With': 'console' }
  const { email, password } = first
  t.true((await context.request.post(`${world.url}/v1/auth/login`, { headers, data: { email, password } })).ok())
  await refuseOnce(page, '**/v1/credentials?*')
  await page.click('nav.main a:text-is("Credentials")')
  await asksForLogin()
  await close()
})

test('names of one tenant are not shown for those of another one, nor missed there', async (t) => {
  const { account, other } = await ofTwoTenants()
  const { page, close } = await openConsole(world, account, '/console/log?type=DID_CREATE_SUCCESS')
  const select = page.locator('header select').first()
  await select.selectOption(world.first.tenantId)
  await page.waitForSelector(`tbody bdi[title="${world.first.clientId}"]`)
  await select.selectOption(other.tenantId)
  await page.waitForSelector(`tbody bdi[title="${other.clientId}"]`)
  t.is(await page.locator(`tbody [title="${world.first.clientId}"]`).count(), 0)
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
