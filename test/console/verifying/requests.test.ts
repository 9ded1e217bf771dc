import anyTest from 'ava'
import jsQrModule from 'jsqr'
import { PNG } from 'pngjs'
import { looksRight, type NamedPage } from '../../support/console/appearance.ts'
import { closeBrowser, memberOf, openConsole, picture, settled, violationsOf } from '../../support/console/browser.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { openSdJwt } from '../../support/openid/presenting.sd-jwt.ts'
import { wallet } from '../../support/openid/presenting.ts'
import { REQUESTS, requestsOf } from '../../support/openid/requests.ts'
import { needs } from '../../support/parts.ts'
import { openWorld, type World } from '../../support/world.ts'

const test = needs('Chromium', anyTest.serial)

// CommonJS, whose types say otherwise
const jsQr = jsQrModule as unknown as (typeof jsQrModule)['default']

const FRAME = { given_name: true }

let world: World
let did: string
let issuer: string
let verified: string
let pages: NamedPage[]
anyTest.before(async () => {
  world = await openWorld()
  did = await createDid(world, 'p256')
  issuer = await createDid(world, 'ed25519', world.token, true)
  const { id, uri } = await requestsOf(world, did).create()
  verified = id
  const request = await wallet.readRequest(uri)
  await wallet.answer(request, await (await openSdJwt(world, { issuer_did: issuer })).present(request, FRAME))
  pages = [
    ['requests', '/presentations'],
    ['new-request', '/presentations/requests/new'],
    ['request', `/presentations/requests/${verified}`],
  ]
})
anyTest.after.always(async () => {
  await closeBrowser()
  await world?.close()
})

test('a verifier asks a wallet by a QR code, sees why an answer is refused, and reads the next one check by check', async (t) => {
  const at = '/console/presentations/requests/new'
  const { page, complaints, stopped, close } = await openConsole(world, await memberOf(world), at)
  await page.fill('input[name=verifierDid]', did)
  await page.fill('textarea[name=dcqlQuery]', '{')
  await page.click('main form button[type=submit]')
  await page.waitForSelector('.fault:has-text("expected JSON.")')
  await page.reload()
  await page.fill('input[name=verifierDid]', did)
  await page.click('main form button[type=submit]')
  await page.waitForSelector('img.qr')
  await page.waitForSelector('dd .state:text-is("waits for a wallet")')
  await settled(page)
  const shot = PNG.sync.read(await page.locator('img.qr').screenshot({ scale: 'css' }))
  const link = jsQr(new Uint8ClampedArray(shot.data), shot.width, shot.height)?.data ?? ''
  const request = await wallet.readRequest(link)
  await page.waitForSelector('dd .state:text-is("a wallet has read it")')
  // of the type that the form asks for as it stands
  const vct = 'https://credentials.university.example/identity'
  const held = await openSdJwt(world, { issuer_did: issuer }, { vct })
  t.is((await wallet.answer(request, { identity: [await held.unbound(FRAME)] })).status, 400)
  await page.waitForSelector('.failure:has-text("Not verified")')
  t.regex((await page.textContent('section[aria-label="Checks: identity"]')) ?? '', /failed\s*KeyBinding/)
  t.is((await wallet.answer(request, await held.present(request, FRAME))).status, 200)
  await page.waitForSelector('.success:has-text("Verified: no check failed, and ")')
  await page.waitForSelector('dd .state:text-is("verified")')
  await page.click('summary:text-is("What it says")')
  t.regex((await page.textContent('main')) ?? '', /"given_name": "Ada"/)
  t.deepEqual(await violationsOf(page), [])
  await picture(page, 'console-request-verified')
  t.deepEqual([complaints, await stopped()], [[], []])
  await close()
})

test('requests are listed with their state, and one is deleted after a question', async (t) => {
  const { id } = await requestsOf(world, did).create()
  const { page, close } = await openConsole(world, await memberOf(world), '/console/presentations')
  await page.waitForSelector(`tr:has-text("${verified}"):has-text("verified")`)
  await page.click(`a:text-is("${id}")`)
  await page.waitForSelector('h1:text-is("Request to a wallet")')
  await page.click('button:text-is("Delete")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForURL('**/console/presentations')
  t.is((await world.ask(`${REQUESTS}/${id}`, { token: world.token })).status, 404)
  await close()
})

test('who may only read asks nobody, and deletes nothing', async (t) => {
  for (const path of ['/presentations', `/presentations/requests/${verified}`]) {
    const { page, close } = await openConsole(world, await memberOf(world, 'auditor'), `/console${path}`)
    await page.waitForSelector('h1')
    await settled(page)
    t.is(await page.locator('main form, main button.danger, main a[href$="/new"]').count(), 0, path)
    await close()
  }
})

looksRight(
  test,
  () => world,
  () => pages,
)
