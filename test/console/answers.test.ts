import anyTest from 'ava'
import { closeBrowser, memberOf, openConsole, settled } from '../support/console/browser.ts'
import { gate } from '../support/console/gate.ts'
import { createDid, sign } from '../support/credentials/credentials.ts'
import { needs } from '../support/parts.ts'
import { createWebhook, webhooksOf } from '../support/webhooks.ts'
import { openWorld, type World } from '../support/world.ts'

const test = needs('Chromium', anyTest.serial)

// no worker: what pages do while answers are late, or do not come
let world: World
anyTest.before(async () => {
  world = await openWorld()
  const did = await createDid(world)
  for (const tag of ['early', 'late']) await sign(world, did, { tag })
})
anyTest.after.always(async () => {
  await closeBrowser()
  await world?.close()
})

test('the answer to an earlier question that comes last is not shown', async (t) => {
  const { page, complaints, close } = await openConsole(world, await memberOf(world), '/console/credentials')
  const { open, opened } = gate()
  await page.route('**/v1/credentials?*tag=early*', async (route) => {
    await opened
    await route.continue()
  })
  const search = async (tag: string) => {
    await page.fill('search input[name=tag]', tag)
    await page.click('search button[type=submit]')
  }
  await search('early')
  await page.waitForURL('**/console/credentials?tag=early')
  await search('late')
  await page.waitForURL('**/console/credentials?tag=late')
  await settled(page)
  const tags = () => page.locator('tbody td:nth-child(4)').allTextContents()
  t.deepEqual(await tags(), ['late'])
  const answer = page.waitForResponse((response) => response.url().includes('tag=early'))
  open()
  await (await answer).finished()
  await page.waitForTimeout(200)
  t.deepEqual(await tags(), ['late'])
  t.deepEqual(complaints, [])
  await close()
})

test('rows stay while the platform cannot be reached, beside the reason, which goes when it answers again', async (t) => {
  const { id } = await createWebhook(world, world.token)
  await webhooksOf(world, world.token).test(id)
  const { page, context, close } = await openConsole(world, await memberOf(world), `/console/webhooks/${id}`)
  const rows = page.locator('section[aria-label="Deliveries"] tbody tr')
  t.is(await rows.count(), 1)
  await context.setOffline(true)
  await page.click('button:text-is("Load again")')
  await page.waitForSelector('[role=alert] strong:text-is("The platform cannot be reached")')
  t.is(await rows.count(), 1)
  await context.setOffline(false)
  await page.click('button:text-is("Load again")')
  await page.waitForSelector('[role=alert]', { state: 'detached' })
  t.is(await rows.count(), 1)
  await close()
})

test('a page number that is none is the first page', async (t) => {
  const { page, close } = await openConsole(world, await memberOf(world))
  for (const number of ['none', '0', '-1', '1.5', '1e400']) {
    await page.goto(`${world.url}/console/credentials?page=${number}`)
    await settled(page)
    t.regex((await page.textContent('nav.paging [role=status]')) ?? '', /^Page 1 of 1/, number)
  }
  await close()
})

test('a link that is pressed with Control opens in another tab, and the page stays', async (t) => {
  const { page, context, close } = await openConsole(world, await memberOf(world))
  const [tab] = await Promise.all([
    context.waitForEvent('page'),
    page.click('nav.main a:text-is("DIDs")', { modifiers: ['Control'] }),
  ])
  await tab.waitForURL('**/console/dids', { waitUntil: 'commit' })
  t.is(page.url(), `${world.url}/console`)
  await close()
})
