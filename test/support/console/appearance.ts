import type { Account } from '../accounts.ts'
import { sampled } from '../parts/thorough.ts'
import type { Declare } from '../parts.ts'
import type { World } from '../world.ts'
import { logIn, memberOf, openPage, picture, settled, violationsOf } from './browser.ts'
import { worksByKeys } from './keyboard.ts'

/** A name for the picture, and the address below /console. */
export type NamedPage = [name: string, path: string]

/** Text that its place cuts: of what is one line, and of buttons, labels, headings and links of the navigation. */
const CUT = `[...document.querySelectorAll('button, label, h1, h2, nav a, th, dt, summary')]
  .filter((element) => element.offsetParent && (element.scrollWidth > element.clientWidth + 1) && getComputedStyle(element).display !== 'inline')
  .map((element) => element.textContent)`

/** A phone and a desk, light and dark, each language on both. */
const SCREENS = [
  { width: 360, colorScheme: 'light', locale: 'en-GB' },
  { width: 360, colorScheme: 'dark', locale: 'de-DE' },
  { width: 1440, colorScheme: 'light', locale: 'en-GB' },
  { width: 1440, colorScheme: 'dark', locale: 'de-DE' },
] as const

/** Requests of the console that are no operation of the API document. */
async function undocumented(world: World, asked: readonly { method: string; path: string }[]): Promise<string[]> {
  const { paths } = (await world.ask('/openapi.json')).json<{ paths: Record<string, Record<string, object>> }>()
  const operations = Object.entries(paths).flatMap(([path, methods]) => {
    const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
    return Object.keys(methods).map((method) => ({ method: method.toUpperCase(), pattern }))
  })
  return asked
    .filter(({ path }) => !path.startsWith('/console'))
    .filter(({ method, path }) => !operations.some((each) => each.method === method && each.pattern.test(path)))
    .map(({ method, path }) => `${method} ${path}`)
}

/** Each page is accessible (axe-core), no wider than the screen, with no text cut, works by keys alone, complains of nothing, and asks the documented API alone. */
export function looksRight(
  test: Declare<unknown>,
  world: () => World,
  pages: () => NamedPage[],
  who: (world: World) => Promise<Account> = (world) => memberOf(world),
): void {
  for (const { width, colorScheme, locale } of sampled(SCREENS, 1, 2))
    test(`every page is accessible, and wide as the screen: ${width} px, ${colorScheme}, ${locale}`, async (t) => {
      t.timeout(5 * 60_000)
      const language = locale.slice(0, 2)
      const options = { locale, colorScheme, viewport: { width, height: 800 } }
      const { page, asked, complaints, stopped, close } = await openPage(world(), '/console', options)
      await page.waitForSelector('h1')
      await logIn(page, await who(world()))
      for (const [name, path] of pages()) {
        await page.goto(`${world().url}/console${path}`)
        await page.waitForSelector('nav.main')
        await settled(page)
        await picture(page, `console-${name}-${width}-${colorScheme}-${language}`)
        t.deepEqual(await violationsOf(page), [], name)
        t.true(
          await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'),
          `${name} is too wide`,
        )
        t.deepEqual(await page.evaluate<string[]>(CUT), [], name)
        t.is(await page.evaluate('document.documentElement.lang'), language)
        // colours change nothing of keys
        if (colorScheme === 'light') await worksByKeys(t, page, name)
      }
      t.deepEqual([complaints, await stopped(), await undocumented(world(), asked)], [[], [], []])
      await close()
    })
}
