import type { Schemas } from '../../../client/index.ts'
import { useQuery } from '../../frame/filters.tsx'
import { useLoad } from '../../frame/load.ts'
import { Curl, Heading, Shown } from '../../frame/parts.tsx'
import { Link, pathOf } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { type Column, Empty, PAGE_SIZE, Paging, Table } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'
import { EXAMPLE } from './new.tsx'

const PATH = '/v1/claim-sources'

export function ClaimSourcesPage({ standing }: { standing: Standing }) {
  const { 'claim-sources': texts } = useTexts()
  const { page, turn } = useQuery(pathOf('claim-sources'))
  const query = { limit: PAGE_SIZE, page }
  const loaded = useLoad(String(page), () => api.get(PATH, { params: { query } }))
  const columns: Column<Schemas['ClaimSourceOut']>[] = [
    [texts.name, ({ id, name }) => <Link href={pathOf('claim-sources', id)}>{name}</Link>],
    [texts.url, ({ url }) => <bdi>{url}</bdi>],
    [texts.method, ({ request_method: method }) => method],
    [texts.parameters, ({ request_parameters: parameters }) => Object.keys(parameters).join(', ')],
  ]
  return (
    <>
      <Heading title={texts.heading}>{texts.heading}</Heading>
      {standing.scopes.has('administration:write') && (
        <div class="actions">
          <Link href={pathOf('claim-sources', 'new')}>{texts.new}</Link>
        </div>
      )}
      <Shown loaded={loaded}>
        {({ data, total_count: total, total_pages: pages }) =>
          total === 0 ? (
            <Empty title={texts.empty} hint={texts.emptyHint} mayCreate={standing.scopes.has('administration:write')}>
              <Curl open method="POST" path={PATH} body={EXAMPLE} />
            </Empty>
          ) : (
            <>
              <Table label={texts.heading} columns={columns} rows={data} keyOf={({ id }) => id} />
              <Paging of={texts.heading} page={page} pages={pages} total={total} go={turn} />
            </>
          )
        }
      </Shown>
      <Curl path={`${PATH}?limit=${PAGE_SIZE}&page=${page}`} />
    </>
  )
}
