import anyTest from 'ava'
import { closeBrowser, logIn, memberOf, openConsole, openPage, settled } from '../support/console/browser.ts'
import { createDid, sign } from '../support/credentials/credentials.ts'
import { createIaca, createSigner } from '../support/credentials/mobile.ts'
import { needs } from '../support/parts.ts'
import { createWebhook } from '../support/webhooks.ts'
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

test('a verification of a presentation counts as one of a credential does', async (t) => {
  const body = { presentation: {} }
  const refused = await world.ask('/v1/credentials/web-semantic/presentations/verify', { token: world.token, body })
  t.is(refused.status, 400, refused.text)
  const { page, close } = await openConsole(world, await memberOf(world, 'auditor'))
  t.is(await page.textContent('tr:has(a:text-is("Verifications that could not be made")) td:nth-child(2)'), '1')
  await close()
})

test('what failed before the last day needs no attention', async (t) => {
  const { id } = await createWebhook(world, world.token)
  const failed = (age: string) =>
    world.dependencies.systemSql.query({
      text: `with event as (
          insert into webhook_events (id, tenant_id, type) select gen_random_uuid(), tenant_id, 'WebhookTest'
          from webhooks where id = $1 returning id, tenant_id)
        insert into webhook_deliveries (id, tenant_id, webhook_id, event_id, event_type, state, attempts, created_at, ended_at)
        select gen_random_uuid(), tenant_id, $1, id, 'WebhookTest', 'FAILED', '[]', now() - $2::interval, now() from event`,
      values: [id, age],
    })
  await failed('23 hours')
  for (const age of ['25 hours', '10 days']) await failed(age)
  const { page, close } = await openConsole(world, await memberOf(world))
  await page.waitForSelector('.attention a:text-is("1 webhook delivery failed in the last day")')
  t.pass()
  await close()
})

test('a paused batch is found behind newer ones, and what was not looked at is said', async (t) => {
  const { page, close } = await openPage(world)
  await page.route('**/v1/credentials/batches?*', async (route) => {
    const status = new URL(route.request().url()).searchParams.get('status')
    const paused = { id: 'b1', status, paused: { code: 'keys.unavailable', message: 'The key store is away.' } }
    const waiting = { id: 'b2', status, waiting: { part: 'keys', since: '2027-01-30T09:00:00Z' } }
    const data = status === 'PAUSED' ? [paused] : status === 'PROCESSING' ? [waiting] : []
    await route.fulfill({ json: { data, limit: 100, total_count: 200, total_pages: 2 } })
  })
  await page.route('**/v1/dids?*', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ json: { ...((await response.json()) as object), totalCount: 101 } })
  })
  await logIn(page, await memberOf(world))
  await page.waitForSelector('.attention li:has(a[href$="/batches/b1"]):has-text("The key store is away.")')
  await page.waitForSelector('.attention a[href$="/batches/b2"]')
  await page.waitForSelector('p:text-is("Only the newest 100 of 101 were looked at: DIDs.")')
  t.pass()
  await close()
})

test('a document signer needs attention 30 days before it ends, and not before', async (t) => {
  await createIaca(world)
  const signerId = await createSigner(world)
  const path = `/v1/credentials/mobile/document-signers/${signerId}`
  const { certificateData } = (await world.ask(path, { token: world.token })).json<{
    certificateData: { notAfter: string }
  }>()
  const DAY_MS = 86_400_000
  const shown = async (days: number) => {
    const { page, close } = await openPage(world)
    // the clock of the reader: it is the certificate’s own end that comes near
    await page.clock.setFixedTime(Date.parse(certificateData.notAfter) - days * DAY_MS)
    await page.reload()
    await logIn(page, await memberOf(world))
    await settled(page)
    const texts = await page.locator('.attention a:has-text("document signer")').allTextContents()
    await close()
    return texts
  }
  t.deepEqual(await shown(31.5), [])
  t.deepEqual(await shown(30.5), ['A document signer ends in 30 days'])
  t.deepEqual(await shown(1.5), ['A document signer ends in 1 day'])
})
