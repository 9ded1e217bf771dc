import { randomUUID } from 'node:crypto'
import anyTest from 'ava'
import { createPlatform } from '../../activities/index.ts'
import { inTenant } from '../../entities/orm.ts'
import { closeBrowser, memberOf, openConsole, openPage, settled } from '../support/console/browser.ts'
import { createDid, payload, type Signed, sign } from '../support/credentials/credentials.ts'
import { until } from '../support/credentials/dids.ts'
import { openWorldBeside, type WorldBeside } from '../support/parts/elsewhere.ts'
import { needs } from '../support/parts.ts'
import { createReceiver, status } from '../support/receiver.ts'
import { webhooksOf } from '../support/webhooks.ts'
import type { World } from '../support/world.ts'

const test = needs('Chromium', anyTest.serial)

const receiver = createReceiver()
let beside: WorldBeside
let world: World
let did: string
anyTest.before(async () => {
  const env = { WEBHOOK_RETRY_SECONDS: '0.1,0.1,0.1', TEMPORAL_UI_PUBLIC_URL: 'https://ui.example/temporal/' }
  beside = await openWorldBeside('receiver.acme.test', receiver.listener, { workflows: true, env })
  world = beside.world
  did = await createDid(world)
})
anyTest.after.always(async () => {
  await closeBrowser()
  await beside?.close()
})

/** Right-to-left marks, markup, and more than a screen holds. */
const HOSTILE = '<img src=x onerror="globalThis.hit=1">\u202E\u200F"><script>globalThis.hit=1</script>'

async function signed(more: Record<string, unknown>, tag: string): Promise<Signed> {
  const body = { payload: payload(did, more), proofType: 'eddsa-rdfc-2022', revocable: true, suspendable: true, tag }
  const reply = await world.ask('/v1/credentials/web-semantic/sign', { token: world.token, body })
  if (reply.status !== 200) throw new Error(`not signed: ${reply.text}`)
  return reply.json<Signed>()
}

