import { useState } from 'preact/hooks'
import type { Schemas } from '../../../../client/index.ts'
import { useLoad } from '../../../frame/load.ts'
import { Curl, Shown, State, Time } from '../../../frame/parts.tsx'
import { Link, pathOf } from '../../../frame/router.tsx'
import { api, type Standing } from '../../../frame/session.ts'
import { type Column, Empty, PAGE_SIZE, Paging, Table } from '../../../frame/table.tsx'
import { useTexts } from '../../../texts/index.ts'

export const REQUESTS = '/v1/openid4vp/requests'

type Request = Schemas['OpenId4VpRequestSummaryOut']

const LOOKS: Partial<Record<Request['state'], string>> = { VERIFIED: 'COMPLETED', REFUSED: 'FAILED' }

/** What became of a request, in words. */
export function RequestState({ state }: Pick<Request, 'state'>) {
  const { requests } = useTexts()
  return <State name={LOOKS[state] ?? state}>{requests.states[state]}</State>
}

/** Requests of OpenID4VP, newest first. */
export function Requests({ standing }: { standing: Standing }) {
  const { requests } = useTexts()
  const [page, setPage] = useState(1)
  const loaded = useLoad(String(page), () => api.get(REQUESTS, { params: { query: { limit: PAGE_SIZE, page } } }))
  const mayWrite = standing.scopes.has('openid:write')
  const columns: Column<Request>[] = [
    [requests.request, ({ id }) => <Link href={pathOf('presentations', 'requests', id)}>{id}</Link>],
    [requests.state, ({ state }) => <RequestState state={state} />],
    [requests.failure, ({ failureCode }) => failureCode && <code>{failureCode}</code>],
    [requests.verifier, ({ clientId }) => <code class="cut">{clientId}</code>],
    [requests.created, ({ createdAt }) => <Time at={createdAt} />],
  ]
  return (
    <>
      <h2>{requests.heading}</h2>
      {mayWrite && (
        <p>
          <Link href={pathOf('presentations', 'requests', 'new')}>{requests.make}</Link>
        </p>
      )}
      <Shown loaded={loaded}>
        {({ data, totalCount, totalPages }) =>
          totalCount === 0 ? (
            <Empty title={requests.empty} hint={requests.emptyHint} mayCreate={mayWrite} />
          ) : (
            <>
              <Table label={requests.heading} columns={columns} rows={data} keyOf={({ id }) => id} />
              <Paging of={requests.heading} page={page} pages={totalPages} total={totalCount} go={setPage} />
            </>
          )
        }
      </Shown>
      <Curl path={`${REQUESTS}?limit=${PAGE_SIZE}&page=${page}`} />
    </>
  )
}
