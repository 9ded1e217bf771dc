import anyTest from 'ava'
import type { Browser, Page } from 'playwright-core'
import { addAccount, browserAt, createOrganization, newEmail, PASSWORD, tokenOfPerson } from '../../support/accounts.ts'
import { openChromium } from '../../support/parts/chromium.ts'
import { needs } from '../../support/parts.ts'
import { type Smtp, startSmtp, tokenIn } from '../../support/smtp.ts'
import { openWorld, type World } from '../../support/world.ts'

const test = needs('Chromium', anyTest.serial)

let smtp: Smtp
let world: World
let chromium: Browser
anyTest.before(async () => {
  smtp = await startSmtp()
  world = await openWorld({ workflows: true, env: { SMTP_URL: smtp.url } })
})
anyTest.after.always(async () => {
  await chromium?.close()
  await world?.close()
  await smtp?.close()
})

/** A page in a browser of its own, with what the browser complains of and which addresses it asks. */
async function openPage(fragment: string) {
  chromium ??= await openChromium()
  const context = await chromium.newContext()
  const page = await context.newPage()
  const [complaints, asked]: [string[], string[]] = [[], []]
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('request', (request) => asked.push(`${request.method()} ${request.url().replace(world.url, '')}`))
  await page.goto(`${world.url}/account#${fragment}`)
  return { page, complaints, asked, close: () => context.close() }
}

/** What the page says in the end. */
const said = async (page: Page): Promise<string | null> => {
  await page.waitForSelector('[role=status]:not(:empty)')
  return page.textContent('[role=status]')
}

test('the link of a registration begins the account after a click, and its secret is in no address', async (t) => {
  const email = newEmail()
  await world.ask('/v1/auth/register', { body: { email, first_name: 'Ada', last_name: 'L', password: PASSWORD } })
  const token = tokenIn(await smtp.mailTo(email))
  const { page, asked, complaints, close } = await openPage(`verify=${token}`)
  await page.waitForSelector('#verify button')
  t.deepEqual(asked, ['GET /account'], 'nothing happens before a click')
  t.false(page.url().includes(token), 'the history of the browser does not keep it')
  await page.fill('#verify input', 'the password of a stranger')
  await page.click('#verify button')
  t.regex((await said(page)) ?? '', /expected the password of the registration/)
  await page.fill('#verify input', PASSWORD)
  await page.click('#verify button')
  await page.waitForSelector('[role=status]:has-text("confirmed")')
  t.is((await said(page)) ?? '', 'Your address is confirmed. You can log in now.')
  t.deepEqual(asked.slice(1), ['POST /v1/auth/verify-email', 'POST /v1/auth/verify-email'])
  t.is((await browserAt(world).login({ email, password: PASSWORD })).status, 200)
  t.deepEqual(complaints, [])
  await close()
})

test('the link of a lost password asks for a new one, and says what is wrong with it', async (t) => {
  const account = await addAccount(world)
  await world.ask('/v1/auth/password-reset', { body: { email: account.email } })
  const { page, complaints, close } = await openPage(`reset=${tokenIn(await smtp.mailTo(account.email))}`)
  await page.fill('#reset input', 'password1')
  await page.click('#reset button')
  t.regex((await said(page)) ?? '', /8 to 128 characters/)
  await page.fill('#reset input', 'nine blue tricycles at dawn')
  await page.click('#reset button')
  await page.waitForSelector('[role=status]:has-text("Your password is set")')
  t.is((await browserAt(world).login({ ...account, password: 'nine blue tricycles at dawn' })).status, 200)
  t.deepEqual(complaints, [])
  await close()
})

test('the link of an invitation admits the account that logs in', async (t) => {
  const [admin, guest] = [await addAccount(world), await addAccount(world)]
  const token = await tokenOfPerson(world, admin)
  const id = await createOrganization(world, token)
  await world.ask(`/v1/organizations/${id}/invitations`, { token, body: { email: guest.email, role: 'verifier' } })
  const { page, complaints, close } = await openPage(`invitation=${tokenIn(await smtp.mailTo(guest.email))}`)
  await page.fill('#invitation input[name=email]', guest.email)
  await page.fill('#invitation input[name=password]', guest.password)
  await page.click('#invitation button')
  t.is((await said(page)) ?? '', 'You are a member now. Your role is verifier.')
  t.deepEqual(complaints, [])
  await close()
})

test('a page without a secret says so', async (t) => {
  const { page, complaints, close } = await openPage('')
  t.true(await page.isVisible('#none'))
  t.deepEqual(complaints, [])
  await close()
})
