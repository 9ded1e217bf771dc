import anyTest from 'ava'
import { addAccount } from '../../support/accounts.ts'
import { newSubdomain, type TenantAnswer } from '../../support/administration.ts'
import { loseAnswer, UNANSWERED } from '../../support/console/answers.ts'
import { looksRight } from '../../support/console/appearance.ts'
import { closeBrowser, memberOf, openConsole, operatorOf, settled } from '../../support/console/browser.ts'
import { operatorToken } from '../../support/ecosystems.ts'
import { needs } from '../../support/parts.ts'
import { openWorld, type World } from '../../support/world.ts'

const test = needs('Chromium', anyTest.serial)

// no worker: a deletion waits for one, and says so
let world: World
let token: string
anyTest.before(async () => {
  world = await openWorld()
  token = await operatorToken(world)
})
anyTest.after.always(async () => {
  await closeBrowser()
  await world?.close()
})

test('an operator creates a tenant, whose first client is shown once, renames it and deletes it by its name', async (t) => {
  const { page, complaints, close } = await openConsole(world, await operatorOf(world), '/console/tenants')
  const subdomain = newSubdomain()
  const form = 'form:has(button:text-is("Create a tenant"))'
  await page.fill(`${form} input[name=subdomain]`, 'Not A Subdomain')
  await page.click(`${form} button[type=submit]`)
  await page.waitForSelector('input[name=subdomain][aria-invalid] ~ .fault')
  await page.fill(`${form} input[name=subdomain]`, subdomain)
  await page.fill(`${form} input[name=name]`, 'Law school')
  await loseAnswer(page, '**/v1/tenants')
  await page.click(`${form} button[type=submit]`)
  await page.waitForSelector(UNANSWERED)
  await page.click(`${form} button[type=submit]`)
  await page.waitForSelector('.success:has-text("this is its first client")')
  const [clientId = '', clientSecret = ''] = await page.locator('.success pre').allTextContents()
  const grant = { clientId, clientSecret, grantType: 'client_credentials' }
  t.is((await world.ask('/v1/auth/token', { body: grant })).status, 200)
  await page.click('tbody a:text-is("Law school")')
  await page.waitForURL('**/console/tenants/*')
  await settled(page)
  t.is(await page.locator(`text=${clientSecret}`).count(), 0, 'another page does not have it')
  const id = new URL(page.url()).pathname.split('/').at(-1)
  const named = 'form:has(input[name=name])'
  await page.fill(`${named} input[name=name]`, '<b>School</b> of law')
  await page.click(`${named} button[type=submit]`)
  await page.waitForSelector('h1:has-text("<b>School</b> of law")')
  const tenant = (await world.ask(`/v1/tenants/${id}`, { token })).json<TenantAnswer & Record<string, unknown>>()
  const host = tenant.subdomain
  t.is(tenant.name, '<b>School</b> of law')
  t.true(host.startsWith(`${subdomain}.`))
  await page.fill('input[name=confirmed]', 'another')
  await page.click('button:text-is("Delete the tenant")')
  await page.waitForSelector('.fault:has-text("nothing was deleted")')
  t.is((await world.ask(`/v1/tenants/${id}`, { token })).status, 200)
  await page.fill('input[name=confirmed]', host)
  await page.click('button:text-is("Delete the tenant")')
  await page.waitForSelector('h2:text-is("Deletion")')
  await page.waitForSelector('dd:has-text("the tenant takes no requests")')
  t.is((await world.ask(`/v1/tenants/${id}/deletion`, { token })).json<{ subdomain: string }>().subdomain, subdomain)
  t.deepEqual(complaints, [])
  await close()
})

test('an operator without a tenant creates an organization and gives it a tenant, by names alone', async (t) => {
  const { tenantId } = await world.addTenant()
  const operator = await addAccount(world, { operator: true })
  const { page, complaints, close } = await openConsole(world, operator)
  await page.waitForSelector('p:has-text("Open the link of its mail again")')
  await page.click('main a:has-text("Create an organization")')
  await page.click('summary:text-is("Another organization")')
  const form = 'form:has(button:text-is("Create the organization"))'
  const fields = {
    name: 'Law institute',
    registration_number: 'HRB 1',
    address: 'Unter den Linden 6',
    city: 'Berlin',
    state: 'Berlin',
    zip_code: '10117',
    country: 'Atlantis',
    email: 'office@law.example',
    phone: '+49 30 901820',
  }
  for (const [name, value] of Object.entries(fields)) await page.fill(`${form} input[name=${name}]`, value)
  await page.click(`${form} button[type=submit]`)
  await page.waitForSelector('input[name=country][aria-invalid] ~ .fault')
  await page.fill(`${form} input[name=country]`, 'Germany')
  await page.click(`${form} button[type=submit]`)
  await page.waitForSelector('strong:text-is("Law institute")')
  await page.goto(`${world.url}/console/tenants/${tenantId}`)
  await page.selectOption('select[name=organizationId]', { label: 'Law institute' })
  await page.click('button:text-is("Save")')
  await page.waitForSelector('[role=status]:has-text("The organization has the tenant now.")')
  await page.waitForSelector('dd bdi:text-is("Law institute")')
  await page.click('main a:text-is("Home")')
  await page.waitForSelector('header optgroup[label="Law institute (admin)"]', { state: 'attached' })
  t.is(await page.inputValue('header select'), tenantId, 'the session works in the tenant')
  await page.goto(`${world.url}/console/tenants/${tenantId}`)
  await page.selectOption('select[name=organizationId]', { label: 'none' })
  await page.click('button:text-is("Save")')
  await page.waitForSelector('dd bdi:text-is("Law institute")', { state: 'detached' })
  t.deepEqual(complaints, [])
  await close()
})

test('the first tenant has no button that deletes it', async (t) => {
  const { page, close } = await openConsole(world, await operatorOf(world), `/console/tenants/${world.first.tenantId}`)
  await page.waitForSelector('h2:text-is("Change")')
  t.is(await page.locator('button:text-is("Delete the tenant")').count(), 0)
  await close()
})

test('an operator creates an environment and changes it', async (t) => {
  const { page, close } = await openConsole(world, await operatorOf(world), '/console/tenants')
  await page.click('summary:text-is("Create an environment")')
  const form = 'form:has(input[name="region.id"])'
  await page.fill(`${form} input[name=name]`, 'Test environment')
  for (const name of ['id', 'name', 'displayName']) await page.fill(`${form} input[name="region.${name}"]`, 'eu-1')
  await page.click(`${form} button[type=submit]`)
  await page.click('tr:has(bdi:text-is("Test environment")) button:text-is("Change")')
  await page.fill(`${form} input[name="region.displayName"]`, 'Europe')
  await page.click(`${form} button:text-is("Save")`)
  await page.waitForSelector('td bdi:text-is("Europe")')
  const { data } = (await world.ask('/v1/environments', { token })).json<{
    data: { name: string; region: { displayName: string } }[]
  }>()
  t.is(data.find(({ name }) => name === 'Test environment')?.region.displayName, 'Europe')
  await close()
})

test('who is no operator has no page of tenants', async (t) => {
  const { page, close } = await openConsole(world, await memberOf(world), '/console/tenants')
  await page.waitForSelector('h1:text-is("Your role may not open this page")')
  t.is(await page.locator('nav.main >> text=Tenants').count(), 0)
  await close()
})

looksRight(
  test,
  () => world,
  () => [
    ['tenants', '/tenants'],
    ['tenant', `/tenants/${world.first.tenantId}`],
  ],
  operatorOf,
)
