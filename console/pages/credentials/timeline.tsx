import { useRef, useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { type Actors, useActors } from '../../frame/actors.ts'
import { useLoad } from '../../frame/load.ts'
import { Curl, Shown, Time } from '../../frame/parts.tsx'
import { Link, pathOf, withQuery } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { type Column, Paging, Table } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'
import { Origin } from './origin.tsx'

type Event = Schemas['TimelineEventOut']

const PAGE_SIZE = 50

/** Ids and values of the step, as the API has them. */
function Details({ details }: Pick<Event, 'details'>) {
  const entries = Object.entries(details)
  if (entries.length === 0) return null
  return (
    <ul class="plain">
      {entries.map(([name, value]) => (
        <li key={name}>
          <span class="quiet">{name}</span> <bdi>{typeof value === 'string' ? value : JSON.stringify(value)}</bdi>
        </li>
      ))}
    </ul>
  )
}

function Cause({ event, actors }: { event: Event; actors: Actors }) {
  const { credential } = useTexts()
  const { operation, client_id: client, request_id: request, schedule_id: schedule } = event
  const { workflow_id: workflow, workflow_path: path, workflow_url: url } = event
  return (
    <ul class="plain">
      {operation && (
        <li>
          <code>{operation}</code>
        </li>
      )}
      {request && (
        <li>
          <span class="quiet">{credential.request}</span>{' '}
          <Link href={withQuery(pathOf('log'), { requestId: request })}>{request}</Link>
        </li>
      )}
      {client && (
        <li>
          <span class="quiet">{credential.client}</span>{' '}
          {actors.has(client) ? <bdi title={client}>{actors.get(client)}</bdi> : <code>{client}</code>}
        </li>
      )}
      {workflow && (
        <li>
          <span class="quiet">{credential.workflow}</span>{' '}
          {url ? (
            <a href={url} rel="noreferrer">
              {workflow}
            </a>
          ) : (
            <code>{path ?? workflow}</code>
          )}
        </li>
      )}
      {schedule && (
        <li>
          <span class="quiet">{credential.schedule}</span> <code>{schedule}</code>
        </li>
      )}
    </ul>
  )
}

/** What happened to a credential, oldest first; `turn` changes when something has happened. */
export function Timeline({ id, turn, standing }: { id: string; turn: number; standing: Standing }) {
  const { credential } = useTexts()
  const [page, setPage] = useState(1)
  const actors = useActors(standing)
  const loaded = useLoad(`${id} ${turn} ${page}`, () =>
    api.get('/v1/credentials/{id}/timeline', { params: { path: { id }, query: { page, limit: PAGE_SIZE } } }),
  )
  const columns: Column<Event>[] = [
    [credential.event, ({ type }) => <strong>{type}</strong>],
    [credential.time, ({ at }) => <Time at={at} />],
    [credential.details, ({ details }) => <Details details={details} />],
    [credential.cause, (event) => <Cause event={event} actors={actors} />],
  ]
  // it is among the first: further pages keep it
  const origin = useRef<Event | undefined>(undefined)
  origin.current ??= loaded.data?.data.find(({ type }) => type === 'credential.issued')
  return (
    <>
      <Shown loaded={loaded}>
        {({ data, total_pages: pages, total_count: total }) => (
          <>
            <Table label={credential.timeline} columns={columns} rows={data} keyOf={(_event, at) => at} />
            {pages > 1 && <Paging of={credential.timeline} page={page} pages={pages} total={total} go={setPage} />}
          </>
        )}
      </Shown>
      <Curl path={withQuery(`/v1/credentials/${id}/timeline`, { limit: String(PAGE_SIZE), page: String(page) })} />
      {origin.current && <Origin details={origin.current.details} standing={standing} />}
    </>
  )
}
