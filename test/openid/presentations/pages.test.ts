import anyTest from 'ava'
import type { Page } from 'playwright-core'
import { inTenant } from '../../../entities/orm.ts'
import { closeBrowser, picture, violationsOf } from '../../support/console/browser.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { inBrowserAnswer, openRequestPage, openShop } from '../../support/openid/pages.ts'
import { openSdJwt } from '../../support/openid/presenting.sd-jwt.ts'
import { wallet } from '../../support/openid/presenting.ts'
import { type ReadRequest, requestsOf } from '../../support/openid/requests.ts'
import { qrLink } from '../../support/openid/verifiers.ts'
import { needs } from '../../support/parts.ts'
import { openWorld, type World } from '../../support/world.ts'

const test = needs('Chromium', anyTest.serial)

let world: World
let requests: ReturnType<typeof requestsOf>
let held: Awaited<ReturnType<typeof openSdJwt>>
let shop: Awaited<ReturnType<typeof openShop>>
anyTest.before(async () => {
  world = await openWorld()
  shop = await openShop()
  requests = requestsOf(world, await createDid(world, 'p256'))
  held = await openSdJwt(world, { issuer_did: await createDid(world, 'p256', world.token, true) })
})
anyTest.after.always(async () => {
  await closeBrowser()
  await shop?.close()
  await world?.close()
})

const FRAME = { given_name: true }

/** Where the page leads with a code. */
const ledBack = ({ href }: URL): boolean => href.startsWith(`${shop.redirectUri}&response_code=`)
const createPage = () => requests.createPage({ redirectUri: shop.redirectUri })

const htmlOf = async (page: Page) => ({ text: await page.content() }) as Parameters<typeof qrLink>[0]
const sameLinkOf = async (page: Page): Promise<string> =>
  (await page.getByRole('link', { name: 'Open your wallet' }).getAttribute('href')) ?? ''
const statusOf = (page: Page) => page.locator('[role=status]').textContent()

/** What the verifier reads with the code that its page was opened with. */
async function redeemed(id: string, page: Page): Promise<ReadRequest> {
  const code = new URL(page.url()).searchParams.get('response_code') ?? ''
  const reply = await requests.redeem(id, code)
  if (reply.status !== 200) throw new Error(reply.text)
  return reply.json<ReadRequest>()
}

test('where the browser has the Digital Credentials API, it asks a wallet, and the page leads back with what only it has', async (t) => {
  const { id, pageUri } = await createPage()
  const origins: (string[] | undefined)[] = []
  const opened = await openRequestPage(world, pageUri, {
    async inBrowser(request) {
      origins.push(request.expected_origins)
      const { origin } = new URL(world.url)
      return inBrowserAnswer(request, await held.present({ ...request, client_id: `origin:${origin}` }, FRAME))
    },
  })
  const { page, complaints } = opened
  t.is(await page.title(), 'Present to The bookshop')
  await page.click('#ask')
  await page.waitForURL(ledBack)
  t.deepEqual(origins, [[new URL(world.url).origin]])
  t.like(await requests.read(id), { state: 'VERIFIED', needsResponseCode: true, credentials: [] })
  t.is((await redeemed(id, page)).credentials[0]?.claims?.given_name, 'Ada')
  t.deepEqual([complaints, await opened.stopped()], [[], []])
  await opened.close()
})

test('who closes the browser’s dialog may take another way; a wallet that declines ends the request', async (t) => {
  const { id, pageUri } = await createPage()
  const answers = [undefined, { error: 'access_denied' }]
  const { page, complaints, close } = await openRequestPage(world, pageUri, { inBrowser: async () => answers.shift() })
  await page.waitForSelector('details:not([open])')
  await page.click('#ask')
  await page.waitForSelector('details[open]')
  t.is(await statusOf(page), 'Nothing was presented. Try again, or take another way below.')
  t.is((await requests.read(id)).state, 'PENDING')
  await page.click('#ask')
  await page.getByText('Your wallet declined').waitFor()
  t.like(await requests.read(id), { state: 'REFUSED', failureCode: 'openid_presentation.declined' })
  await page.getByRole('button', { name: 'Go back to The bookshop' }).click()
  await page.waitForURL(shop.redirectUri)
  t.deepEqual(complaints, [])
  await close()
})

test('an answer that is not accepted is said, and another one may follow', async (t) => {
  const { id, pageUri } = await createPage()
  const { page, close } = await openRequestPage(world, pageUri, {
    inBrowser: async (request) => inBrowserAnswer(request, await held.present(request, FRAME)),
  })
  await page.click('#ask')
  await page.getByText('The last credential was not accepted').waitFor()
  t.like(await requests.read(id), { state: 'PENDING', failures: 1, failureCode: 'openid_presentation.refused' })
  const request = await wallet.readRequest(qrLink(await htmlOf(page)))
  t.is((await wallet.answer(request, await held.present(request, FRAME))).status, 200)
  await page.waitForURL(ledBack)
  await close()
})

test('where it has none, the page shows the code, and leads back when a wallet elsewhere has answered', async (t) => {
  const { id, pageUri } = await createPage()
  const { page, complaints, close } = await openRequestPage(world, pageUri)
  t.false(await page.locator('#ask').isVisible())
  const request = await wallet.readRequest(qrLink(await htmlOf(page)))
  t.deepEqual(await wallet.answer(request, await held.present(request, FRAME)), { status: 200, body: {} })
  await page.waitForURL(ledBack)
  t.is((await redeemed(id, page)).credentials[0]?.claims?.given_name, 'Ada')
  await page.goto(pageUri)
  await page.getByText('This request has ended.').waitFor()
  t.deepEqual(complaints, [])
  await close()
})

