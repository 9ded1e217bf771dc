import type { Assertions } from 'ava'
import type { Page } from 'playwright-core'

/** Presses for a field of several parts, as of a date with its time. */
const PARTS = 8
/** Questions of a page that are opened: one button of a list is as the next. */
const QUESTIONS = 4

/**
 * What keys reach, in the order of the document: of a group of radio buttons the chosen one. `reached` is filled by the
 * browser's own events: the place of each control that got the focus, and whether its look says so.
 */
const LISTEN = `(() => {
  const named = 'a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]'
  const isShown = (each) => each.checkVisibility({ visibilityProperty: true }) && !each.disabled && !each.closest('[inert]')
  const isStop = (each) => each.type !== 'radio' || each.checked || !document.querySelector('input[type=radio][name="' + each.name + '"]:checked')
  const within = document.querySelector('dialog[open]') ?? document
  const controls = [...within.querySelectorAll(named)].filter(isShown).filter(isStop)
  const lookOf = (each) => { const { outlineStyle, outlineWidth, boxShadow, borderColor, backgroundColor } = getComputedStyle(each); return [outlineStyle === 'none' ? '' : outlineWidth, boxShadow, borderColor, backgroundColor].join() }
  const looks = controls.map((each) => each === document.activeElement ? undefined : lookOf(each))
  globalThis.keys?.stop()
  const reached = []
  const note = ({ target }) => {
    const at = controls.indexOf(target)
    const scrolls = target.scrollHeight > target.clientHeight || target.scrollWidth > target.clientWidth
    if (at >= 0 || !scrolls) reached.push({ at, isVisible: lookOf(target) !== looks[at], name: target.outerHTML.slice(0, 120) })
  }
  document.addEventListener('focusin', note)
  globalThis.keys = { controls, reached, stop: () => document.removeEventListener('focusin', note) }
  const parts = controls.filter(({ type }) => ['date', 'datetime-local', 'time', 'month'].includes(type)).length
  return { count: controls.length, parts, names: controls.map((each) => each.outerHTML.slice(0, 120)) }
})()`

/** The next press of Tab leads to the first control. */
const TO_TOP = `(() => {
  document.body.tabIndex = -1
  document.body.focus()
  document.body.removeAttribute('tabindex')
})()`

interface Reached {
  at: number
  isVisible: boolean
  name: string
}

/** Where `key` leads, one control after the other, until it begins anew. */
async function walk(page: Page, key: 'Tab' | 'Shift+Tab', presses: number): Promise<Reached[]> {
  for (let at = 0; at < presses; at++) await page.keyboard.press(key)
  const all = await page.evaluate<Reached[]>('keys.reached')
  // the parts of one field are one stop
  const stops = all.filter(({ at }, place) => place === 0 || at !== all[place - 1]?.at)
  const again = stops.findIndex(({ at }, place) => place > 0 && at === stops[0]?.at)
  return again < 0 ? stops : stops.slice(0, again)
}

/** Tab reaches each visible control once, in the order of the document, each with a visible focus; Shift+Tab goes back. */
async function reachesAll(t: Assertions, page: Page, name: string): Promise<void> {
  await page.evaluate(TO_TOP)
  const { count, parts, names } = await page.evaluate<{ count: number; parts: number; names: string[] }>(LISTEN)
  const presses = count + parts * PARTS + 1
  const forth = await walk(page, 'Tab', presses)
  t.deepEqual(
    forth.map(({ at, name: html }) => names[at] ?? html),
    names,
    `${name}: Tab reaches every control once, in order`,
  )
  t.deepEqual(
    forth.filter(({ isVisible }) => !isVisible).map(({ name: html }) => html),
    [],
    `${name}: the focus is visible`,
  )
  await page.evaluate(TO_TOP)
  await page.evaluate(LISTEN)
  const back = await walk(page, 'Shift+Tab', presses)
  t.deepEqual(
    back.map(({ at, name: html }) => names[at] ?? html),
    names.toReversed(),
    `${name}: Shift+Tab goes back`,
  )
  await page.evaluate('keys.stop()')
}

/** A question opens by Enter, keeps the focus within, ends by Escape, and gives the focus back to its button. */
async function questionsGiveBack(t: Assertions, page: Page, name: string): Promise<void> {
  const openers = await page.locator('main [aria-haspopup=dialog]:visible').all()
  for (const opener of openers.slice(0, QUESTIONS)) {
    await opener.focus()
    await page.evaluate('globalThis.opener = document.activeElement')
    await page.keyboard.press('Enter')
    await page.waitForSelector('dialog[open]')
    const { count, parts } = await page.evaluate<{ count: number; parts: number }>(LISTEN)
    for (let at = 0; at < count + parts * PARTS + 2; at++) await page.keyboard.press('Tab')
    const reached = await page.evaluate<Reached[]>('keys.reached')
    t.false(
      reached.some(({ at }) => at < 0),
      `${name}: the focus stays in the question`,
    )
    t.is(new Set(reached.map(({ at }) => at)).size, count, `${name}: all of the question is reached`)
    await page.evaluate('keys.stop()')
    await page.keyboard.press('Escape')
    await page.waitForSelector('dialog[open]', { state: 'detached' })
    t.true(await page.evaluate<boolean>('opener === document.activeElement'), `${name}: the focus comes back`)
  }
}

/** Keys alone do everything on a page (WCAG 2.2, success criteria 2.1.1, 2.1.2, 2.4.3, 2.4.7). */
export async function worksByKeys(t: Assertions, page: Page, name: string): Promise<void> {
  await reachesAll(t, page, name)
  await questionsGiveBack(t, page, name)
}

/** More than a page has. */
const MOST = 300

/** What people do with a keyboard alone. */
export function handsOn(page: Page) {
  const { keyboard } = page
  const isAt = async (place: string) => (await page.locator(place).and(page.locator(':focus')).count()) > 0
  /** Tab, until the place has the focus. */
  const to = async (place: string) => {
    for (let at = 0; at < MOST && !(await isAt(place)); at++) await keyboard.press('Tab')
    if (!(await isAt(place))) throw new Error(`no way to ${place} by keys`)
  }
  return {
    to,
    press: async (place: string) => {
      await to(place)
      await keyboard.press('Enter')
    },
    type: async (place: string, text: string) => {
      await to(place)
      await keyboard.type(text)
    },
    /** The option of a list that begins with these letters. */
    choose: async (place: string, letters: string) => {
      await to(place)
      await keyboard.type(letters)
    },
  }
}
