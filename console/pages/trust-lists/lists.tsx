import type { Schemas } from '../../../client/index.ts'
import { useQuery } from '../../frame/filters.tsx'
import { useLoad } from '../../frame/load.ts'
import { Curl, Heading, Shown, Time } from '../../frame/parts.tsx'
import { Link, pathOf } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { type Column, Empty, PAGE_SIZE, Paging, Table } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'
import { EXAMPLE } from './new.tsx'
import { ListState, useDecides } from './state.tsx'

const PATH = '/v1/trust-lists'

/** Whom the tenant trusts, list by list. */
export function TrustListsPage({ standing }: { standing: Standing }) {
  const { 'trust-lists': texts } = useTexts()
  const decides = useDecides()
  const { page, turn } = useQuery(pathOf('trust-lists'))
  const query = { limit: PAGE_SIZE, page }
  const loaded = useLoad(String(page), () => api.get(PATH, { params: { query } }))
  const mayWrite = standing.scopes.has('administration:write')
  const columns: Column<Schemas['TrustListSummaryOut']>[] = [
    [texts.name, ({ id, name }) => <Link href={pathOf('trust-lists', id)}>{name}</Link>],
    [texts.state, (list) => <ListState list={list} />],
    [texts.decides, decides],
    [texts.entries, ({ entryCount }) => entryCount],
    [texts.source, ({ source }) => <bdi>{source ? (source.url ?? texts.document) : texts.typed}</bdi>],
    [texts.nextRefresh, ({ nextRefreshAt: at }) => at && <Time at={at} />],
    [texts.failure, ({ failure }) => failure && <code>{failure.code}</code>],
  ]
  return (
    <>
      <Heading title={texts.heading}>{texts.heading}</Heading>
      {mayWrite && (
        <div class="actions">
          <Link href={pathOf('trust-lists', 'new')}>{texts.new}</Link>
        </div>
      )}
      <Shown loaded={loaded}>
        {({ data, totalCount, totalPages }) =>
          totalCount === 0 ? (
            <Empty title={texts.empty} hint={texts.emptyHint} mayCreate={mayWrite}>
              <Curl open method="POST" path={PATH} body={EXAMPLE} />
            </Empty>
          ) : (
            <>
              <Table label={texts.heading} columns={columns} rows={data} keyOf={({ id }) => id} />
              <Paging of={texts.heading} page={page} pages={totalPages} total={totalCount} go={turn} />
            </>
          )
        }
      </Shown>
      <Curl path={`${PATH}?limit=${PAGE_SIZE}&page=${page}`} />
    </>
  )
}
