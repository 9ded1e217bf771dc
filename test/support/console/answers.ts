import type { Page, Route } from 'playwright-core'

/**
 * The first `count` requests of an address get `answer`, later ones go on to the platform. Playwright's own option `times`
 * ends its interception after the last of them, and loses a request that the page sends at that moment.
 */
export async function answerFirst(
  page: Page,
  address: string,
  answer: (route: Route) => Promise<void>,
  count = 1,
): Promise<void> {
  let left = count
  await page.route(address, (route) => {
    if (left === 0) return route.continue()
    left -= 1
    return answer(route)
  })
}

/** The platform does what the next request of an address asks, and its answer is lost on the way. */
export const loseAnswer = (page: Page, address: string): Promise<void> =>
  answerFirst(page, address, async (route) => {
    await route.fetch()
    await route.abort()
  })

/** What a page says whose request has no answer. */
export const UNANSWERED = '[role=alert] strong:text-is("The platform cannot be reached")'
