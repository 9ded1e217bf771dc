import anyTest from 'ava'
import { generateSync } from 'otplib'
import { addAccount, createOrganization, newEmail, PASSWORD, tokenOfPerson } from '../../support/accounts.ts'
import { looksRight } from '../../support/console/appearance.ts'
import {
  closeBrowser,
  memberOf,
  openConsole,
  organizationOf,
  settled,
  violationsOf,
} from '../../support/console/browser.ts'
import { needs } from '../../support/parts.ts'
import { openWorld, type World } from '../../support/world.ts'

const test = needs('Chromium', anyTest.serial)

// no worker: invitations wait, and their mails are the worker's
let world: World
anyTest.before(async () => {
  world = await openWorld()
})
anyTest.after.always(async () => {
  await closeBrowser()
  await world?.close()
})

/** What the platform answers to an administrator. */
async function asAdmin<Answer>(path: string): Promise<Answer> {
  const token = await tokenOfPerson(world, await memberOf(world))
  return (await world.ask(`/v1/organizations/${organizationOf(world)}${path}`, { token })).json<Answer & object>()
}

test('an administrator invites, withdraws, changes a role and removes a person', async (t) => {
  const other = await memberOf(world, 'issuer')
  const { page, complaints, close } = await openConsole(world, await memberOf(world), '/console/people')
  const email = newEmail()
  await page.fill('.form input[name=email]', email)
  await page.selectOption('.form select[name=role]', 'auditor')
  await page.click('.form button:text-is("Invite")')
  await page.waitForSelector(`text=The invitation is on its way to ${email}.`)
  await settled(page)
  const waiting = await asAdmin<{ data: { email: string; role: string }[] }>('/invitations')
  t.deepEqual(
    waiting.data.map((each) => [each.email, each.role]),
    [[email, 'auditor']],
  )
  await page.click('button:text-is("Withdraw")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForSelector('text=Nobody is invited')
  t.is(await page.inputValue('.form select[name=role]'), 'auditor', 'an invitation in its place has the same role')
  t.is((await asAdmin<{ total_count: number }>('/invitations')).total_count, 0)
  const roleOf = async () =>
    (await asAdmin<{ data: { account_id: string; role: string }[] }>('/members')).data.find(
      ({ account_id }) => account_id === other.id,
    )?.role
  const row = `tr:has(bdi:text-is("${other.email}"))`
  await page.click(`${row} button:text-is("Change the role")`)
  await page.selectOption('dialog[open] select[name=role]', 'verifier')
  await page.click('dialog[open] button:text-is("Cancel")')
  t.is(await roleOf(), 'issuer', 'a choice alone changes nothing')
  await page.click(`${row} button:text-is("Change the role")`)
  t.is(await page.inputValue('dialog[open] select[name=role]'), 'issuer', 'the question begins anew')
  await page.selectOption('dialog[open] select[name=role]', 'verifier')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForSelector('[role=status]:has-text("is now verifier.")')
  t.is(await roleOf(), 'verifier')
  await page.waitForSelector(`${row} td[data-heading=Role]:has-text("verifier")`)
  await page.click(`${row} button:text-is("Remove")`)
  await page.click('dialog[open] button[type=submit]')
  await page.waitForSelector(`bdi:text-is("${other.email}")`, { state: 'detached' })
  t.is(await roleOf(), undefined)
  t.deepEqual(complaints, [])
  await close()
})

test('a role that the platform does not change is shown as it is', async (t) => {
  const account = await addAccount(world)
  const token = await tokenOfPerson(world, account)
  await createOrganization(world, token)
  const { page, close } = await openConsole(world, account, '/console/people')
  await page.click('button:text-is("Change the role")')
  await page.selectOption('dialog[open] select[name=role]', 'auditor')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForSelector('dialog[open] [role=alert]')
  await page.click('dialog[open] button:text-is("Cancel")')
  await page.waitForSelector('td[data-heading=Role]:has-text("administrator")')
  await page.click('button:text-is("Change the role")')
  t.is(await page.inputValue('dialog[open] select[name=role]'), 'admin')
  t.is(await page.locator('dialog[open] [role=alert]').count(), 0, 'whoever is asked again was refused nothing yet')
  await close()
})

test('a refused invitation leaves nothing on the page of the one before', async (t) => {
  const { page, close } = await openConsole(world, await memberOf(world), '/console/people')
  const email = newEmail()
  await page.fill('.form input[name=email]', email)
  await page.click('.form button:text-is("Invite")')
  await page.waitForSelector(`text=The invitation is on its way to ${email}.`)
  await page.fill('.form input[name=email]', email)
  await page.click('.form button:text-is("Invite")')
  await page.waitForSelector('.form .failure')
  t.is(await page.locator('text=The invitation is on its way').count(), 0)
  await page.click('button:text-is("Withdraw")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForSelector('text=Nobody is invited')
  await close()
})

test('an address that is none is refused at its field', async (t) => {
  const { page, close } = await openConsole(world, await memberOf(world), '/console/people')
  await page.fill('.form input[name=email]', `${'x'.repeat(80)}@university.example`)
  await page.click('.form button:text-is("Invite")')
  await page.waitForSelector('input[name=email][aria-invalid] ~ .fault')
  t.is((await asAdmin<{ total_count: number }>('/invitations')).total_count, 0)
  await close()
})

test('who is no administrator sees the members, and can only leave', async (t) => {
  const account = await memberOf(world, 'verifier')
  const { page, close } = await openConsole(world, account, '/console/people')
  t.is(await page.locator('main select, main .form').count(), 0)
  t.deepEqual(await page.locator('main td > div > button').allTextContents(), ['Leave'])
  await close()
})

test('a person changes name and password, ends another session, and the new password logs in', async (t) => {
  const account = await memberOf(world)
  const token = await tokenOfPerson(world, account)
  const { page, complaints, close } = await openConsole(world, account, '/console/account')
  t.is(await page.locator('td > div > button:text-is("End")').count(), 1)
  await page.click('td > div > button:text-is("End")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForSelector('td > div > button:text-is("End")', { state: 'detached' })
  const refused = await world.ask('/v1/account', {
    token,
    method: 'PUT',
    body: { first_name: 'Mallory', last_name: 'Doe' },
  })
  t.is(refused.status, 401, 'the session that was ended changes nothing any more')
  await page.fill('input[name=first_name]', '<b>Grace</b>')
  await page.click('form:has(input[name=first_name]) button[type=submit]')
  await page.waitForSelector('text=The name is saved.')
  await page.fill('form:has(input[name=new_password]) input[name=password]', account.password)
  await page.fill('input[name=new_password]', 'password')
  await page.click('button:text-is("Change the password")')
  await page.waitForSelector('input[name=new_password][aria-invalid] ~ .fault')
  await page.fill('input[name=new_password]', 'nine blue tricycles at dawn')
  await page.click('button:text-is("Change the password")')
  await page.waitForSelector('text=The password is changed')
  const again = await tokenOfPerson(world, { ...account, password: 'nine blue tricycles at dawn' })
  const { first_name } = (await world.ask('/v1/account', { token: again })).json<{ first_name: string }>()
  t.is(first_name, '<b>Grace</b>')
  t.deepEqual(complaints, [])
  await close()
})

test('an authenticator is set up by its QR code, its recovery codes are shown once, and it is removed', async (t) => {
  const account = await memberOf(world)
  const { page, complaints, stopped, close } = await openConsole(world, account, '/console/account')
  const form = 'form:has(button:text-is("Set up an authenticator"))'
  await page.fill(`${form} input[name=password]`, account.password)
  await page.click(`${form} button[type=submit]`)
  await page.waitForSelector('img[alt="QR code of the authenticator"]')
  t.deepEqual(await violationsOf(page), [])
  const secret = (await page.textContent('.code[aria-label^="Or type"] pre')) ?? ''
  await page.fill('input[name=totp]', generateSync({ secret }))
  await page.click('button:text-is("Confirm")')
  await page.waitForSelector('.success:has-text("The authenticator is set up")')
  const codes = ((await page.textContent('.success pre')) ?? '').split('\n')
  t.is(codes.length, 10)
  const [code = ''] = codes
  const body = { email: account.email, password: PASSWORD }
  t.is((await world.ask('/v1/auth/login', { body })).status, 401, 'a login needs a code now')
  t.is((await world.ask('/v1/auth/login', { body: { ...body, totp: code } })).status, 200)
  await page.reload()
  await settled(page)
  t.is(await page.locator(`text=${code}`).count(), 0, 'no other load shows the codes')
  const removal = 'form:has(button:text-is("Remove the authenticator"))'
  await page.fill(`${removal} input[name=password]`, account.password)
  await page.click(`${removal} button[type=submit]`)
  await page.waitForSelector('text=A login asks for your password alone.')
  t.is((await world.ask('/v1/auth/login', { body })).status, 200)
  t.deepEqual([complaints, await stopped()], [[], []])
  await close()
})

test('a person erases the account with the password, and is logged out', async (t) => {
  const account = await memberOf(world, 'auditor')
  const { page, close } = await openConsole(world, account, '/console/account')
  const form = 'form:has(button:text-is("Erase my account"))'
  await page.click('summary:text-is("Erase my account")')
  await page.fill(`${form} input[name=password]`, 'a wrong one')
  await page.check(`${form} input[name=sure]`)
  await page.click(`${form} button[type=submit]`)
  await page.waitForSelector(`${form} .failure`)
  await page.fill(`${form} input[name=password]`, account.password)
  await page.click(`${form} button[type=submit]`)
  await page.waitForSelector('h1:text-is("Log in")')
  const body = { email: account.email, password: account.password }
  t.is((await world.ask('/v1/auth/login', { body })).status, 401)
  await close()
})

looksRight(
  test,
  () => world,
  () => [
    ['people', '/people'],
    ['account', '/account'],
  ],
)
