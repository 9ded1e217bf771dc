import anyTest from 'ava'
import { looksRight } from '../../support/console/appearance.ts'
import { closeBrowser, memberOf, openConsole, settled, violationsOf } from '../../support/console/browser.ts'
import { createDid, sign } from '../../support/credentials/credentials.ts'
import { needs } from '../../support/parts.ts'
import { openWorld, type World } from '../../support/world.ts'

const test = needs('Chromium', anyTest.serial)

// no worker: an erasure waits for one
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

const read = async (path: string) => (await world.ask(path, { token: world.token })).json<Record<string, unknown>>()

test('an administrator changes the settings of the tenant, and a wrong one is refused at its field', async (t) => {
  const { page, complaints, close } = await openConsole(world, await memberOf(world), '/console/settings')
  await page.check('input[name=requireDomain]')
  await page.fill('input[name=logRetentionDays]', '365')
  await page.fill('input[name=defaultIssuer]', 'did:key:unknown')
  await page.click('button:text-is("Save")')
  await page.waitForSelector('dialog[open] dd:text-is("without end → 365")')
  t.deepEqual(await violationsOf(page), [])
  await page.click('dialog[open] button[type=submit]')
  await page.waitForSelector('dialog[open] .failure')
  await page.click('dialog[open] button:text-is("Cancel")')
  t.not((await read('/v1/settings')).logRetentionDays, 365, 'nothing is half done')
  await page.fill('input[name=defaultIssuer]', did)
  await page.click('button:text-is("Save")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForSelector('text=It is saved.')
  t.like(await read('/v1/settings'), { requireDomain: true, logRetentionDays: 365, defaultIssuer: did })
  await page.fill('input[name=logRetentionDays]', '')
  await page.click('button:text-is("Save")')
  await page.waitForSelector('dd:text-is("without end")')
  await settled(page)
  t.is((await read('/v1/settings')).logRetentionDays, null)
  await page.click('button:text-is("Save")')
  await settled(page)
  t.is(await page.locator('.failure').count(), 0, 'nothing is a change too')
  t.deepEqual(complaints, [])
  await close()
})

test('a form that was filled before somebody else saved changes nothing of that', async (t) => {
  const put = (path: string, body: object) => world.ask(path, { token: world.token, method: 'PUT', body })
  const { page, close } = await openConsole(world, await memberOf(world), '/console/settings')
  await put('/v1/settings', { vcApi: true, requireDomain: false, logRetentionDays: 700 })
  await put('/v1/privacy/retention', { messagesDays: 30, finishedBatchesDays: null })
  await page.check('input[name=requireChallenge]')
  await page.click('button:text-is("Save")')
  await page.waitForSelector('text=It is saved.')
  await page.fill('input[name=finishedBatchesDays]', '500')
  await page.click('button:text-is("Keep for so long")')
  await page.waitForSelector('dialog[open] dd:text-is("without end → 500")')
  t.is(await page.locator('dialog[open] dd').count(), 1, 'what stays is no question')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForSelector('dd:text-is("500")')
  t.like(await read('/v1/settings'), {
    vcApi: true,
    requireDomain: false,
    requireChallenge: true,
    logRetentionDays: 700,
  })
  t.like(await read('/v1/privacy/retention'), { messagesDays: 30, finishedBatchesDays: 500 })
  await put('/v1/settings', { vcApi: false, requireChallenge: false, logRetentionDays: null })
  await close()
})

test('personal data are kept for a time after a question, and Cancel changes nothing', async (t) => {
  const { page, close } = await openConsole(world, await memberOf(world), '/console/settings')
  await page.fill('input[name=expiredCredentialsDays]', '400')
  await page.click('button:text-is("Keep for so long")')
  await page.click('dialog[open] button:text-is("Cancel")')
  t.is((await read('/v1/privacy/retention')).expiredCredentialsDays, null)
  await page.click('button:text-is("Keep for so long")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForSelector('text=It is saved.')
  t.is((await read('/v1/privacy/retention')).expiredCredentialsDays, 400)
  await close()
})

test('a credential is erased after a question, and the page says how far it is', async (t) => {
  const { id } = await sign(world, did)
  const { page, close } = await openConsole(world, await memberOf(world), '/console/settings')
  await page.selectOption('select[name=subject]', 'credentialId')
  await page.fill('input[name=value]', id)
  await page.selectOption('select[name=credentialStatus]', 'revoke')
  await page.click('form:has(input[name=value]) button[type=submit]')
  const question = page.locator('dialog[open]')
  await question.waitFor()
  t.deepEqual(await question.locator('dd').allTextContents(), ['a credential, by id', id, 'revoked'])
  t.regex((await question.textContent()) ?? '', /of this one credential/)
  await page.click('dialog[open] button[type=submit]')
  await page.waitForSelector('dt:text-is("Erasure")')
  const erasure = (await page.textContent('dd code:near(dt:text-is("Erasure"))')) ?? ''
  t.is((await read(`/v1/privacy/erasures/${erasure}`)).by, 'credential')
  await page.reload()
  await settled(page)
  const row = page.locator(`section[aria-label="Erasures"] tr:has(code:text-is("${erasure}"))`)
  t.regex((await row.textContent()) ?? '', /a credential/)
  await row.locator('button:text-is("Show")').click()
  await page.waitForSelector('dt:text-is("Erasure")')
  await close()
})

test('a role without administration:write reads the settings and changes none', async (t) => {
  const { page, close } = await openConsole(world, await memberOf(world, 'auditor'), '/console/settings')
  t.is(await page.locator('main input[type=checkbox], main button.danger').count(), 0)
  t.true((await page.locator('main dt').count()) > 5)
  await close()
})

looksRight(
  test,
  () => world,
  () => [['settings', '/settings']],
)
