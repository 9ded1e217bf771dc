import { randomUUID } from 'node:crypto'
import anyTest from 'ava'
import { createPlatform } from '../../../activities/index.ts'
import { inTenant } from '../../../entities/orm.ts'
import { loseAnswer, UNANSWERED } from '../../support/console/answers.ts'
import { looksRight, type NamedPage } from '../../support/console/appearance.ts'
import { closeBrowser, memberOf, openConsole, settled } from '../../support/console/browser.ts'
import { until } from '../../support/credentials/dids.ts'
import { openWorldBeside, type WorldBeside } from '../../support/parts/elsewhere.ts'
import { needs } from '../../support/parts.ts'
import { answer, createReceiver, status } from '../../support/receiver.ts'
import { webhooksOf } from '../../support/webhooks.ts'
import type { World } from '../../support/world.ts'

const test = needs('Chromium', anyTest.serial)

const EVENTS = ['OpenIdCredentialIssued']
const HOSTILE = '<img src=x onerror="globalThis.hit=1"> no room'

const receiver = createReceiver()
let beside: WorldBeside
let world: World
let pages: NamedPage[]
anyTest.before(async () => {
  beside = await openWorldBeside('receiver.acme.test', receiver.listener, {
    workflows: true,
    env: { WEBHOOK_RETRY_SECONDS: '0.1,0.1,0.1' },
  })
  world = beside.world
  const { webhookId, deliveryId } = await failedDeliveries('pages', 1)
  pages = [
    ['webhooks', '/webhooks'],
    ['webhook-new', '/webhooks/new'],
    ['webhook', `/webhooks/${webhookId}`],
    ['webhook-edit', `/webhooks/${webhookId}/edit`],
    ['webhook-keys', '/webhooks/keys'],
    ['delivery', `/webhooks/deliveries/${deliveryId}`],
    ['delivery-none', `/webhooks/deliveries/${randomUUID()}`],
  ]
})
anyTest.after.always(async () => {
  await closeBrowser()
  await beside?.close()
})

const own = () => webhooksOf(world, world.token)

/** A webhook whose receiver refused every attempt of some events. */
async function failedDeliveries(path: string, count: number, behaviour = status(500)) {
  receiver.script(`/${path}`, behaviour)
  const webhook = await own().created({ url: beside.urlOf(path), events: EVENTS })
  const { webhookEvents } = createPlatform(world.dependencies)
  await inTenant(world.dependencies.database.tenants, world.first.tenantId, async (em) => {
    for (let nth = 0; nth < count; nth += 1)
      await webhookEvents.emitEvent(em, {
        id: randomUUID(),
        tenantId: world.first.tenantId,
        type: 'OpenIdCredentialIssued',
        payload: { format: 'ldp_vc' },
      })
  })
  const failed = await until('the deliveries to fail', async () => {
    const { deliveries } = await own().deliveries(`?webhookId=${webhook.id}&status=FAILED`)
    return deliveries.length === count && deliveries
  })
  return { webhookId: webhook.id, deliveryId: failed[0]?.id ?? '' }
}

looksRight(
  test,
  () => world,
  () => pages,
)

