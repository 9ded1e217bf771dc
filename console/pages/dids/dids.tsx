import type { Schemas } from '../../../client/index.ts'
import { useQuery } from '../../frame/filters.tsx'
import { useLoad } from '../../frame/load.ts'
import { Curl, Heading, Shown, State } from '../../frame/parts.tsx'
import { Link, pathOf } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { type Column, Empty, PAGE_SIZE, Paging, Table } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'
import { EXAMPLE } from './new.tsx'

type Did = Schemas['DidOut']

export function DidsPage({ standing }: { standing: Standing }) {
  const { dids, frame } = useTexts()
  const { page, turn } = useQuery(pathOf('dids'))
  const loaded = useLoad(String(page), () => api.get('/v1/dids', { params: { query: { limit: PAGE_SIZE, page } } }))
  const columns: Column<Did>[] = [
    [
      dids.did,
      ({ did }) => (
        <Link href={pathOf('dids', did)}>
          <span class="cut">{did}</span>
        </Link>
      ),
    ],
    [
      dids.state,
      ({ registrationStatus: state, waiting }) => (
        <>
          <State name={state}>{dids.states[state]}</State> {waiting?.reason}
        </>
      ),
    ],
    [dids.issuer, ({ issuer }) => (issuer ? frame.yes : frame.no)],
    [dids.keys, ({ metadata: { keys } }) => keys.length],
  ]
  return (
    <>
      <Heading title={dids.heading}>{dids.heading}</Heading>
      {standing.scopes.has('dids:write') && (
        <div class="actions">
          <Link href={pathOf('dids', 'new')}>{dids.new}</Link>
        </div>
      )}
      <Shown loaded={loaded}>
        {({ dids: rows, totalCount, totalPages }) =>
          totalCount === 0 ? (
            <Empty title={dids.empty} hint={dids.emptyHint} mayCreate={standing.scopes.has('dids:write')}>
              <Curl open method="POST" path="/v1/dids" body={EXAMPLE} />
            </Empty>
          ) : (
            <>
              <Table label={dids.heading} columns={columns} rows={rows} keyOf={({ id }) => id} />
              <Paging of={dids.heading} page={page} pages={totalPages} total={totalCount} go={turn} />
            </>
          )
        }
      </Shown>
      <Curl path={`/v1/dids?limit=${PAGE_SIZE}&page=${page}`} />
    </>
  )
}
