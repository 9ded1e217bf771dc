import type { Schemas } from '../../../client/index.ts'
import { useQuery } from '../../frame/filters.tsx'
import { useLoad } from '../../frame/load.ts'
import { Curl, Heading, Shown, State, Time } from '../../frame/parts.tsx'
import { Link, pathOf } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { type Column, Empty, PAGE_SIZE, Paging, Table } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'
import { Deliveries } from './deliveries.tsx'
import { EXAMPLE } from './new.tsx'

type Webhook = Schemas['WebhookOut']

/** Webhooks, and what was delivered to all of them. */
export function WebhooksPage({ standing }: { standing: Standing }) {
  const { webhooks } = useTexts()
  const { page, turn } = useQuery(pathOf('webhooks'))
  const loaded = useLoad(String(page), () => api.get('/v1/webhooks', { params: { query: { limit: PAGE_SIZE, page } } }))
  const columns: Column<Webhook>[] = [
    [webhooks.url, ({ id, url }) => <Link href={pathOf('webhooks', id)}>{url}</Link>],
    [
      webhooks.state,
      ({ disabled }) => (
        <State name={disabled ? 'disabled' : 'enabled'}>{disabled ? webhooks.disabled : webhooks.enabled}</State>
      ),
    ],
    [webhooks.events, ({ events }) => events.join(', ')],
    [webhooks.created, ({ createdAt }) => <Time at={createdAt} />],
  ]
  return (
    <>
      <Heading title={webhooks.heading}>{webhooks.heading}</Heading>
      <div class="actions">
        {standing.scopes.has('webhooks:write') && <Link href={pathOf('webhooks', 'new')}>{webhooks.new}</Link>}
        <Link href={pathOf('webhooks', 'keys')}>{webhooks.keySet}</Link>
      </div>
      <Shown loaded={loaded}>
        {({ webhooks: rows, totalCount, totalPages }) =>
          totalCount === 0 ? (
            <Empty title={webhooks.empty} hint={webhooks.emptyHint} mayCreate={standing.scopes.has('webhooks:write')}>
              <Curl open method="POST" path="/v1/webhooks" body={EXAMPLE} />
            </Empty>
          ) : (
            <>
              <Table label={webhooks.heading} columns={columns} rows={rows} keyOf={({ id }) => id} />
              <Paging of={webhooks.heading} page={page} pages={totalPages} total={totalCount} go={turn} />
              <h2>{webhooks.deliveries}</h2>
              <Deliveries standing={standing} />
            </>
          )
        }
      </Shown>
      <Curl path={`/v1/webhooks?limit=${PAGE_SIZE}&page=${page}`} />
    </>
  )
}
