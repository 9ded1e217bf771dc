import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { SHARED } from '../../../stack/tests/observer.ts'
import { type Account, addAccount, createOrganization, tokenOfPerson } from '../accounts.ts'
import { openChromium } from '../parts/chromium.ts'
import type { World } from '../world.ts'

/** Pictures of pages, for people to look at. */
const pictures = fileURLToPath(new URL('../../../build/tests/pictures/', import.meta.url))
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

type Role = 'admin' | 'issuer' | 'verifier' | 'auditor'

/** Of each world, organizations by their tenants. */
const known = new WeakMap<World['first'], Map<string, string>>()

function organizationsOf({ first }: World): Map<string, string> {
  const organizations = known.get(first) ?? new Map<string, string>()
  known.set(first, organizations)
  return organizations
}

/** The organization of a tenant that `memberOf` has made a person a member of. */
export const organizationOf = (world: World, tenantId = world.first.tenantId): string | undefined =>
  organizationsOf(world).get(tenantId)

/** A person with a role in the organization of a tenant. */
export async function memberOf(
  world: World,
  role: Role = 'admin',
  tenantId = world.first.tenantId,
  operator = false,
): Promise<Account> {
  const change = (text: string, values: unknown[]) => world.dependencies.systemSql.query({ text, values })
  const account = await addAccount(world, { operator })
  const organizations = organizationsOf(world)
  let organizationId = organizations.get(tenantId)
  if (organizationId === undefined) {
    const founder = await addAccount(world)
    organizationId = await createOrganization(world, await tokenOfPerson(world, founder))
    organizations.set(tenantId, organizationId)
    await change('update tenants set organization_id = $2 where id = $1', [tenantId, organizationId])
  }
  await change('insert into organization_members (organization_id, account_id, role) values ($1, $2, $3)', [
    organizationId,
    account.id,
    role,
  ])
  return account
}

/** An operator of the platform who is an administrator of the first tenant too. */
export const operatorOf = (world: World): Promise<Account> => memberOf(world, 'admin', world.first.tenantId, true)

let chromium: Browser | undefined

/** Ends the browser; one that the next test file of this process can use loses its pages alone. */
export async function closeBrowser(): Promise<void> {
  if (chromium && process.env[SHARED]) await Promise.all(chromium.contexts().map((context) => context.close()))
  else await chromium?.close()
}

/** Runs before the page's own scripts, and counts what its Content-Security-Policy stopped. */
const WATCH = `globalThis.stopped = []
addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => stopped.push(violatedDirective + ' ' + blockedURI))`

/** A page in a browser of its own, with what the browser complains of and which addresses it asks. */
export async function openPage(world: World, path = '/console', options: BrowserContextOptions = {}) {
  chromium ??= await openChromium()
  const context = await chromium.newContext({ locale: 'en-GB', timezoneId: 'Europe/Berlin', ...options })
  await context.addInitScript(WATCH)
  const page = await context.newPage()
  const complaints: string[] = []
  const asked: { method: string; path: string }[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    // that the platform refused a request is what a test is about
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text())
  })
  page.on('request', (request) => {
    const url = new URL(request.url())
    asked.push({ method: request.method(), path: url.origin === world.url ? url.pathname : request.url() })
  })
  await page.goto(`${world.url}${path}`)
  return {
    page,
    context,
    complaints,
    asked,
    /** What the page's Content-Security-Policy stopped. */
    stopped: () => page.evaluate<string[]>('globalThis.stopped'),
    close: () => context.close(),
  }
}

export async function logIn(page: Page, { email, password }: Pick<Account, 'email' | 'password'>): Promise<void> {
  await page.fill('input[name=email]', email)
  await page.fill('input[name=password]', password)
  await page.click('button[type=submit]')
  await page.waitForSelector('nav.main')
}

/** A page of the console after a login there, with its answers. */
export async function openConsole(
  world: World,
  account: Account,
  path = '/console',
  options: BrowserContextOptions = {},
) {
  const opened = await openPage(world, path, options)
  await logIn(opened.page, account)
  await settled(opened.page)
  return opened
}

/** Nothing is on its way any more. */
export async function settled(page: Page): Promise<void> {
  await page.waitForSelector('body:has(h1):not(:has([aria-busy=true]))')
}

/** Whether the top of the first such element is on the screen, without scrolling. */
export const isInView = (page: Page, place: string): Promise<boolean> =>
  page.evaluate<boolean>(`(() => {
    const { top } = document.querySelector(${JSON.stringify(place)}).getBoundingClientRect()
    return top >= 0 && top < innerHeight
  })()`)

export async function picture(page: Page, name: string): Promise<void> {
  mkdirSync(pictures, { recursive: true })
  await page.screenshot({ path: `${pictures}${name}.png`, fullPage: true })
}

/** What axe-core finds, of WCAG 2.2 A and AA and its best practices: rule and place. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(AXE)
  return page.evaluate<string[]>(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ' ' + target + ' ' + failureSummary)))`)
}
