import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { useLoad } from '../../frame/load.ts'
import { Curl, Shown } from '../../frame/parts.tsx'
import { api } from '../../frame/session.ts'
import { type Column, PAGE_SIZE, Table } from '../../frame/table.tsx'
import { useSay, useTexts } from '../../texts/index.ts'

/** A broken rule of a row, as the API writes each in a line. */
interface RowError {
  row: number
  field: string
  code: string
  rule: string
  message: string
}

interface Page {
  errors: RowError[]
  hasMore: boolean
}

/** One page of the file: what comes after it is not read, and what comes before it is not kept. */
async function readPage(id: string, page: number): Promise<Page> {
  const stream = await api.get('/v1/credentials/batches/{id}/errors', {
    params: { path: { id } },
    parseAs: 'stream',
  })
  const from = (page - 1) * PAGE_SIZE
  const [errors, decoder] = [[] as RowError[], new TextDecoder()]
  const reader = stream?.getReader()
  let [rest, line] = ['', 0]
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
    if (done) return { errors, hasMore: false }
    const lines = (rest + decoder.decode(value, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const text of lines) {
      if (text === '') continue
      if (line >= from + PAGE_SIZE) {
        await reader?.cancel()
        return { errors, hasMore: true }
      }
      if (line++ >= from) errors.push(JSON.parse(text))
    }
  }
}

/** The rows that were refused, in pages. */
export function RowErrors({ batch: { id, failed } }: { batch: Schemas['BatchOut'] }) {
  const { batches, paging } = useTexts()
  const say = useSay()
  const [page, setPage] = useState(1)
  // a full page changes no more while further rows are refused
  const seen = Math.min(failed, page * PAGE_SIZE + 1)
  const loaded = useLoad(`${id} ${page} ${seen}`, () => readPage(id, page))
  const columns: Column<RowError>[] = [
    [batches.row, ({ row }) => row],
    [batches.field, ({ field }) => <code>{field}</code>],
    [batches.rule, ({ rule, code }) => <code>{rule || code}</code>],
    [batches.message, ({ message }) => <bdi>{message}</bdi>],
  ]
  const step = (to: number, text: string, isEnd: boolean) => (
    <button type="button" aria-disabled={isEnd} onClick={() => !isEnd && setPage(to)}>
      {text}
    </button>
  )
  return (
    <>
      <Shown loaded={loaded}>
        {({ errors, hasMore }) => (
          <>
            <Table label={batches.errors} columns={columns} rows={errors} keyOf={(_, at) => at} />
            <nav class="paging" aria-label={`${paging.label}: ${batches.errors}`}>
              {step(page - 1, paging.previous, page === 1)}
              <span role="status">{say(batches.errorPage, { page })}</span>
              {step(page + 1, paging.next, !hasMore)}
            </nav>
          </>
        )}
      </Shown>
      <Curl path={`/v1/credentials/batches/${id}/errors`} />
    </>
  )
}
