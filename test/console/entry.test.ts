import anyTest, { type Assertions } from 'ava'
import type { Page } from 'playwright-core'
import { addAccount, browserAt, createOrganization, newEmail, PASSWORD, tokenOfPerson } from '../support/accounts.ts'
import { closeBrowser, logIn, openPage, picture, violationsOf } from '../support/console/browser.ts'
import { needs } from '../support/parts.ts'
import { type Smtp, startSmtp, tokenIn } from '../support/smtp.ts'
import { openWorld, type World } from '../support/world.ts'

const test = needs('Chromium', anyTest.serial)

const NEW_PASSWORD = 'nine blue tricycles at dawn'

let smtp: Smtp
let world: World
anyTest.before(async () => {
  smtp = await startSmtp()
  world = await openWorld({ workflows: true, env: { SMTP_URL: smtp.url } })
})
anyTest.after.always(async () => {
  await closeBrowser()
  await world?.close()
  await smtp?.close()
})

const tokenFor = async (email: string) => tokenIn(await smtp.mailTo(email))

/** The page of a mail's link; what the browser keeps of its secret is nothing. */
async function openLink(fragment: string, heading: string, options = {}) {
  const opened = await openPage(world, `/account#${fragment}`, options)
  await opened.page.waitForSelector(`h1:text-is("${heading}")`)
  return opened
}

const submit = (page: Page) => page.click('main button[type=submit]')
const calls = (asked: readonly { method: string; path: string }[]) =>
  asked.filter(({ method }) => method === 'POST').map(({ path }) => path)

test('a person registers, confirms the address by the link of the mail, and logs in', async (t) => {
  const email = newEmail()
  const { page, complaints, stopped, close } = await openPage(world)
  await page.click('a:text-is("Register")')
  await page.waitForSelector('h1:text-is("Register")')
  t.deepEqual(await violationsOf(page), [])
  await page.fill('input[name=email]', email)
  await page.fill('input[name=first_name]', '<b>Ada</b>')
  await page.fill('input[name=last_name]', 'Lovelace')
  await page.fill('input[name=password]', 'password1')
  await submit(page)
  await page.waitForSelector('input[name=password][aria-invalid] ~ .fault')
  await page.fill('input[name=password]', PASSWORD)
  await submit(page)
  await page.waitForSelector(`text=A mail is on its way to ${email}`)
  t.deepEqual([complaints, await stopped()], [[], []])
  await close()
  const token = await tokenFor(email)
  const link = await openLink(`verify=${token}`, 'Confirm your e-mail address')
  t.deepEqual(calls(link.asked), ['/v1/auth/refresh'], 'nothing happens before a click')
  t.is(link.page.url(), `${world.url}/console/link`, 'the history of the browser does not keep the secret')
  t.false(link.asked.some(({ path }) => path.includes(token)))
  t.deepEqual(await violationsOf(link.page), [])
  await picture(link.page, 'console-verify')
  await link.page.fill('input[name=password]', 'the password of a stranger')
  await submit(link.page)
  await link.page.waitForSelector('.fault:has-text("expected the password of the registration")')
  await link.page.fill('input[name=password]', PASSWORD)
  await submit(link.page)
  await link.page.waitForSelector('text=Your address is confirmed.')
  await link.page.click('main a:text-is("Log in")')
  await logIn(link.page, { email, password: PASSWORD })
  await link.page.waitForSelector('h1:text-is("Your account is in no tenant yet")')
  t.deepEqual([link.complaints, await link.stopped()], [[], []])
  await link.close()
})

test('a lost password is set anew by the link of a mail, in German on a phone, and its sessions end', async (t) => {
  const account = await addAccount(world)
  const options = { locale: 'de-DE', viewport: { width: 360, height: 800 } }
  const { page, close } = await openPage(world, '/console/credentials', options)
  await page.click('a:text-is("Passwort vergessen?")')
  await page.fill('input[name=email]', account.email)
  await submit(page)
  await page.waitForSelector('[role=status]:has-text("Wenn")')
  t.deepEqual(await violationsOf(page), [])
  const token = await tokenFor(account.email)
  await page.click('main a:text-is("Anmelden")')
  await logIn(page, account)
  await page.goto(`${world.url}/account#reset=${token}`)
  await page.waitForSelector('h1:text-is("Neues Passwort festlegen")')
  await page.fill('main input[name=password]', 'password1')
  await submit(page)
  await page.waitForSelector('input[name=password][aria-invalid] ~ .fault')
  t.true(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'))
  t.deepEqual(await violationsOf(page), [])
  await picture(page, 'console-reset-360-de')
  await page.fill('main input[name=password]', NEW_PASSWORD)
  await submit(page)
  await page.waitForSelector('text=Ihr Passwort ist festgelegt.')
  await page.waitForSelector('nav.main', { state: 'detached' })
  t.is((await browserAt(world).login({ ...account, password: NEW_PASSWORD })).status, 200)
  await page.reload()
  await page.waitForSelector('h1:text-is("Dieser Link ist nicht vollständig")')
  await close()
})

/** An invitation that waits; the secret of its mail. */
async function invited(t: Assertions, email: string): Promise<string> {
  const token = await tokenOfPerson(world, await addAccount(world))
  const id = await createOrganization(world, token)
  await world.ask(`/v1/organizations/${id}/invitations`, { token, body: { email, role: 'verifier' } })
  t.true((await smtp.mailTo(email)).text.includes('register with this very e-mail address'))
  return tokenFor(email)
}

test('the link of an invitation admits the account that logs in, and no other one', async (t) => {
  const [guest, other] = [await addAccount(world), await addAccount(world)]
  const secret = await invited(t, guest.email)
  const { page, complaints, close } = await openLink(`invitation=${secret}`, 'Join the organization')
  await logIn(page, other)
  await page.waitForSelector(`text=You are logged in as ${other.email}`)
  await page.click('button:text-is("Join")')
  await page.waitForSelector('[role=alert]')
  await page.click('button:text-is("Use another account")')
  await logIn(page, guest)
  await page.waitForSelector(`text=You are logged in as ${guest.email}`)
  t.deepEqual(await violationsOf(page), [])
  await page.click('button:text-is("Join")')
  await page.waitForSelector('text=You are a member now. Your role: verifier.')
  const token = await tokenOfPerson(world, guest)
  const { organizations } = (await world.ask('/v1/account', { token })).json<{ organizations: { role: string }[] }>()
  t.deepEqual(
    organizations.map(({ role }) => role),
    ['verifier'],
  )
  await page.reload()
  await page.waitForSelector('h1:text-is("This link is not complete")')
  t.deepEqual(complaints, [])
  await close()
})

test('a page without a secret says so, and takes one that comes later', async (t) => {
  const { page, complaints, close } = await openLink('', 'This link is not complete')
  for (const wrong of ['verify=', 'other=x']) {
    await page.evaluate(`location.hash = ${JSON.stringify(wrong)}`)
    await page.waitForURL(`${world.url}/console/link`)
    t.is(await page.textContent('h1'), 'This link is not complete')
  }
  await page.evaluate('location.hash = "reset=another"')
  await page.waitForSelector('h1:text-is("Set a new password")')
  t.is(page.url(), `${world.url}/console/link`)
  await page.fill('input[name=password]', NEW_PASSWORD)
  await submit(page)
  await page.waitForSelector('[role=alert]:has-text("account.token_invalid")')
  t.deepEqual(complaints, [])
  await close()
})