test('a wallet on the same device leads back to the browser of the page, and no other one gets the code', async (t) => {
  const { id, pageUri } = await createPage()
  const opened = await openRequestPage(world, pageUri)
  const request = await wallet.readRequest(await sameLinkOf(opened.page))
  const { body } = await wallet.answer(request, await held.present(request, FRAME))
  const back = new URL(String(body.redirect_uri))
  t.is(`${back.origin}${back.pathname}`, `${pageUri}/done`)
  await opened.page.getByText('Go on in your wallet').waitFor()
  const other = await openRequestPage(world, back.href)
  t.is(await other.page.locator('p').textContent(), 'This page was opened in another browser. Go on there.')
  await other.close()
  const tab = await opened.context.newPage()
  await tab.goto(`${pageUri}/done?return_code=another`)
  t.is(tab.url(), pageUri, 'another code leads nowhere')
  await tab.goto(back.href)
  t.true(ledBack(new URL(tab.url())))
  t.is((await redeemed(id, tab)).credentials[0]?.claims?.given_name, 'Ada')
  await opened.close()
})

test('a second browser sees that the page is another one’s, and gets nothing of it', async (t) => {
  const { id, pageUri } = await createPage()
  const first = await openRequestPage(world, pageUri)
  const second = await openRequestPage(world, pageUri, { locale: 'de-DE' })
  t.is(
    await second.page.locator('p').textContent(),
    'Diese Seite wurde in einem anderen Browser geöffnet. Gehen Sie dort weiter.',
  )
  t.is(await second.page.locator('a, form, img').count(), 0)
  const request = await wallet.readRequest(qrLink(await htmlOf(first.page)))
  t.is((await wallet.answer(request, await held.present(request, FRAME))).status, 200)
  for (const path of ['', '/state', '/done', '/browser-request']) {
    const reply = await second.context.request.get(`${pageUri}${path}`, { maxRedirects: 0 })
    t.is(reply.status(), 403, path)
  }
  await first.page.waitForURL(ledBack)
  t.is((await redeemed(id, first.page)).state, 'VERIFIED')
  await first.close()
  await second.close()
})

test('without scripts the link is a link, and the page loads itself again until it leads back', async (t) => {
  const { pageUri } = await createPage()
  const { page, close } = await openRequestPage(world, pageUri, { javaScriptEnabled: false })
  t.regex(await sameLinkOf(page), /^openid4vp:/)
  const request = await wallet.readRequest(qrLink(await htmlOf(page)))
  t.is((await wallet.answer(request, await held.present(request, FRAME))).status, 200)
  await page.waitForURL(ledBack, { timeout: 20_000 })
  await close()
})

test('a person who goes back ends the request; one that has expired says so', async (t) => {
  const declined = await createPage()
  const opened = await openRequestPage(world, declined.pageUri)
  await opened.page.getByRole('button', { name: 'Go back to The bookshop' }).click()
  await opened.page.waitForURL(shop.redirectUri)
  t.like(await requests.read(declined.id), { state: 'REFUSED', failureCode: 'openid_presentation.declined' })
  await opened.close()
  const late = await createPage()
  const waiting = await openRequestPage(world, late.pageUri)
  await inTenant(world.dependencies.database.tenants, world.first.tenantId, (em) =>
    em.execute(`update openid_presentations set expires_at = now() - interval '1 minute' where id = '${late.id}'`),
  )
  await waiting.page.getByText('Nobody presented a credential in time.').waitFor()
  await waiting.close()
})

const HEARD = `- main:
  - heading "Nachweis für The bookshop" [level=1]
  - paragraph: The bookshop fragt nach einem Nachweis. Ihr Wallet zeigt, was es offenlegt, bevor Sie zustimmen.
  - status: Warten auf Ihr Wallet. Diese Seite geht von selbst weiter.
  - heading "Mit diesem Browser" [level=2]
  - button "Nachweis auswählen"
  - heading "Mit einem Wallet auf diesem Gerät" [level=2]
  - link "Wallet öffnen":
    - /url: openid4vp:…
  - group: Mit einem Wallet auf einem anderen Gerät
  - button "Zurück zu The bookshop"`

for (const [locale, colorScheme] of [
  ['de-DE', 'light'],
  ['en-GB', 'dark'],
] as const)
  test(`the page is accessible (axe-core), and no wider than a phone: ${locale}, ${colorScheme}`, async (t) => {
    const options = { locale, colorScheme, viewport: { width: 360, height: 740 } }
    const { pageUri } = await createPage()
    const ways = [{}, { inBrowser: async () => undefined }]
    for (const [at, way] of ways.entries()) {
      const { pageUri: own } = at === 0 ? { pageUri } : await createPage()
      const opened = await openRequestPage(world, own, { ...options, ...way })
      const { page } = opened
      if (at === 1) await page.waitForSelector('details:not([open])')
      t.deepEqual(await violationsOf(page), [])
      t.true(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'))
      t.is(await page.locator('html').getAttribute('lang'), locale.slice(0, 2))
      if (at === 1 && locale === 'de-DE')
        t.is((await page.locator('body').ariaSnapshot()).replace(/openid4vp:\S+/, 'openid4vp:…'), HEARD)
      await picture(page, `openid4vp-page-${at}-${colorScheme}`)
      t.deepEqual([opened.complaints, await opened.stopped()], [[], []])
      await opened.close()
    }
    const stranger = await openRequestPage(world, pageUri, options)
    t.deepEqual(await violationsOf(stranger.page), [])
    await stranger.close()
  })
