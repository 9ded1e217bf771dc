import { readFileSync } from 'node:fs'
import anyTest from 'ava'
import { closeBrowser, memberOf, openConsole, picture, settled, violationsOf } from '../support/console/browser.ts'
import { verifyCompact } from '../support/credentials/compact.ts'
import { until } from '../support/credentials/dids.ts'
import { openWorldBeside, type WorldBeside } from '../support/parts/elsewhere.ts'
import { needs } from '../support/parts.ts'
import { createReceiver, status } from '../support/receiver.ts'
import type { World } from '../support/world.ts'

const test = needs('Chromium', anyTest.serial)

const receiver = createReceiver()
let beside: WorldBeside
let world: World
anyTest.before(async () => {
  const env = { WEBHOOK_RETRY_SECONDS: '0.1,0.1,0.1' }
  beside = await openWorldBeside('receiver.acme.test', receiver.listener, { workflows: true, env })
  world = beside.world
})
anyTest.after.always(async () => {
  await closeBrowser()
  await beside?.close()
})

/** Everything from an empty tenant on, by what the pages say and offer. */
test('a newcomer gets from the login to a verified credential, a batch, a redelivered webhook and a revoked pass', async (t) => {
  t.timeout(3 * 60_000)
  const { page, complaints, stopped, close } = await openConsole(world, await memberOf(world))
  const open = async (area: string) => {
    await page.click(`nav.main a:text-is("${area}")`)
    await settled(page)
  }
  const press = (button: string) => page.click(`main button:text-is("${button}")`)

  await page.waitForSelector('text=The way to the first credential')
  t.deepEqual(await violationsOf(page), [])
  await picture(page, 'newcomer-1-home')
  await page.click('main a:has-text("Create a DID")')
  await press('Create the DID')
  await page.waitForURL(/dids\/did/)
  await settled(page)
  await picture(page, 'newcomer-2-did')

  await open('Templates')
  await page.click('main a:text-is("Create a template")')
  await settled(page)
  await picture(page, 'newcomer-3-template')
  await press('Create a template')
  await page.waitForURL(/templates\/web-semantic\/[0-9a-f-]{36}$/)
  await settled(page)

  await page.click('main .actions >> text=Issue')
  await page.fill('input[name="claims.course"]', 'CS-101')
  await picture(page, 'newcomer-4-issue')
  await press('Sign')
  await page.click('text=Open the credential')
  await settled(page)
  await press('Verify now')
  await page.waitForSelector('text=Verified: every check passed')
  await picture(page, 'newcomer-5-verified')

  await open('Batches')
  const csv = 'id,course\ndid:example:ada,CS-101\ndid:example:grace,CS-102\n'
  await page.setInputFiles('input[type=file]', { name: 'students.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) })
  await page.waitForSelector('[aria-label="The first rows"]')
  await picture(page, 'newcomer-6-csv')
  await press('Start the batch')
  await page.waitForURL(/batches\/[0-9a-f-]{36}$/)
  await page.waitForSelector('dd .state:text-is("completed")')
  t.true((await page.textContent('dl'))?.includes('2 of 2 signed'))
  const [download] = await Promise.all([page.waitForEvent('download'), press('Download the results (JSON lines)')])
  t.is(
    readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\n').length,
    2,
  )
  await picture(page, 'newcomer-7-batch')

  receiver.script('/hooks', status(500))
  await open('Webhooks')
  await page.click('main a:text-is("New webhook")')
  await page.fill('input[name=url]', beside.urlOf('hooks'))
  await press('Create the webhook')
  await page.click('text=Open the webhook')
  await settled(page)
  await press('Send a test event')
  await until('the delivery to fail', async () => {
    await page.click('button:text-is("Load again")')
    await settled(page)
    return (await page.locator('tbody .state:text-is("failed")').count()) === 1
  })
  await picture(page, 'newcomer-8-webhook')
  const before = receiver.at('/hooks').length
  receiver.script('/hooks', status(200))
  await page.click('td button:text-is("Deliver again")')
  await until('the delivery', async () => receiver.at('/hooks').length > before)

  await open('Templates')
  await page.selectOption('main select', 'compact')
  await settled(page)
  await page.click('main a[href$="/templates/compact/new"]')
  await settled(page)
  await press('Create a template')
  await page.waitForURL(/templates\/compact\/[0-9a-f-]{36}$/)
  await page.click('main .actions >> text=Issue')
  await settled(page)
  await picture(page, 'newcomer-9-pass')
  for (const input of await page.locator('input[name^="claims."]').all()) await input.fill('12')
  await press('Sign')
  await page.waitForSelector('img.qr')
  await page.click('text=Open the credential')
  await settled(page)
  const { data } = (await world.ask('/v1/credentials/compact', { token: world.token })).json<{
    data: { encoded: string }[]
  }>()
  const pass = data[0]?.encoded ?? ''
  t.true((await verifyCompact(world, pass)).verified, 'the first scan')
  await press('Revoke')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForSelector('text=Done. The page shows the new state.')
  await settled(page)
  await press('Verify now')
  await page.waitForSelector('.failure:has-text("Not verified")')
  await picture(page, 'newcomer-10-revoked')
  t.false((await verifyCompact(world, pass)).verified, 'the second scan')
  t.deepEqual([complaints, await stopped()], [[], []])
  await close()
})
