/** The members of an answer that lists: one array, and how many pages there are, in the casing of its operation. */
export type Page = { totalPages: number } | { total_pages: number }

/** What the array of a page holds. */
export type RowOf<Answer> = {
  [Name in keyof Answer]: Answer[Name] extends readonly (infer Row)[] ? Row : never
}[keyof Answer]

/** More than any list has: of a million rows, one on a page. */
const MOST_PAGES = 1_000_000

interface Counts {
  totalPages?: unknown
  total_pages?: unknown
  totalCount?: unknown
  total_count?: unknown
}

const countsOf = (answer: Page): Counts => Object(answer) // which may be no object

function pagesIn(answer: Page): number {
  const { totalPages, total_pages: pages = totalPages } = countsOf(answer)
  if (Number.isSafeInteger(pages) && Number(pages) <= MOST_PAGES) return Number(pages)
  throw new TypeError(`the answer is no page: its number of pages is none up to ${MOST_PAGES}`)
}

/** How many rows or, where it is not told, pages the list has. */
function sizeIn(answer: Page): number {
  const { totalCount, total_count: count = totalCount } = countsOf(answer)
  return typeof count === 'number' ? count : pagesIn(answer)
}

/**
 * Every row of a list, page after page. A row that is added or removed meanwhile moves the others, so that one may come
 * twice or not at all: where so many are added that a page is the one before it again, it is passed over. A list that
 * gives a page again and has not grown would not end: that is an error. An empty page is the last one.
 */
export async function* rowsOf<Row>(ask: (page: number) => Promise<Page>): AsyncGenerator<Row> {
  let [before, size] = ['', 0]
  for (let page = 1, pages = 1; page <= pages; page++) {
    const answer = await ask(page)
    pages = pagesIn(answer)
    const rows = Object.values<unknown>(answer).find((value): value is unknown[] => Array.isArray(value))
    if (!rows) throw new TypeError('the answer is no page: it has no array')
    if (rows.length === 0) return
    const [text, sizeBefore] = [JSON.stringify(rows), size]
    size = sizeIn(answer)
    if (text !== before) yield* rows as Row[]
    else if (size <= sizeBefore) throw new Error(`page ${page} of the list is page ${page - 1} again`)
    before = text
  }
}
