import anyTest from 'ava'
import { closeBrowser, memberOf, openConsole, settled } from '../support/console/browser.ts'
import { createDid, sign } from '../support/credentials/credentials.ts'
import { needs } from '../support/parts.ts'
import { openWorld, type World } from '../support/world.ts'

const test = needs('Chromium', anyTest.serial)

let world: World
anyTest.before(async () => {
  world = await openWorld()
})
anyTest.after.always(async () => {
  await closeBrowser()
  await world?.close()
})

test('the first page counts what was signed and refused in the last day, and leads to the entries', async (t) => {
  const did = await createDid(world)
  for (let at = 0; at < 2; at++) await sign(world, did)
  await world.ask('/v1/credentials/web-semantic/sign', { token: world.token, body: { payload: {} } })
  const { page, complaints, close } = await openConsole(world, await memberOf(world, 'auditor'))
  const figure = (text: string) => page.textContent(`tr:has(a:text-is("${text}")) td:nth-child(2)`)
  t.is(await figure('Single credentials that were signed'), '2')
  t.is(await figure('Requests to sign one that failed'), '1')
  t.is(await figure('Webhook deliveries that succeeded'), '0')
  await page.click('a:text-is("Single credentials that were signed")')
  await page.waitForURL('**/console/log?type=*')
  await settled(page)
  t.is(await page.locator('td code:text-is("CREDENTIAL_WEB_SEMANTIC_SIGN_SUCCESS")').count(), 2)
  t.deepEqual(complaints, [])
  await close()
})

test('a role that reads neither log nor webhooks has no figures of the day', async (t) => {
  const { page, close } = await openConsole(world, await memberOf(world, 'verifier'))
  await page.waitForSelector('h2:text-is("Figures")')
  t.is(await page.locator('h2:text-is("The last 24 hours")').count(), 0)
  await close()
})

test('charts of the day say their sums in words, and have their numbers as tables', async (t) => {
  const { page, complaints, stopped, close } = await openConsole(world, await memberOf(world, 'auditor'))
  const label = await page.getAttribute('.chart svg[role=img]', 'aria-label')
  t.is(label, 'Signing by hour. succeeded: 2, failed: 1')
  t.is(await page.locator('.chart').count(), 3)
  await page.click('.chart:has-text("Signing") summary')
  t.is(await page.locator('.chart:has-text("Signing") tbody tr').count(), 24)
  t.is(await page.textContent('.chart:has-text("Signing") tbody tr:last-child td:nth-child(3)'), '1')
  t.deepEqual([complaints, await stopped()], [[], []])
  await close()
})
