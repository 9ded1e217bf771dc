import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { useActors } from '../../frame/actors.ts'
import { save } from '../../frame/download.ts'
import { useQuery } from '../../frame/filters.tsx'
import { useDoing, useLoad } from '../../frame/load.ts'
import { Curl, Failure, Heading, Json, Shown, State, Time } from '../../frame/parts.tsx'
import { usePoll } from '../../frame/poll.ts'
import { pathOf } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { type Column, Empty, Paging, Table } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'
import { Chain } from './chain.tsx'
import { filterOf } from './filter.ts'
import { LogFilters } from './filters.tsx'
import { EVERY_MS, withoutReading } from './follow.ts'

type Entry = Schemas['LogEntryOut']

const PAGE_SIZE = 50

/** Whose request it was: `metadata` is JSON. */
function actorOf({ metadata }: Entry): string {
  try {
    const { clientId }: { clientId?: unknown } = JSON.parse(metadata)
    return typeof clientId === 'string' ? clientId : ''
  } catch {
    return '' // an entry of the platform itself
  }
}

function useColumns(standing: Standing): Column<Entry>[] {
  const actors = useActors(standing)
  const { log, frame } = useTexts()
  return [
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
    [
      log.who,
      (entry) => {
        const id = actorOf(entry)
        const name = actors.get(id)
        return name === undefined ? <code>{id}</code> : <bdi title={id}>{name}</bdi>
      },
    ],
    [log.requestId, ({ requestId }) => <code>{requestId}</code>],
    [log.place, ({ position }) => position ?? ''],
    [frame.json, (entry) => <Json value={entry} summary={frame.show} label={`${entry.type} ${entry.id}`} />],
  ]
}

function Export({ body }: { body: Schemas['LogFilterIn'] }) {
  const { log } = useTexts()
  const { run, error, isBusy } = useDoing()
  const fetchAll = () =>
    void run(async () => {
      const content = await api.post('/v1/analytics/events/export', { body, parseAs: 'blob' as const })
      save('log.jsonl', content)
    })
  return (
    <>
      <div class="actions">
        <button type="button" aria-disabled={isBusy} onClick={fetchAll}>
          {log.export}
        </button>
        <span class="quiet">{log.exported}</span>
      </div>
      <Failure error={error} />
      <Curl method="POST" path="/v1/analytics/events/export" body={body} />
    </>
  )
}

/** Everything that was done, newest first: as it is, or as it grows. */
export function LogPage({ standing }: { standing: Standing }) {
  const { log } = useTexts()
  const { query, page, filter, turn, reset } = useQuery(pathOf('log'))
  const [follows, setFollows] = useState(false)
  const kinds = useLoad('', async () => (await api.get('/v1/analytics/event-types')).data)
  const chosen = filterOf(query)
  const isFollowing = follows && page === 1 && kinds.data !== undefined
  const body = isFollowing ? withoutReading(chosen, kinds.data ?? []) : chosen
  const loaded = useLoad(JSON.stringify([body, page]), () =>
    api.post('/v1/analytics/events', { params: { query: { limit: PAGE_SIZE, page } }, body }),
  )
  usePoll(isFollowing, EVERY_MS, loaded.isLoading, loaded.reload)
  const columns = useColumns(standing)
  return (
    <>
      <Heading title={log.heading}>{log.heading}</Heading>
      <LogFilters {...{ query, filter, reset }} kinds={kinds.data ?? []} />
      <Shown loaded={kinds}>{() => null}</Shown>
      {page === 1 && (
        <div class="actions">
          <button type="button" onClick={() => setFollows(!follows)}>
            {follows ? log.pause : log.follow}
          </button>
          <span class="quiet" role="status">
            {follows ? log.following : log.paused}
          </span>
        </div>
      )}
      <Shown loaded={loaded}>
        {(answer) =>
          answer.totalCount > 0 ? (
            <>
              <Table label={log.entries} columns={columns} rows={answer.data} keyOf={({ id }) => id} />
              <Paging of={log.entries} page={page} pages={answer.totalPages} total={answer.totalCount} go={turn} />
            </>
          ) : (
            <Empty title={log.empty} hint={log.emptyHint} />
          )
        }
      </Shown>
      <Curl method="POST" path={`/v1/analytics/events?limit=${PAGE_SIZE}&page=${page}`} body={body} />
      <Export body={chosen} />
      <Chain />
    </>
  )
}
