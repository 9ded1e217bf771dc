/** The members of an answer that lists: one array, and how many pages there are, in the casing of its operation. */
export type Page = { totalPages: number } | { total_pages: number }

/** What the array of a page holds. */
export type RowOf<Answer> = {
  [Name in keyof Answer]: Answer[Name] extends readonly (infer Row)[] ? Row : never
}[keyof Answer]

const pagesIn = (answer: Page): number => ('totalPages' in answer ? answer.totalPages : answer.total_pages)

/**
 * Every row of a list, page after page. A row that is added or removed meanwhile moves the others, so that one may come
 * twice or not at all.
 */
export async function* rowsOf<Row>(ask: (page: number) => Promise<Page>): AsyncGenerator<Row> {
  for (let page = 1, pages = 1; page <= pages; page++) {
    const answer = await ask(page)
    pages = pagesIn(answer)
    const rows: unknown = Object.values(answer).find(Array.isArray)
    if (!rows) throw new TypeError('the answer is no page: it has no array')
    yield* rows as Row[]
  }
}
