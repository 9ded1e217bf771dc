import type { Schemas } from '../../../client/index.ts'
import { Choice, Filters, useQuery } from '../../frame/filters.tsx'
import { useLoad } from '../../frame/load.ts'
import { Curl, Heading, Shown, State, Time } from '../../frame/parts.tsx'
import { usePoll } from '../../frame/poll.ts'
import { Link, pathOf, withQuery } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { type Column, Empty, PAGE_SIZE, Paging, Table } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'
import { CreateBatch } from './create.tsx'
import { isMoving, Progress } from './progress.tsx'

type Batch = Schemas['BatchOut']
type Status = Batch['status']

const LOOK_MS = 3_000

/** Batches of all formats, and a new one from a file. */
export function BatchesPage({ standing }: { standing: Standing }) {
  const { batches, templates } = useTexts()
  const { query, page, filter, turn, reset } = useQuery(pathOf('batches'))
  const status = (Object.keys(batches.statuses) as Status[]).find((name) => name === query.status)
  const asked = { limit: PAGE_SIZE, page, ...(status && { status }) }
  const loaded = useLoad(JSON.stringify(asked), () => api.get('/v1/credentials/batches', { params: { query: asked } }))
  usePoll(loaded.data?.data.some(isMoving) === true, LOOK_MS, loaded.isLoading, loaded.reload)
  const columns: Column<Batch>[] = [
    [batches.created, ({ id, created_at: at }) => <Link href={pathOf('batches', id)}>{<Time at={at} />}</Link>],
    [batches.status, ({ status: name }) => <State name={name}>{batches.statuses[name]}</State>],
    [batches.progress, (batch) => <Progress batch={batch} />],
    [templates.format, ({ format }) => format],
    [batches.reason, ({ paused, waiting }) => paused?.message ?? waiting?.part ?? ''],
  ]
  return (
    <>
      <Heading title={batches.heading}>{batches.heading}</Heading>
      {standing.scopes.has('semantic-credentials:write') && <CreateBatch standing={standing} />}
      <h2>{batches.all}</h2>
      <Filters state={JSON.stringify(query)} onFilter={filter} onReset={reset} search={batches.search}>
        <Choice label={batches.status} name="status" value={status} choices={Object.entries(batches.statuses)} />
      </Filters>
      <Shown loaded={loaded}>
        {({ data, total_count: total, total_pages: pages }) =>
          total === 0 ? (
            <Empty
              title={batches.empty}
              hint={batches.emptyHint}
              mayCreate={standing.scopes.has('semantic-credentials:write')}
            >
              <Curl
                open
                method="POST"
                path="/v1/credentials/batches?templateId=…"
                upload={{ file: 'students.csv', type: 'text/csv' }}
              />
            </Empty>
          ) : (
            <>
              <Table label={batches.all} columns={columns} rows={data} keyOf={({ id }) => id} />
              <Paging of={batches.all} page={page} pages={pages} total={total} go={turn} />
            </>
          )
        }
      </Shown>
      <Curl path={withQuery('/v1/credentials/batches', { ...asked, limit: String(PAGE_SIZE), page: String(page) })} />
    </>
  )
}
