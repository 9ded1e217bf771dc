import type { Schemas } from '../../../client/index.ts'
import { useQuery } from '../../frame/filters.tsx'
import { useLoad } from '../../frame/load.ts'
import { Curl, Heading, Shown, Time } from '../../frame/parts.tsx'
import { Link, pathOf } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { type Column, Empty, PAGE_SIZE, Paging, Table } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'
import { EXAMPLE } from './new.tsx'
import { DomainState } from './state.tsx'

export function DomainsPage({ standing }: { standing: Standing }) {
  const { domains } = useTexts()
  const { page, turn } = useQuery(pathOf('domains'))
  const query = { limit: PAGE_SIZE, page }
  const loaded = useLoad(String(page), () => api.get('/v1/config/domain', { params: { query } }))
  const columns: Column<Schemas['DomainOut']>[] = [
    [domains.domain, ({ id, domain }) => <Link href={pathOf('domains', id)}>{domain}</Link>],
    [domains.name, ({ name }) => <bdi>{name}</bdi>],
    [domains.state, ({ status }) => <DomainState status={status} />],
    [domains.reason, ({ failureReason, waiting }) => failureReason ?? waiting?.reason],
    [
      domains.nextLook,
      ({ waiting, recheck }) => {
        const next = waiting?.nextLookAt ?? recheck?.nextLookAt
        return next && <Time at={next} />
      },
    ],
  ]
  return (
    <>
      <Heading title={domains.heading}>{domains.heading}</Heading>
      {standing.scopes.has('domains:write') && (
        <div class="actions">
          <Link href={pathOf('domains', 'new')}>{domains.new}</Link>
        </div>
      )}
      <Shown loaded={loaded}>
        {({ domains: rows, totalCount, totalPages }) =>
          totalCount === 0 ? (
            <Empty title={domains.empty} hint={domains.emptyHint} mayCreate={standing.scopes.has('domains:write')}>
              <Curl open method="POST" path="/v1/config/domain" body={EXAMPLE} />
            </Empty>
          ) : (
            <>
              <Table label={domains.heading} columns={columns} rows={rows} keyOf={({ id }) => id} />
              <Paging of={domains.heading} page={page} pages={totalPages} total={totalCount} go={turn} />
            </>
          )
        }
      </Shown>
      <Curl path={`/v1/config/domain?limit=${PAGE_SIZE}&page=${page}`} />
    </>
  )
}