test('an issuer finds a credential, verifies it, revokes it and sees that it verifies no more', async (t) => {
  const { id } = await sign(world, did, { revocable: true, tag: 'journey' })
  const { page, complaints, stopped, close } = await openConsole(world, await memberOf(world, 'issuer'))
  await page.click('nav.main >> text=Credentials')
  await page.fill('input[name=tag]', 'journey')
  await page.click('search button[type=submit]')
  await page.waitForURL('**/console/credentials?tag=journey')
  await settled(page)
  t.is(await page.locator('tbody tr').count(), 1)
  await page.fill('input[name=subject]', 'did:example:nobody')
  await page.click('search button[type=submit]')
  await page.waitForSelector('text=No credential fits')
  t.is(await page.locator('.empty details').count(), 0, 'no example where there are credentials')
  t.true(page.url().endsWith('/console/credentials?tag=journey'), 'a subject is in no address')
  await page.fill('input[name=subject]', '')
  await page.fill('input[name=templateId]', 'Master')
  await page.click('search button[type=submit]')
  await page.waitForSelector('main .failure:has-text("expected a UUID")')
  t.is(await page.locator('tbody tr').count(), 0, 'nothing of another question stands below an error')
  await page.fill('input[name=templateId]', '')
  await page.fill('input[name=subject]', 'did:example:holder')
  await page.click('search button[type=submit]')
  await page.waitForSelector(`tbody a[href$="${id}"]`)
  t.is(await page.locator('tbody tr').count(), 1)
  await page.click('tbody a')
  await page.waitForURL(`**/console/credentials/${id}`)
  await page.click('text=Verify now')
  await page.waitForSelector('text=Verified: every check passed')
  await page.click('button:text-is("Revoke")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForSelector('text=Done. The page shows the new state.')
  await settled(page)
  t.is((await page.textContent('dd .state'))?.trim(), 'revoked')
  await page.click('text=Verify now')
  await page.waitForSelector('.failure:has-text("Not verified")')
  t.regex((await page.textContent('[role=status] .failure')) ?? '', /Revoked.*The issuer has revoked the credential/)
  const verdict = await world.ask(`/v1/credentials/web-semantic/${id}/revocation-status`, { token: world.token })
  t.is(verdict.json<{ isRevoked: boolean }>().isRevoked, true, 'the platform says so too')
  await page.waitForSelector('td strong:text-is("credential.revoked")')
  t.deepEqual(
    (await page.locator('td strong').allTextContents()).filter((text) => text.startsWith('credential.')),
    ['credential.issued', 'credential.revoked'],
  )
  t.deepEqual([complaints, await stopped()], [[], []])
  await close()
})

test('a suspension begins and ends after a question, and Cancel changes nothing', async (t) => {
  const { id } = await signed({}, 'suspended')
  const { page, complaints, close } = await openConsole(world, await memberOf(world), `/console/credentials/${id}`)
  await page.click('button:text-is("Suspend")')
  await page.click('dialog[open] button:text-is("Cancel")')
  await page.click('button:text-is("Suspend")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForSelector('button:text-is("End the suspension")')
  await page.click('button:text-is("End the suspension")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForSelector('button:text-is("Suspend")')
  const timeline = await world.ask(`/v1/credentials/${id}/timeline`, { token: world.token })
  const types = timeline.json<{ data: { type: string }[] }>().data.map(({ type }) => type)
  t.deepEqual(
    types.filter((type) => /credential\.(un)?suspended/.test(type)),
    ['credential.suspended', 'credential.unsuspended'],
  )
  t.deepEqual(complaints, [])
  await close()
})

async function failedDelivery(path: string) {
  const webhooks = webhooksOf(world, world.token)
  receiver.script(`/${path}`, status(500))
  const webhook = await webhooks.created({ url: beside.urlOf(path), events: ['OpenIdCredentialIssued'] })
  const { webhookEvents } = createPlatform(world.dependencies)
  await inTenant(world.dependencies.database.tenants, world.first.tenantId, (em) =>
    webhookEvents.emitEvent(em, {
      id: randomUUID(),
      tenantId: world.first.tenantId,
      type: 'OpenIdCredentialIssued',
      payload: { format: 'ldp_vc' },
    }),
  )
  await until('the delivery to fail', async () => {
    const { deliveries } = (
      await world.ask(`/v1/webhooks/deliveries?webhookId=${webhook.id}`, { token: world.token })
    ).json<{ deliveries: { status: string }[] }>()
    return deliveries[0]?.status === 'FAILED'
  })
  return webhook
}

test('a delivery that failed is on the first page, shows its attempts, and is made again', async (t) => {
  const webhook = await failedDelivery('again')
  const { page, complaints, close } = await openConsole(world, await memberOf(world))
  await page.click('text=1 webhook delivery failed in the last day')
  await settled(page)
  await page.click(`a:has-text("${beside.urlOf('again')}")`)
  await page.waitForURL(`**/console/webhooks/${webhook.id}`)
  await settled(page)
  t.is((await page.textContent('summary:has-text("attempts")'))?.trim(), '4 attempts')
  await page.click('summary:has-text("attempts")')
  t.is(await page.locator('td ol li:has-text("Answer 500")').count(), 4)
  receiver.script('/again', status(200))
  await page.click('td button:text-is("Deliver again")')
  await until('the delivery', async () => {
    await page.click('button:text-is("Load again")')
    await settled(page)
    return (await page.locator('.state.good:text-is("delivered")').count()) === 1
  })
  t.is(receiver.at('/again').length, 5)
  t.is(await page.locator('tbody .state.bad').count(), 0, 'what was delivered again does not look broken')
  await page.waitForSelector('td a:text-is("delivered again at")')
  await page.click('text=Send a test event')
  await page.waitForSelector('text=The test event is under way.')
  await until('the test event', async () => receiver.at('/again').length === 6)
  await page.click('nav.main a:text-is("Home")')
  await settled(page)
  t.is(await page.locator('text=failed in the last day').count(), 0, 'nor does it need attention any more')
  t.deepEqual(complaints, [])
  await close()
})

test('whatever a credential holds is text: markup, right-to-left marks, 10,000 characters', async (t) => {
  const long = 'ä'.repeat(10_000)
  const markup = HOSTILE.replaceAll(/[\u202E\u200F]/g, '') // names with marks of direction are refused
  const { id } = await signed(
    {
      name: markup,
      issuer: { id: did, name: markup },
      credentialSubject: { id: 'javascript:globalThis.hit=1', course: [HOSTILE, long] },
    },
    HOSTILE.slice(0, 60),
  )
  const { page, complaints, stopped, close } = await openConsole(world, await memberOf(world), '/console/credentials')
  t.true((await page.textContent('tbody'))?.includes(HOSTILE.slice(0, 60)), 'the tag is there, as text')
  await page.goto(`${world.url}/console/credentials/${id}`)
  await settled(page)
  await page.click('summary:text-is("JSON")')
  const shown = (await page.textContent('details:has(> summary:text-is("JSON")) pre')) ?? ''
  t.true(shown.includes(long) && shown.includes(JSON.stringify(HOSTILE)), 'all of it can be read')
  t.is(await page.evaluate('globalThis.hit'), undefined)
  t.is(await page.locator('main img, main script, main [href^="javascript:"]').count(), 0)
  t.true(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'))
  t.deepEqual([complaints, await stopped()], [[], []])
  await close()
})

test('the keyboard alone opens a credential and revokes it, and the focus comes back', async (t) => {
  const { id } = await signed({}, 'keyboard')
  const account = await memberOf(world)
  const { page, close } = await openPage(world, '/console/credentials?tag=keyboard')
  const focused = () =>
    page.evaluate<string>('document.activeElement.textContent.trim() || document.activeElement.name')
  const tabTo = async (text: string) => {
    for (let at = 0; at < 60; at++) {
      await page.keyboard.press('Tab')
      if ((await focused()) === text) return
    }
    t.fail(`no way to ${text} by keys`)
  }
  // a new page gives the focus to its heading, a moment after it is there
  await page.waitForSelector('h1:focus')
  await tabTo('email')
  await page.keyboard.type(account.email)
  await tabTo('password')
  await page.keyboard.type(account.password)
  await page.keyboard.press('Enter')
  await page.waitForSelector('tbody tr')
  await settled(page)
  await tabTo('VerifiableCredential')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/console/credentials/${id}`)
  await settled(page)
  t.is(await focused(), 'Credential', 'the heading of the new page has the focus')
  await tabTo('Revoke')
  await page.keyboard.press('Enter')
  await page.waitForSelector('dialog[open]')
  await page.keyboard.press('Escape')
  t.is(await page.locator('dialog[open]').count(), 0)
  t.is(await focused(), 'Revoke', 'the focus comes back to the button')
  await page.keyboard.press('Enter')
  await tabTo('Revoke')
  await page.keyboard.press('Enter')
  await page.waitForSelector('text=Done. The page shows the new state.')
  await close()
})
