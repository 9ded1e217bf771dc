import type { ComponentChildren } from 'preact'
import { useLocale, useSay, useTexts } from '../texts/index.ts'

/** Rows of a list on a page of it. */
export const PAGE_SIZE = 25

export type Column<Row> = [heading: string, cell: (row: Row) => ComponentChildren]

interface TableProps<Row> {
  label: string
  columns: Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row, at: number) => string | number
}

/** A table; on a narrow screen each row is a list of its own, and nothing scrolls. */
export function Table<Row>({ label, columns, rows, keyOf }: TableProps<Row>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys (WCAG 2.1.1)
    <section class="scroll stacked" tabIndex={0} aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map(([heading]) => (
              <th key={heading} scope="col">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={keyOf(row, at)}>
              {columns.map(([heading, cell]) => (
                <td key={heading} data-heading={heading}>
                  <div>{cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

interface PagingProps {
  /** What has the pages. */
  of: string
  page: number
  pages: number
  total: number
  go: (page: number) => void
}

/** Back and forth. A button that leads nowhere keeps the focus: it says so, and does nothing. */
export function Paging({ of, page, pages, total, go }: PagingProps) {
  const { paging } = useTexts()
  const [locale, say] = [useLocale(), useSay()]
  const step = (to: number, text: string) => {
    const isEnd = to < 1 || to > pages
    return (
      <button type="button" aria-disabled={isEnd} onClick={() => !isEnd && go(to)}>
        {text}
      </button>
    )
  }
  return (
    <nav class="paging" aria-label={`${paging.label}: ${of}`}>
      {step(page - 1, paging.previous)}
      <span role="status">
        {say(paging.page, { page, pages: Math.max(pages, 1) })} ·{' '}
        {say(paging.count, { count: total.toLocaleString(locale) })}
      </span>
      {step(page + 1, paging.next)}
    </nav>
  )
}

interface EmptyProps {
  title: string
  hint?: string
  /** Whether the role may do what the hint and the command are about. */
  mayCreate?: boolean
  children?: ComponentChildren
}

/** What to do first, where there is nothing to show: for who may do it. */
export function Empty({ title, hint, mayCreate = true, children }: EmptyProps) {
  const { frame } = useTexts()
  return (
    <div class="empty">
      <p>
        <strong>{title}</strong>
      </p>
      {mayCreate && hint && <p>{hint}</p>}
      {mayCreate ? children : <p>{frame.mayOnlyRead}</p>}
    </div>
  )
}
