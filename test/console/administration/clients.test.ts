import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import anyTest from 'ava'
import type { ClientAnswer } from '../../support/administration.ts'
import { loseAnswer, UNANSWERED } from '../../support/console/answers.ts'
import { looksRight } from '../../support/console/appearance.ts'
import { closeBrowser, isInView, memberOf, openConsole, settled, violationsOf } from '../../support/console/browser.ts'
import { needs } from '../../support/parts.ts'
import { openWorld, type World } from '../../support/world.ts'

const test = needs('Chromium', anyTest.serial)

const run = promisify(execFile)

const NAME = '<img src=x onerror="globalThis.hit=1"> registry'
let world: World
let id: string
anyTest.before(async () => {
  world = await openWorld()
  const body = { name: NAME, description: 'x'.repeat(1000), scopes: ['dids:read'] }
  id = (await world.ask('/v1/oauth2/clients', { token: world.token, body })).json<ClientAnswer>().id
})
anyTest.after.always(async () => {
  await closeBrowser()
  await world?.close()
})

const listed = async () =>
  (await world.ask('/v1/oauth2/clients?limit=100', { token: world.token })).json<{ data: ClientAnswer[] }>().data
const grants = async (clientId: string, clientSecret: string) =>
  (await world.ask('/v1/auth/token', { body: { clientId, clientSecret, grantType: 'client_credentials' } })).status ===
  200

test('an administrator creates a client, gives it another secret and deletes it', async (t) => {
  const { page, complaints, close } = await openConsole(world, await memberOf(world), '/console/clients')
  await page.fill('.form input[name=name]', 'Dashboard')
  await page.check('input[name=scopes][value="dids:read"]')
  await loseAnswer(page, '**/v1/oauth2/clients')
  await page.click('.form button[type=submit]')
  await page.waitForSelector(UNANSWERED)
  await page.click('.form button[type=submit]')
  await page.waitForSelector('.success:focus:has-text("The platform shows this only now")')
  t.true(await isInView(page, '.success'))
  t.deepEqual(await violationsOf(page), [])
  const [clientId = '', secret = ''] = await page.locator('.success pre').allTextContents()
  t.true(await grants(clientId, secret), 'the secret that is shown is the right one')
  const getToken = (await page.locator('section[aria-label="How to get TOKEN"] pre').first().textContent()) ?? ''
  const { stdout: got } = await run('bash', ['-c', `${getToken}; printf %s "$TOKEN"`], {
    env: { ...process.env, CLIENT_SECRET: secret },
  })
  t.is((await world.ask('/v1/dids', { token: got })).status, 200, 'the command gets a token')
  const [made, ...twice] = (await listed()).filter((each) => each.name === 'Dashboard')
  t.deepEqual([made?.clientId, twice], [clientId, []], 'a lost answer makes no second one')
  t.deepEqual([made?.name, made?.scopes], ['Dashboard', ['dids:read']])
  await page.click('tbody a:text-is("Dashboard")')
  await page.waitForURL(`**/console/clients/${made?.id}`)
  await settled(page)
  t.is(await page.locator(`text=${secret}`).count(), 0, 'another page does not have it')
  t.true(
    (await page.locator('section[aria-label="How to get TOKEN"] pre').allTextContents()).some((text) =>
      text.includes(`"clientId":"${clientId}"`),
    ),
    'the page of a client has its id in the command',
  )
  await page.fill('input[name=name]', 'Dashboard of the rector')
  await page.click('button:text-is("Save")')
  await page.waitForSelector('h1:has-text("Dashboard of the rector")')
  t.true(await page.isChecked('input[name=scopes][value="dids:read"]'))
  await page.uncheck('input[name=scopes][value="dids:read"]')
  await page.check('input[name=scopes][value="logs:read"]')
  await page.check('input[name=scopes][value="domains:read"]')
  await page.click('button:text-is("Change the scopes")')
  await page.waitForSelector('text=The scopes are changed.')
  await page.waitForSelector('main li code:text-is("logs:read")')
  t.deepEqual((await listed()).find((each) => each.clientId === clientId)?.scopes, ['domains:read', 'logs:read'])
  const command = 'section[aria-label^="The same by curl: PUT"] pre:has-text("secret_grace_seconds")'
  t.regex((await page.textContent(command)) ?? '', /"reset_secret":true,"secret_grace_seconds":0\}/)
  await page.click('button:text-is("Reset the secret")')
  await page.waitForSelector('dialog[open]:has-text("The secret that the program has now is wrong at once")')
  await page.click('dialog[open] button:text-is("Cancel")')
  t.true(await grants(clientId, secret), 'a question alone changes nothing')
  await page.selectOption('select[name=secret_grace_seconds]', '3600')
  t.regex((await page.textContent(command)) ?? '', /"secret_grace_seconds":3600\}/)
  await page.click('button:text-is("Reset the secret")')
  await page.waitForSelector('dialog[open]:has-text("stays right for an hour")')
  await loseAnswer(page, '**/v1/oauth2/clients/*')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForSelector(`dialog[open] ${UNANSWERED}`)
  await page.click('dialog[open] button[type=submit]')
  await page.waitForSelector('.success:focus:has-text("The client has another secret")')
  t.true(await isInView(page, '.success'), 'the page scrolls to the secret')
  const other = (await page.textContent('.success pre')) ?? ''
  t.deepEqual(
    [await grants(clientId, secret), await grants(clientId, other)],
    [true, true],
    'for an hour, both are right',
  )
  await page.waitForSelector('dt:text-is("Former secret ends")')
  await page.selectOption('select[name=secret_grace_seconds]', '0')
  await page.click('button:text-is("Reset the secret")')
  await page.waitForSelector('dialog[open]:has-text("The former secret, which is still right, ends at once.")')
  await page.click('dialog[open] button:text-is("Cancel")')
  await page.click('button:text-is("Delete the client")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForURL('**/console/clients')
  t.false((await listed()).some((each) => each.clientId === clientId))
  t.false(await grants(clientId, other))
  t.deepEqual(complaints, [])
  await close()
})

test('what the platform refuses is shown at its field, and nothing is created', async (t) => {
  const { page, close } = await openConsole(world, await memberOf(world), '/console/clients')
  const before = (await listed()).length
  await page.fill('.form input[name=name]', 'x'.repeat(256))
  await page.click('.form button[type=submit]')
  await page.waitForSelector('input[name=name][aria-invalid] ~ .fault')
  t.is((await listed()).length, before)
  await close()
})

test('a role without administration:write sees the clients and no button that changes one', async (t) => {
  const { page, stopped, close } = await openConsole(world, await memberOf(world, 'auditor'), `/console/clients/${id}`)
  t.true((await page.textContent('h1'))?.includes(NAME), 'markup in a name is text')
  t.is(await page.locator('main .form, main button.danger').count(), 0)
  t.is(await page.evaluate('globalThis.hit'), undefined)
  t.deepEqual(await stopped(), [])
  await close()
})

looksRight(
  test,
  () => world,
  () => [
    ['clients', '/clients'],
    ['client', `/clients/${id}`],
  ],
)