test('a webhook is created with a secret that is shown once, edited, disabled, enabled and deleted', async (t) => {
  const { page, complaints, stopped, close } = await openConsole(world, await memberOf(world), '/console/webhooks')
  await page.click('text=New webhook')
  await page.fill('input[name=url]', 'https://192.0.2.1/hooks')
  await page.click('text=Create the webhook')
  await page.waitForSelector('.entry:has(input[name=url][aria-invalid]) .fault')
  await page.fill('input[name=url]', beside.urlOf('made'))
  await loseAnswer(page, '**/v1/webhooks')
  await page.click('text=Create the webhook')
  await page.waitForSelector(UNANSWERED)
  await page.click('text=Create the webhook')
  await page.waitForSelector('.success:focus:has-text("It is shown once")')
  const secret = (await page.textContent('.success code')) ?? ''
  t.regex(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  await page.click('text=Open the webhook')
  await settled(page)
  const id = page.url().split('/').at(-1) ?? ''
  const read = async () =>
    (await own().read(id)).json<{ url: string; events: string[]; disabled: boolean; hasSecret: boolean }>()
  const { webhooks } = await own().list()
  t.is(webhooks.filter(({ url }) => url === beside.urlOf('made')).length, 1, 'a lost answer makes no second one')
  t.like(await read(), { url: beside.urlOf('made'), events: EVENTS, disabled: false, hasSecret: true })
  t.false((await page.content()).includes(secret), 'the page of the webhook has no secret')

  await page.click('main a:text-is("Edit")')
  await page.fill('input[name=url]', beside.urlOf('moved'))
  await page.check('input[value=OidcIssuerCredentialIssued]')
  await page.selectOption('select[name=way]', 'none')
  await page.click('button:text-is("Save")')
  await page.waitForURL(`**/console/webhooks/${id}`)
  t.like(await read(), { url: beside.urlOf('moved'), hasSecret: false, disabled: false })
  t.is((await read()).events.length, 2)

  await page.click('button:text-is("Disable")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForSelector('text=The webhook is disabled.')
  t.true((await read()).disabled)
  await page.click('button:text-is("Enable")')
  await page.waitForSelector('text=The webhook is enabled.')
  t.false((await read()).disabled)

  await page.click('button:text-is("Delete")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForURL('**/console/webhooks')
  t.is((await own().read(id)).status, 404)
  t.deepEqual([complaints, await stopped()], [[], []])
  await close()
})

test('a secret of one’s own that is no key is refused, and a good one signs', async (t) => {
  const { page, close } = await openConsole(world, await memberOf(world), '/console/webhooks/new')
  await page.fill('input[name=url]', beside.urlOf('own-secret'))
  await page.selectOption('select[name=way]', 'own')
  await page.fill('input[name=secret]', 'too short')
  await page.click('text=Create the webhook')
  await page.waitForSelector('.entry:has(input[name=secret]) .fault')
  await page.fill('input[name=secret]', 'a-secret-of-one’s-own'.replaceAll('’', '-'))
  await page.click('text=Create the webhook')
  await page.waitForSelector('.success code:text-is("a-secret-of-one-s-own")')
  await page.click('text=Open the webhook')
  await settled(page)
  await page.click('text=Send a test event')
  const [sent] = await until(
    'the test event',
    async () => receiver.at('/own-secret').length > 0 && receiver.at('/own-secret'),
  )
  t.regex(sent?.headers['webhook-signature'] ?? '', /^v1,/)
  await close()
})

test('one delivery is a page with its attempts, and is made again as another delivery of the same event', async (t) => {
  const { webhookId, deliveryId } = await failedDeliveries('one', 1, answer(500, 'text/html', HOSTILE))
  const { page, complaints, close } = await openConsole(world, await memberOf(world), `/console/webhooks/${webhookId}`)
  await page.click('td a:text-is("OpenIdCredentialIssued")')
  await page.waitForURL(`**/console/webhooks/deliveries/${deliveryId}`)
  await settled(page)
  const before = await own().delivery(deliveryId)
  t.is(await page.locator('tbody tr:has-text("500")').count(), 4)
  const headers = (await page.textContent('section[aria-label="Headers"] pre'))?.split('\n')
  t.true(headers?.includes(`webhook-id: ${before.eventId}`), headers?.join())
  await page.click('summary:text-is("Body")')
  const shown = JSON.parse((await page.textContent('section[aria-label="Body"] pre')) ?? '')
  t.deepEqual(shown, JSON.parse(receiver.at('/one').at(-1)?.body.toString() ?? ''), 'the body as it was sent last')
  await page.locator('summary:text-is("Response")').first().click()
  t.is(await page.textContent('section[aria-label="Response 1"] pre'), HOSTILE, 'markup of a receiver is text')
  t.is(receiver.at('/one')[0]?.headers['webhook-id'], before.eventId, 'as it was sent')
  receiver.script('/one', status(200))
  await page.click('button:text-is("Deliver again")')
  await page.waitForURL((url) => !url.pathname.endsWith(deliveryId))
  const again = page.url().split('/').at(-1) ?? ''
  t.like(await own().ended(again), { status: 'DELIVERED', eventId: before.eventId })
  await page.click('button:text-is("Load again")')
  await page.waitForSelector('dd .state.good:text-is("delivered")')
  await page.goto(`${world.url}/console/webhooks/${webhookId}`)
  const former = `tbody tr:has(a[href$="${deliveryId}"])`
  await page.waitForSelector(`${former} a[href$="${again}"]:text-is("delivered again at")`)
  t.is(await page.locator(`${former} .state.bad, ${former} button:text-is("Deliver again")`).count(), 0)
  await page.goto(`${world.url}/console/webhooks/deliveries/${deliveryId}`)
  await page.waitForSelector(`dd a[href$="${again}"]:text-is("delivered again at")`)
  t.deepEqual(complaints, [])
  await close()
})

test('all that failed since a time is delivered again, and nothing that failed before', async (t) => {
  const { webhookId } = await failedDeliveries('all', 3)
  receiver.script('/all', status(200))
  const { page, close } = await openConsole(world, await memberOf(world), `/console/webhooks/${webhookId}`)
  const since = async (at: string) => {
    await page.click('button:text-is("Deliver all failed again")')
    await page.fill('dialog[open] input[name=since]', at)
    await page.click('dialog[open] button[type=submit]')
  }
  await since('2099-01-01T00:00')
  await page.waitForSelector('[role=status]:has-text("No delivery is made again"):has-text("“Ended”")')
  await page.click('button:text-is("Deliver all failed again")')
  t.not(await page.inputValue('dialog[open] input[name=since]'), '2099-01-01T00:00', 'the question begins anew')
  await page.waitForSelector('dialog[open] label:text-is("Last attempt failed since")')
  await page.click('dialog[open] button:text-is("Cancel")')
  t.is(await page.locator('tbody td[data-heading=Ended] time').count(), 3, 'the list has what the span means')
  t.is(receiver.at('/all').length, 12)
  const before = async (at: string) => {
    await page.click('button:text-is("Deliver all failed again")')
    await page.fill('dialog[open] input[name=since]', '2020-01-01T00:00')
    await page.fill('dialog[open] input[name=until]', at)
    await page.click('dialog[open] button[type=submit]')
  }
  await before('2019-01-01T00:00')
  await page.waitForSelector('dialog[open] .failure:has-text("until")')
  await page.click('dialog[open] button:text-is("Cancel")')
  await page.click('button:text-is("Deliver all failed again")')
  t.is(await page.locator('dialog[open] .failure').count(), 0, 'what was refused before is gone')
  await page.click('dialog[open] button:text-is("Cancel")')
  const redeliveries = page.waitForResponse((reply) => reply.url().endsWith('/redeliver'))
  await before('2020-01-02T00:00')
  t.deepEqual(await (await redeliveries).json(), { redelivered: 0, more: false })
  t.is(receiver.at('/all').length, 12)
  await page.reload()
  await settled(page)
  await since('2020-01-01T00:00')
  await page.waitForSelector('text=3 deliveries are made again.')
  await until('the deliveries', async () => receiver.at('/all').length === 15)
  await close()
})

test('an auditor reads webhooks, deliveries and keys, and has no button that changes them', async (t) => {
  const { webhookId, deliveryId } = await failedDeliveries('audited', 1)
  const { page, close } = await openConsole(world, await memberOf(world, 'auditor'), `/console/webhooks/${webhookId}`)
  const buttons = async () => (await page.locator('main button').allTextContents()).map((text) => text.trim())
  t.deepEqual([...new Set(await buttons())].sort(), ['Copy', 'Load again', 'Next', 'Previous'])
  t.is(await page.locator('main a:text-is("Edit")').count(), 0)
  await page.goto(`${world.url}/console/webhooks/deliveries/${deliveryId}`)
  await settled(page)
  t.false((await buttons()).includes('Deliver again'))
  await page.goto(`${world.url}/console/webhooks/new`)
  await page.waitForSelector('text=Your role may not open this page')
  await page.goto(`${world.url}/console/webhooks/keys`)
  await settled(page)
  const { keys } = (await world.ask('/v1/webhooks/jwks')).json<{ keys: { kid: string }[] }>()
  t.deepEqual(
    await page.locator('tbody td:first-child').allTextContents(),
    keys.map(({ kid }) => kid),
  )
  await close()
})
