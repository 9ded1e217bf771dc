import anyTest from 'ava'
import { looksRight, type NamedPage } from '../../support/console/appearance.ts'
import { closeBrowser, memberOf, openConsole, settled } from '../../support/console/browser.ts'
import { until } from '../../support/credentials/dids.ts'
import { createIaca, createSigner, IACAS, makeIaca, SIGNERS, signMobile } from '../../support/credentials/mobile.ts'
import { needs } from '../../support/parts.ts'
import { openWorld, type World } from '../../support/world.ts'

const test = needs('Chromium', anyTest.serial)

const DAY_MS = 86_400_000

let world: World
let pages: NamedPage[]
anyTest.before(async () => {
  world = await openWorld()
  pages = [
    ['signers-none', '/document-signers'],
    ['iaca-new', '/document-signers/iacas/new'],
  ]
})
anyTest.after.always(async () => {
  await closeBrowser()
  await world?.close()
})

interface Signer {
  id: string
  active: boolean
  renew: boolean
  revoked: boolean
  usability: string
  certificatePem: string
  certificateData: { commonName: string; notAfter: string }
}

const read = async <T = Signer>(path: string, id: string) =>
  (await world.ask(`${path}/${id}`, { token: world.token })).json<T>()

test('an authority and a signer are made, and the signer is switched off, kept from renewal, revoked and deleted', async (t) => {
  const { page, complaints, stopped, close } = await openConsole(
    world,
    await memberOf(world),
    '/console/document-signers',
  )
  await page.waitForSelector('text=There is no IACA')
  await page.click('text=New IACA')
  await page.fill('input[name=country]', 'Netherlands')
  await page.fill('input[name=commonName]', 'State IACA')
  await page.click('button:text-is("Create")')
  await page.waitForSelector('.entry:has(input[name=country][aria-invalid]) .fault')
  await page.fill('input[name=country]', 'NL')
  await page.click('button:text-is("Create")')
  await page.waitForSelector('dd bdi:text-is("State IACA")')
  const iacaId = page.url().split('/').at(-1) ?? ''
  t.like(await read(IACAS, iacaId), { usability: 'usable', certificateData: { country: 'NL' } })

  await page.click('main a:text-is("New document signer")')
  await settled(page)
  t.is(await page.inputValue('select[name=iacaId]'), iacaId)
  await page.fill('input[name=commonName]', 'State signer')
  await page.fill('input[name=notAfter]', new Date(Date.now() + 100.5 * DAY_MS).toISOString().slice(0, 16))
  await page.click('button:text-is("Create")')
  await page.waitForSelector('dd bdi:text-is("State signer")')
  const id = page.url().split('/').at(-1) ?? ''
  const made = await read(SIGNERS, id)
  t.like(made, { usability: 'usable', active: true, renew: true, iacaId })
  t.regex((await page.textContent('dd:has(time):has-text("days")')) ?? '', /\(100 days\)/)
  await page.click('summary:text-is("Certificate (PEM)")')
  t.is((await page.textContent('section.code[aria-label="Certificate (PEM)"]'))?.trim(), made.certificatePem.trim())

  const becomes = async (button: string, state: Partial<Signer>) => {
    await page.click(`button:text-is("${button}")`)
    // that it is done stands there from the button before, too
    await until(button, async () => {
      const signer: Record<string, unknown> = { ...(await read(SIGNERS, id)) }
      return Object.entries(state).every(([name, value]) => signer[name] === value)
    })
    await page.waitForSelector('text=Done. The page shows the new state.')
    await settled(page)
  }
  await becomes('Deactivate', { active: false, usability: 'inactive' })
  await becomes('Activate', { active: true, usability: 'usable' })
  await becomes('Do not renew', { renew: false })
  await becomes('Renew by itself', { renew: true })

  const { mobileEncoded } = await signMobile(world)
  const verified = async () =>
    (await world.ask('/v1/credentials/mobile/verify', { token: world.token, body: { payload: mobileEncoded } })).json<{
      verified: boolean
      reason: { type: string }[]
    }>()
  t.true((await verified()).verified)
  await page.click('button:text-is("Revoke")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForSelector('text=The document signer is revoked.')
  await settled(page)
  t.is((await page.textContent('dd .state.bad'))?.trim(), 'revoked')
  t.is((await verified()).reason[0]?.type, 'CertificateRevoked')
  t.deepEqual(
    await page.locator('main .actions:not(dialog .actions) > button').allTextContents(),
    ['Delete'],
    'it takes no part any more',
  )
  await page.click('button:text-is("Delete")')
  await page.waitForSelector('dialog[open] p:has-text("if no other valid signer of its IACA is left")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForURL('**/console/document-signers')
  t.is((await world.ask(`${SIGNERS}/${id}`, { token: world.token })).status, 404)
  t.deepEqual([complaints, await stopped()], [[], []])
  await close()
})

test('a successor begins with what the signer has, and an authority with signers is not deleted', async (t) => {
  const iacaId = await createIaca(world)
  const signerId = await createSigner(world)
  pages.push(
    ['signers', '/document-signers'],
    ['signer', `/document-signers/${signerId}`],
    ['signer-new', '/document-signers/new'],
    ['iaca', `/document-signers/iacas/${iacaId}`],
  )
  const { page, close } = await openConsole(world, await memberOf(world), `/console/document-signers/${signerId}`)
  const { certificateData } = await read(SIGNERS, signerId)
  await page.click('main a:text-is("Create a successor now")')
  await settled(page)
  t.is(await page.inputValue('select[name=iacaId]'), iacaId)
  t.is(await page.inputValue('input[name=commonName]'), certificateData.commonName)
  await page.uncheck('input[name=renew]')
  await page.click('button:text-is("Create")')
  await page.waitForURL((url) => !/new|successor/.test(url.pathname))
  await settled(page)
  const successor = await read(SIGNERS, page.url().split('/').at(-1) ?? '')
  t.like(successor, { renew: false, usability: 'usable', certificateData: { commonName: certificateData.commonName } })

  await page.goto(`${world.url}/console/document-signers/iacas/${iacaId}`)
  await settled(page)
  await page.click('button:text-is("Delete")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForSelector('dialog[open] .failure')
  await page.click('dialog[open] button:text-is("Cancel")')
  await page.click('button:text-is("Deactivate")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForSelector('button:text-is("Activate")')
  t.is((await read(IACAS, iacaId)).usability, 'inactive')
  t.is((await read(SIGNERS, signerId)).usability, 'iaca_inactive')
  await page.click('button:text-is("Activate")')
  await page.waitForSelector('button:text-is("Deactivate")')
  t.is((await read(IACAS, iacaId)).usability, 'usable')
  await close()
})

test('a signer of an imported authority shows its request, and refuses a certificate that does not fit', async (t) => {
  const other = await world.addTenant()
  const foreign = await makeIaca(world, { commonName: 'Elsewhere' }, await world.tokenOf(other))
  const { page, close } = await openConsole(world, await memberOf(world), '/console/document-signers/iacas/new')
  await page.selectOption('select[name=key]', 'import')
  await page.fill('textarea[name=certificatePem]', 'no certificate')
  await page.click('button:text-is("Create")')
  await page.waitForSelector('.entry:has(textarea[aria-invalid]) .fault')
  await page.fill('textarea[name=certificatePem]', foreign.certificatePem)
  await page.click('button:text-is("Create")')
  await page.waitForSelector('dd:has-text("elsewhere: certificate imported")')
  await page.click('main a:text-is("New document signer")')
  await settled(page)
  await page.uncheck('input[name=renew]')
  await page.click('button:text-is("Create")')
  await page.waitForSelector('dd .state:text-is("no certificate yet")')
  pages.push(['signer-request', new URL(page.url()).pathname.slice('/console'.length)])
  await page.click('summary:text-is("Certificate request (PEM)")')
  t.regex(
    (await page.textContent('section.code[aria-label="Certificate request (PEM)"]')) ?? '',
    /^-----BEGIN CERTIFICATE REQUEST-----/,
  )
  await page.fill('textarea[name=certificatePem]', foreign.certificatePem)
  await page.click('button:text-is("Take the certificate")')
  await page.waitForSelector('form .failure')
  t.is((await read(SIGNERS, page.url().split('/').at(-1) ?? '')).usability, 'no_certificate')
  await close()
})

test('a verifier reads signers and changes none', async (t) => {
  const { page, close } = await openConsole(world, await memberOf(world, 'verifier'), '/console/document-signers')
  t.is(await page.locator('main a:has-text("New")').count(), 0)
  await page.locator('tbody a').first().click()
  await page.waitForSelector('h1:text-is("Document signer")')
  await settled(page)
  t.deepEqual([...new Set(await page.locator('main button').allTextContents())], ['Copy'])
  await page.goto(`${world.url}/console/document-signers/new`)
  await page.waitForSelector('text=Your role may not open this page')
  await close()
})

looksRight(
  test,
  () => world,
  () => pages,
)
