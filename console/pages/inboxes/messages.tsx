import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { useLoad } from '../../frame/load.ts'
import { Curl, Shown, Time } from '../../frame/parts.tsx'
import { Link, pathOf } from '../../frame/router.tsx'
import { api } from '../../frame/session.ts'
import { type Column, Empty, PAGE_SIZE, Paging, Table } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'
import { contentOf } from './content.ts'

/** Of a message, as much as a list shows. */
const SHOWN = 200

/** The messages of an inbox, newest first. */
export function Messages({ inboxId }: { inboxId: string }) {
  const { inboxes, frame } = useTexts()
  const [page, setPage] = useState(1)
  const params = { path: { id: inboxId }, query: { limit: PAGE_SIZE, page } }
  const loaded = useLoad(`${inboxId} ${page}`, () => api.get('/v1/messaging/inboxes/{id}/messages', { params }))
  const columns: Column<Schemas['MessageOut']>[] = [
    [
      inboxes.came,
      ({ id, createdAt }) => (
        <Link href={pathOf('inboxes', inboxId, 'messages', id)}>
          <Time at={createdAt} />
        </Link>
      ),
    ],
    [inboxes.type, ({ payload }) => <bdi>{contentOf(payload).type ?? ''}</bdi>],
    [inboxes.from, ({ payload }) => <code class="cut">{contentOf(payload).from ?? ''}</code>],
    [inboxes.message, ({ payload }) => <bdi>{(contentOf(payload).body ?? payload).slice(0, SHOWN)}</bdi>],
  ]
  return (
    <>
      <button type="button" onClick={loaded.reload}>
        {frame.reload}
      </button>
      <Shown loaded={loaded}>
        {({ messages, totalCount, totalPages }) =>
          totalCount === 0 ? (
            <Empty title={inboxes.noMessages} hint={inboxes.noMessagesHint} />
          ) : (
            <>
              <Table label={inboxes.messages} columns={columns} rows={messages} keyOf={({ id }) => id} />
              <Paging of={inboxes.messages} page={page} pages={totalPages} total={totalCount} go={setPage} />
            </>
          )
        }
      </Shown>
      <Curl path={`/v1/messaging/inboxes/${inboxId}/messages?limit=${PAGE_SIZE}&page=${page}`} />
    </>
  )
}
