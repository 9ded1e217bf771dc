import anyTest from 'ava'
import { looksRight, type NamedPage } from '../../support/console/appearance.ts'
import { closeBrowser, memberOf, openConsole, settled } from '../../support/console/browser.ts'
import { domainsOf, newDomainName } from '../../support/domains.ts'
import { startTestDns, type TestDns } from '../../support/parts/dns.ts'
import { needs } from '../../support/parts.ts'
import { openWorld, type World } from '../../support/world.ts'

const test = needs('Chromium', anyTest.serial)

// no worker: a look that is asked for is made at once
let dns: TestDns
let world: World
let pages: NamedPage[]
anyTest.before(async () => {
  dns = await startTestDns()
  world = await openWorld({ env: { OUTBOUND_DNS_SERVER: dns.address } })
  pages = [
    ['domains-none', '/domains'],
    ['domain-new', '/domains/new'],
  ]
})
anyTest.after.always(async () => {
  await closeBrowser()
  await world?.close()
  await dns?.close()
})

const own = () => domainsOf(world, world.token)

test('a domain is created, waits for its record, is looked at, verified, renamed, taken back and deleted', async (t) => {
  const name = newDomainName()
  const { page, complaints, stopped, close } = await openConsole(world, await memberOf(world), '/console/domains')
  await page.waitForSelector('text=There is no domain')
  await page.click('text=New domain')
  await page.fill('input[name=domain]', 'co.uk')
  await page.fill('input[name=name]', 'Registrar')
  await page.click('text=Create the domain')
  await page.waitForSelector('.entry:has(input[name=domain][aria-invalid]) .fault')
  await page.fill('input[name=domain]', name)
  await page.click('text=Create the domain')
  await page.waitForSelector(`h1:has-text("${name}")`)
  await settled(page)
  const id = page.url().split('/').at(-1) ?? ''
  const { verificationToken: token } = await own().read(id)
  t.deepEqual(await page.locator('tbody td:first-child code').allTextContents(), [name, `_countersign.${name}`])
  t.deepEqual(await page.locator('tbody td:nth-child(3) code').allTextContents(), [token, token])

  await page.click('button:text-is("Look now")')
  await page.waitForSelector('.failure:has-text("domain.not_verified")')
  t.is((await page.textContent('dd .state'))?.trim(), 'waiting for DNS')
  dns.set(`_countersign.${name}`, { TXT: [token] })
  await page.click('button:text-is("Look now")')
  await page.waitForSelector('dd .state.good:text-is("verified")')
  t.true((await own().read(id)).isVerified)
  t.is(await page.locator('.failure').count(), 0)

  await page.click('summary:text-is("Rename")')
  await page.fill('input[name=name]', 'Admissions')
  await page.click('button:text-is("Save")')
  await page.waitForSelector('dd bdi:text-is("Admissions")')
  t.is((await own().read(id)).name, 'Admissions')

  await page.click('button:text-is("Take the verification back")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForSelector('dd .state.other')
  const taken = await own().read(id)
  t.like(taken, { isVerified: false, status: 'WAITING' })
  t.not(taken.verificationToken, token)
  await page.waitForSelector(`td code:text-is("${taken.verificationToken}")`)

  await page.click('button:text-is("Delete")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForURL('**/console/domains')
  t.is((await world.ask(`/v1/config/domain/${id}`, { token: world.token })).status, 404)
  t.deepEqual([complaints, await stopped()], [[], []])
  await close()
})

test('an issuer reads domains, and changes none: that is for administrators', async (t) => {
  const domain = await own().created()
  const verified = await own().created()
  dns.set(verified.domain, { TXT: [verified.verificationToken] })
  await own().verify(verified.id)
  pages.push(
    ['domains', '/domains'],
    ['domain', `/domains/${domain.id}`],
    ['domain-verified', `/domains/${verified.id}`],
  )
  const { page, close } = await openConsole(world, await memberOf(world, 'issuer'), '/console/domains')
  t.is(await page.locator('tbody tr').count(), 2)
  t.is(await page.locator('text=New domain').count(), 0)
  await page.click(`text=${verified.domain}`)
  await settled(page)
  t.deepEqual([...new Set(await page.locator('main button').allTextContents())], ['Copy'])
  t.true((await page.textContent('dl'))?.includes('Next look'))
  await close()
})

looksRight(
  test,
  () => world,
  () => pages,
)
