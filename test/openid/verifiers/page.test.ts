import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import anyTest from 'ava'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { createVerifier, createVerifierClient, openRelyingParty } from '../../support/openid/verifiers.ts'
import { openChromium } from '../../support/parts/chromium.ts'
import { needs } from '../../support/parts.ts'
import { openWorld, type World } from '../../support/world.ts'

const test = needs('Chromium', anyTest.serial)

/** Pictures of the page, for people to look at. */
const pictures = fileURLToPath(new URL('../../../build/tests/pictures/', import.meta.url))

let world: World
let chromium: Browser
let relying: Awaited<ReturnType<typeof openRelyingParty>>
anyTest.before(async () => {
  mkdirSync(pictures, { recursive: true })
  world = await openWorld()
  const verifier = await createVerifier(world)
  relying = await openRelyingParty(verifier, await createVerifierClient(world, verifier.id))
})
anyTest.after.always(async () => {
  await chromium?.close()
  await world?.close()
})

/** The page of a new sign-in, and everything that the browser complained of. */
async function openPage(options: BrowserContextOptions = {}) {
  chromium ??= await openChromium()
  const context = await chromium.newContext(options)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  await page.goto((await relying.authorizationUrl()).url.href)
  return { page, complaints, close: () => context.close() }
}

/** Relative luminance of a CSS colour (WCAG 2.2). */
const luminanceOf = (color: string): number => {
  const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map((each) => {
    const part = Number(each) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
const contrastOf = (one: string, other: string): number => {
  const [low = 0, high = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

// what runs in the browser is text: the tests have no types of a browser
const COLOURS = `(element) => {
  let behind = element
  const background = () => (behind ? getComputedStyle(behind).backgroundColor : 'rgb(255, 255, 255)')
  while (behind && /^rgba\\(.*, 0\\)$/.test(background())) behind = behind.parentElement
  return { text: getComputedStyle(element).color, behind: background() }
}`

const evaluated = <Result>(page: Page, selector: string, read: string): Promise<Result> =>
  page.evaluate<Result>(`(${read})(document.querySelector(${JSON.stringify(selector)}))`)

/** Colours of an element's text and of what is behind it. */
const coloursOf = (page: Page, selector: string) => evaluated<{ text: string; behind: string }>(page, selector, COLOURS)

/** What a screen reader tells of the page. */
const HEARD = `- main:
  - heading "Sign in to Student portal" [level=1]
  - paragraph: "Student portal asks for: A course certificate."
  - status: Waiting for your wallet. This page continues by itself.
  - heading "With a wallet on this device" [level=2]
  - link "Open your wallet":
    - /url: openid4vp:…
  - heading "With a wallet on another device" [level=2]
  - paragraph: Scan this code only if you opened this page yourself.
  - img "QR code that opens the request in a wallet"
  - button "Go back to Student portal"`

test('the page of a sign-in has names for screen readers: its heading, its status, its link, its code and its button', async (t) => {
  const { page, complaints, close } = await openPage()
  t.is(await page.locator('html').getAttribute('lang'), 'en')
  t.is(await page.title(), 'Sign in to Student portal')
  const heard = (await page.locator('body').ariaSnapshot()).replace(/openid4vp:\S+/, 'openid4vp:…')
  t.is(heard, HEARD)
  t.deepEqual(complaints, [])
  await page.screenshot({ path: join(pictures, 'sign-in.png') })
  await close()
})

test('the keyboard reaches the link and the button in their order, shows where it is, and leads back to the client', async (t) => {
  const { page, complaints, close } = await openPage()
  const focused = () => page.evaluate<string>('document.activeElement.textContent.trim()')
  await page.keyboard.press('Tab')
  t.is(await focused(), 'Open your wallet')
  const outline = await evaluated<string>(page, 'a.act', '(element) => getComputedStyle(element).outlineStyle')
  t.is(outline, 'solid')
  await page.keyboard.press('Tab')
  t.is(await focused(), 'Go back to Student portal')
  const back = page.waitForRequest((request) => request.url().startsWith(relying.redirectUri))
  await page.keyboard.press('Enter')
  t.is(new URL((await back).url()).searchParams.get('error'), 'access_denied')
  t.deepEqual(complaints, [])
  await close()
})

for (const colorScheme of ['light', 'dark'] as const)
  test(`on a small ${colorScheme} screen nothing is cut off, and every text can be read`, async (t) => {
    const { page, complaints, close } = await openPage({ viewport: { width: 320, height: 568 }, colorScheme })
    const width = await page.evaluate<number>('document.documentElement.scrollWidth')
    t.true(width <= 320, `${width} px`)
    for (const selector of ['h1', 'h2', 'p', '[role=status]', 'a.act', 'button']) {
      const { text, behind } = await coloursOf(page, selector)
      t.true(contrastOf(text, behind) >= 4.5, `${selector}: ${text} on ${behind}`)
    }
    const { behind } = await coloursOf(page, 'main')
    t.is(luminanceOf(behind) < 0.2, colorScheme === 'dark')
    for (const selector of ['a.act', 'button']) {
      const box = await page.locator(selector).boundingBox()
      t.true((box?.height ?? 0) >= 44 && (box?.width ?? 0) >= 44, selector)
    }
    // a camera needs dark on light, whatever the page has
    const code = await evaluated<string>(page, '.qr', '(element) => getComputedStyle(element).backgroundColor')
    t.true(luminanceOf(code) > 0.9)
    t.deepEqual(complaints, [])
    await page.screenshot({ path: join(pictures, `sign-in-small-${colorScheme}.png`), fullPage: true })
    await close()
  })

test('without scripts the link is a link, and the page loads itself again', async (t) => {
  const { page, close } = await openPage({ javaScriptEnabled: false })
  t.regex((await page.getByRole('link', { name: 'Open your wallet' }).getAttribute('href')) ?? '', /^openid4vp:/)
  const again = await page.waitForRequest((request) => request.isNavigationRequest(), { timeout: 15_000 })
  t.true(again.url().includes('/sign-in/'))
  await close()
})

test('no site frames the page', async (t) => {
  const { page, close } = await openPage()
  const url = page.url()
  await page.route('https://elsewhere.example/', (route) =>
    route.fulfill({ status: 200, contentType: 'text/html', body: `<iframe src="${url}"></iframe>` }),
  )
  await page.goto('https://elsewhere.example/')
  const [, frame] = page.frames()
  await frame?.waitForLoadState().catch(() => undefined)
  t.is(await frame?.getByRole('heading', { name: /Sign in/ }).count(), 0)
  await close()
})
