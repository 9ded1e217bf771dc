/** The members of an answer that lists: one array, and how many pages there are, in the casing of its operation. */
export type Page = { totalPages: number } | { total_pages: number }

/** What the array of a page holds. */
export type RowOf<Answer> = {
  [Name in keyof Answer]: Answer[Name] extends readonly (infer Row)[] ? Row : never
}[keyof Answer]

/** More than any list has: of a million rows, one on a page. */
const MOST_PAGES = 1_000_000

function pagesIn(answer: Page): number {
  const pages: unknown = 'totalPages' in answer ? answer.totalPages : answer.total_pages
  if (Number.isSafeInteger(pages) && Number(pages) <= MOST_PAGES) return Number(pages)
  throw new TypeError(`the answer is no page: its number of pages is none up to ${MOST_PAGES}`)
}

/**
 * Every row of a list, page after page. A row that is added or removed meanwhile moves the others, so that one may come
 * twice or not at all. An empty page is the last one; one that comes twice is an error, since the list would not end.
 */
export async function* rowsOf<Row>(ask: (page: number) => Promise<Page>): AsyncGenerator<Row> {
  let before = ''
  for (let page = 1, pages = 1; page <= pages; page++) {
    const answer = await ask(page)
    pages = pagesIn(answer)
    const rows = Object.values<unknown>(answer).find((value): value is unknown[] => Array.isArray(value))
    if (!rows) throw new TypeError('the answer is no page: it has no array')
    if (rows.length === 0) return
    const text = JSON.stringify(rows)
    if (text === before) throw new Error(`page ${page} of the list is page ${page - 1} again`)
    before = text
    yield* rows as Row[]
  }
}
