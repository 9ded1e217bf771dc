import anyTest from 'ava'
import { looksRight, type NamedPage } from '../support/console/appearance.ts'
import {
  closeBrowser,
  memberOf,
  openConsole,
  openPage,
  picture,
  settled,
  violationsOf,
} from '../support/console/browser.ts'
import { signCompact, signCompactSemantic } from '../support/credentials/compact.ts'
import { createDid, sign } from '../support/credentials/credentials.ts'
import { createIaca, createSigner } from '../support/credentials/mobile.ts'
import { needs } from '../support/parts.ts'
import { createWebhook } from '../support/webhooks.ts'
import { openWorld, type World } from '../support/world.ts'

const test = needs('Chromium', anyTest.serial)

// no worker: what is shown is there without one
let world: World
let pages: NamedPage[]
anyTest.before(async () => {
  world = await openWorld()
  const did = await createDid(world, 'ed25519', world.token, true)
  const { id } = await sign(world, did, { revocable: true, tag: 'semester-2026' })
  await signCompact(world, { iss: did, course: 'CS-101' }, { revocable: true })
  await signCompactSemantic(world, did)
  await createIaca(world)
  await createSigner(world)
  const webhook = await createWebhook(world, world.token)
  await world.ask(`/v1/webhooks/${webhook.id}/test`, { method: 'POST', token: world.token })
  await world.ask(`/v1/credentials/web-semantic/${id}/revocation-status`, {
    token: world.token,
    body: { is_revoked: true },
  })
  pages = [
    ['home', ''],
    ['credentials', '/credentials'],
    ['no-credentials', '/credentials?tag=none'],
    ['refused', '/credentials?templateId=none'],
    ['credential', `/credentials/${id}`],
    ['webhooks', '/webhooks'],
    ['webhook', `/webhooks/${webhook.id}`],
    ['dids', '/dids'],
    ['did', `/dids/${encodeURIComponent(did)}`],
    ['log', '/log'],
    ['not-found', '/nothing'],
  ]
})
anyTest.after.always(async () => {
  await closeBrowser()
  await world?.close()
})

looksRight(
  test,
  () => world,
  () => pages,
)

test('the page of the login is accessible, in both languages and on both screens', async (t) => {
  for (const options of [
    { locale: 'de-DE', viewport: { width: 360, height: 800 } },
    { locale: 'en-GB', viewport: { width: 1440, height: 800 }, colorScheme: 'dark' as const },
  ]) {
    const { page, close } = await openPage(world, '/console', options)
    await page.waitForSelector('h1')
    await picture(page, `console-login-${options.viewport.width}`)
    t.deepEqual(await violationsOf(page), [])
    await close()
  }
})

test('the dialog is accessible, and what is opened on a page too', async (t) => {
  const { page, close } = await openConsole(world, await memberOf(world), `/console${pages[4]?.[1]}`)
  for (const summary of await page.locator('main summary').all()) await summary.click()
  t.deepEqual(await violationsOf(page), [])
  await picture(page, 'console-credential-opened')
  await page.click('text=Take the revocation back')
  t.deepEqual(await violationsOf(page), [])
  await picture(page, 'console-dialog')
  await close()
})

test('the language is the browser’s, and the reader chooses another one on every page', async (t) => {
  const { page, context, close } = await openConsole(world, await memberOf(world), '/console', { locale: 'de-AT' })
  t.is(await page.textContent('h1'), 'Was Aufmerksamkeit braucht')
  await page.locator('header select').last().selectOption('en')
  await page.waitForSelector('html[lang=en]')
  t.is(await page.textContent('h1'), 'What needs attention')
  await page.reload()
  await page.waitForSelector('h1:text-is("What needs attention")')
  t.is(await page.evaluate('document.documentElement.lang'), 'en', 'it outlives a new load')
  t.is(await page.evaluate('document.cookie'), 'language=en')
  const { path, sameSite, value, expires = 0 } = (await context.cookies()).find(({ name }) => name === 'language') ?? {}
  t.deepEqual([path, sameSite, value], ['/console', 'Strict', 'en'])
  t.true(expires * 1000 > Date.now() + 300 * 86_400_000, 'for a year')
  await close()
})

test('an error has its title in the reader’s language, and what the platform says is marked as English', async (t) => {
  const path = '/console/credentials/00000000-0000-4000-8000-000000000000'
  const { page, close } = await openConsole(world, await memberOf(world), path, { locale: 'de-DE' })
  await page.waitForSelector('[role=alert] strong:text-is("Diesen Nachweis gibt es nicht")')
  t.regex((await page.textContent('[role=alert] p[lang=en]')) ?? '', /\w/)
  await page.context().setOffline(true)
  await page.click('header >> text=Abmelden')
  await page.waitForSelector('[role=alert] strong:text-is("Die Plattform ist nicht erreichbar")')
  await close()
})

test('a time is in the reader’s zone, with UTC beside it', async (t) => {
  const { page, close } = await openConsole(world, await memberOf(world), '/console/credentials', {
    timezoneId: 'Asia/Kathmandu',
  })
  const at = (await page.getAttribute('tbody time', 'datetime')) ?? ''
  const shown = (await page.textContent('tbody time')) ?? ''
  const clock = (timeZone: string) =>
    new Date(at).toLocaleTimeString('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' })
  t.true(shown.includes(clock('Asia/Kathmandu')), shown)
  t.true(shown.includes(clock('UTC')) && shown.endsWith('UTC'), shown)
  await close()
})

test('a long list turns its pages in place', async (t) => {
  const did = await createDid(world)
  for (let at = 0; at < 30; at++) await sign(world, did, { tag: 'many' })
  const { page, close } = await openConsole(world, await memberOf(world), '/console/credentials?tag=many')
  t.regex((await page.textContent('nav.paging [role=status]')) ?? '', /Page 1 of 2 · 30 in total/)
  const first = await page.locator('tbody a').first().getAttribute('href')
  await page.click('nav.paging button:text-is("Next")')
  await page.waitForSelector('text=Page 2 of 2')
  await settled(page)
  t.is(await page.locator('tbody tr').count(), 5)
  t.regex(page.url(), /tag=many&page=2$/)
  await page.goBack()
  await page.waitForSelector('text=Page 1 of 2')
  await settled(page)
  t.is(await page.locator('tbody a').first().getAttribute('href'), first)
  await close()
})
