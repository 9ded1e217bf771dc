import type { Schemas } from '../../../client/index.ts'
import { Choice, Field, Filters, useQuery } from '../../frame/filters.tsx'
import { useLoad } from '../../frame/load.ts'
import { Curl, Heading, Json, Shown, State, Time } from '../../frame/parts.tsx'
import { pathOf } from '../../frame/router.tsx'
import { api } from '../../frame/session.ts'
import { type Column, Empty, Paging, Table } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'

type Entry = Schemas['LogEntryOut']

const PAGE_SIZE = 50
const DAY_MS = 86_400_000
const UUID = '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'
/** A moment as the field of the browser writes it, in the reader's zone. */
const fieldOf = (moment: Date): string =>
  new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)

function momentOf(text: string | undefined, instead: number): Date {
  const moment = new Date(text ?? '')
  return Number.isNaN(moment.getTime()) ? new Date(instead) : moment
}

/** An entry is found by its type or by its category; what names a request or an object is looked for in all times. */
function filterOf({ category, type, requestId, objectId, from, to }: Record<string, string | undefined>) {
  const first = requestId || objectId ? 0 : opened.getTime() - DAY_MS
  return {
    categories: category && !type ? [category] : [],
    types: type ? [type] : [],
    ids: [],
    requestIds: requestId ? [requestId] : [],
    objectIds: objectId ? [objectId] : [],
    dateFrom: momentOf(from, first).toISOString(),
    dateTo: momentOf(to, opened.getTime() + DAY_MS).toISOString(),
  }
}

const opened = new Date()

export function LogPage() {
  const { log, frame } = useTexts()
  const { query, page, filter, turn, reset } = useQuery(pathOf('log'))
  const kinds = useLoad('', async () => (await api.get('/v1/analytics/event-types')).data)
  const body = filterOf(query)
  const loaded = useLoad(JSON.stringify([body, page]), () =>
    api.post('/v1/analytics/events', { params: { query: { limit: PAGE_SIZE, page } }, body }),
  )
  const categories = [...new Set(kinds.data?.map(({ category }) => category))].sort()
  const columns: Column<Entry>[] = [
    [log.time, ({ timestamp }) => <Time at={timestamp} />],
    [log.entry, ({ type }) => <code>{type}</code>],
    [
      log.outcome,
      ({ type }) =>
        type.endsWith('_FAIL') ? (
          <State name="FAILED">{log.failure}</State>
        ) : (
          <State name="enabled">{log.success}</State>
        ),
    ],
    [log.requestId, ({ requestId }) => <code>{requestId}</code>],
    [log.place, ({ position }) => position ?? ''],
    [frame.json, (entry) => <Json value={entry} summary={frame.show} label={`${entry.type} ${entry.id}`} />],
  ]
  const uuid = { pattern: UUID, title: log.uuid }
  return (
    <>
      <Heading title={log.heading}>{log.heading}</Heading>
      <Filters state={JSON.stringify([query, categories.length])} onFilter={filter} onReset={reset} search={log.search}>
        <Choice
          label={log.category}
          name="category"
          value={query.category}
          choices={categories.map((name) => [name, name])}
        />
        <Field label={log.entry} name="type" value={query.type} list="log-types" />
        <datalist id="log-types">
          {kinds.data?.map(({ type }) => (
            <option key={type} value={type} />
          ))}
        </datalist>
        <Field label={log.requestId} name="requestId" value={query.requestId} {...uuid} />
        <Field label={log.objectId} name="objectId" value={query.objectId} {...uuid} />
        <Field label={log.from} name="from" type="datetime-local" value={fieldOf(new Date(body.dateFrom))} />
        <Field label={log.to} name="to" type="datetime-local" value={query.to} />
      </Filters>
      <p class="quiet">{log.localTime}</p>
      <Shown loaded={kinds}>{() => null}</Shown>
      <Shown loaded={loaded}>
        {(answer) =>
          answer.totalCount > 0 ? (
            <>
              <Table label={log.heading} columns={columns} rows={answer.data} keyOf={({ id }) => id} />
              <Paging of={log.heading} page={page} pages={answer.totalPages} total={answer.totalCount} go={turn} />
            </>
          ) : (
            <Empty title={log.empty} hint={log.emptyHint} />
          )
        }
      </Shown>
      <Curl method="POST" path={`/v1/analytics/events?limit=${PAGE_SIZE}&page=${page}`} body={body} />
    </>
  )
}
