import type { Schemas } from '../../../client/index.ts'
import { useQuery } from '../../frame/filters.tsx'
import { useLoad } from '../../frame/load.ts'
import { Curl, Heading, Shown } from '../../frame/parts.tsx'
import { Link, pathOf } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { type Column, Empty, PAGE_SIZE, Paging, Table } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'
import { EXAMPLE } from './new.tsx'

const PATH = '/v1/messaging/inboxes'

export function InboxesPage({ standing }: { standing: Standing }) {
  const { inboxes } = useTexts()
  const { page, turn } = useQuery(pathOf('inboxes'))
  const query = { limit: PAGE_SIZE, page }
  const loaded = useLoad(String(page), () => api.get(PATH, { params: { query } }))
  const columns: Column<Schemas['InboxOut']>[] = [
    [inboxes.name, ({ id, name }) => <Link href={pathOf('inboxes', id)}>{name}</Link>],
    [inboxes.id, ({ id }) => <code>{id}</code>],
  ]
  return (
    <>
      <Heading title={inboxes.heading}>{inboxes.heading}</Heading>
      {standing.scopes.has('messaging:write') && (
        <div class="actions">
          <Link href={pathOf('inboxes', 'new')}>{inboxes.new}</Link>
          <Link href={pathOf('inboxes', 'send')}>{inboxes.send}</Link>
        </div>
      )}
      <Shown loaded={loaded}>
        {({ inboxes: rows, totalCount, totalPages }) =>
          totalCount === 0 ? (
            <Empty title={inboxes.empty} hint={inboxes.emptyHint} mayCreate={standing.scopes.has('messaging:write')}>
              <Curl open method="POST" path={PATH} body={EXAMPLE} />
            </Empty>
          ) : (
            <>
              <Table label={inboxes.heading} columns={columns} rows={rows} keyOf={({ id }) => id} />
              <Paging of={inboxes.heading} page={page} pages={totalPages} total={totalCount} go={turn} />
            </>
          )
        }
      </Shown>
      <Curl path={`${PATH}?limit=${PAGE_SIZE}&page=${page}`} />
    </>
  )
}
