import anyTest from 'ava'
import { closeBrowser, memberOf, openConsole, settled } from '../../support/console/browser.ts'
import { needs } from '../../support/parts.ts'
import { createWebhook, type DeliveryAnswer, webhooksOf } from '../../support/webhooks.ts'
import { openWorld, type World } from '../../support/world.ts'

const test = needs('Chromium', anyTest.serial)

// no worker: a delivery stays as it is
let world: World
anyTest.before(async () => {
  world = await openWorld()
})
anyTest.after.always(async () => {
  await closeBrowser()
  await world?.close()
})

/** A webhook with deliveries of so many events, which all failed. */
async function failed(count: number): Promise<string> {
  const { id } = await createWebhook(world, world.token)
  await world.dependencies.systemSql.query({
    text: `with event as (
        insert into webhook_events (id, tenant_id, type) select gen_random_uuid(), tenant_id, 'OpenIdCredentialIssued'
        from webhooks, generate_series(1, $2::int) where id = $1 returning id, tenant_id)
      insert into webhook_deliveries (id, tenant_id, webhook_id, event_id, event_type, state, attempts, ended_at)
      select gen_random_uuid(), tenant_id, $1, id, 'OpenIdCredentialIssued', 'FAILED', '[]', now() from event`,
    values: [id, count],
  })
  return id
}

const elsewhere = { timezoneId: 'Asia/Kathmandu' }

test('what more failed than one request takes is delivered again by as many requests, in one act', async (t) => {
  const id = await failed(501)
  const { page, asked, complaints, close } = await openConsole(world, await memberOf(world), `/console/webhooks/${id}`)
  await page.click('button:text-is("Deliver all failed again")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForSelector('text=501 deliveries are made again.')
  t.is(asked.filter(({ path }) => path === `/v1/webhooks/${id}/redeliver`).length, 2)
  const { totalCount } = await webhooksOf(world, world.token).deliveries(`?webhookId=${id}&status=PENDING`)
  t.is(totalCount, 501)
  t.deepEqual(complaints, [])
  await close()
})

test('what is delivered again begins a week ago, in the reader’s zone', async (t) => {
  const id = await failed(1)
  const account = await memberOf(world)
  const { page, close } = await openConsole(world, account, `/console/webhooks/${id}`, elsewhere)
  await page.click('button:text-is("Deliver all failed again")')
  const shown = await page.inputValue('dialog[open] input[name=since]')
  const weekAgo = Date.now() - 7 * 86_400_000
  t.true(Math.abs(Date.parse(`${shown}:00+05:45`) - weekAgo) < 120_000, shown)
  await close()
})

test('a span of time that is typed is in the reader’s zone', async (t) => {
  const id = await failed(1)
  const account = await memberOf(world)
  const { page, close } = await openConsole(world, account, `/console/webhooks/${id}`, elsewhere)
  await page.click('button:text-is("Deliver all failed again")')
  await page.fill('dialog[open] input[name=since]', '2026-07-01T12:00')
  await page.fill('dialog[open] input[name=until]', '2026-07-01T13:30')
  const asked: unknown[] = []
  await page.route(`**/v1/webhooks/${id}/redeliver`, (route) => {
    asked.push(route.request().postDataJSON())
    return route.continue()
  })
  await page.click('dialog[open] button[type=submit]')
  await page.waitForSelector('text=No delivery is made again')
  t.deepEqual(asked, [{ since: '2026-07-01T06:15:00.000Z', until: '2026-07-01T07:45:00.000Z' }])
  const [filtered] = await Promise.all([
    page.waitForRequest((each) => each.url().includes('since=')),
    page.fill('.filters input[name=since]', '2026-07-01T12:00'),
  ])
  t.is(new URL(filtered.url()).searchParams.get('since'), '2026-07-01T06:15:00.000Z')
  await close()
})

test('another filter of deliveries begins on the first page', async (t) => {
  const id = await failed(26)
  const { page, close } = await openConsole(world, await memberOf(world), `/console/webhooks/${id}`)
  await page.click('nav.paging button:text-is("Next")')
  await page.waitForSelector('text=Page 2 of 2')
  await settled(page)
  const rows = page.locator('section[aria-label="Deliveries"] tbody tr')
  t.is(await rows.count(), 1)
  await page.selectOption('.filters select[name=status]', 'FAILED')
  await page.waitForSelector('text=Page 1 of 2')
  await settled(page)
  t.is(await rows.count(), 25)
  await close()
})

test('a delivery under way has no button that would make another one', async (t) => {
  const { id } = await createWebhook(world, world.token)
  const delivery = (await webhooksOf(world, world.token).test(id)).json<DeliveryAnswer>()
  const account = await memberOf(world)
  const { page, close } = await openConsole(world, account, `/console/webhooks/deliveries/${delivery.id}`)
  await page.waitForSelector('dd .state:text-is("under way")')
  t.is(await page.locator('main button:text-is("Deliver again")').count(), 0)
  await page.goto(`${world.url}/console/webhooks/${id}`)
  await settled(page)
  t.is(await page.locator('main td button:text-is("Deliver again")').count(), 0)
  await close()
})

test('a question that is asked again begins without the refusal of the last time', async (t) => {
  const id = await failed(1)
  const { page, close } = await openConsole(world, await memberOf(world), `/console/webhooks/${id}`)
  await page.click('button:text-is("Deliver all failed again")')
  await page.fill('dialog[open] input[name=until]', '2019-01-01T00:00')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForSelector('dialog[open] .failure')
  await page.click('dialog[open] button:text-is("Cancel")')
  await page.click('button:text-is("Deliver all failed again")')
  await page.waitForSelector('dialog[open]')
  t.is(await page.locator('dialog .failure').count(), 0)
  await close()
})
