import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { useQuery } from '../../frame/filters.tsx'
import { useLoad } from '../../frame/load.ts'
import { Once } from '../../frame/once.tsx'
import { Curl, Heading, Shown, Time } from '../../frame/parts.tsx'
import { Link, pathOf } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { type Column, Empty, PAGE_SIZE, Paging, Table } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'
import { NewTenant } from './create.tsx'
import { Environments } from './environments.tsx'
import { readOrganizations } from './organization.tsx'
import { TenantState } from './states.tsx'

/** As many as one answer has. */
const MOST = 100

/** Every tenant of the platform, and the environments that they are in. */
export function TenantsPage({ standing }: { standing: Standing }) {
  const { tenants, clients } = useTexts()
  const { page, turn } = useQuery(pathOf('tenants'))
  const [made, setMade] = useState<Schemas['CreatedTenantOut']>()
  const loaded = useLoad(String(page), () => api.get('/v1/tenants', { params: { query: { limit: PAGE_SIZE, page } } }))
  const environments = useLoad('', () => api.get('/v1/environments', { params: { query: { limit: MOST } } }))
  const organizations = useLoad('', readOrganizations)
  const mayWrite = standing.scopes.has('platform:write')
  const columns: Column<Schemas['TenantOut']>[] = [
    [tenants.name, ({ id, name, subdomain }) => <Link href={pathOf('tenants', id)}>{name || subdomain}</Link>],
    [tenants.subdomain, ({ subdomain }) => <code>{subdomain}</code>],
    [tenants.state, ({ status }) => <TenantState status={status} />],
    [tenants.environment, ({ environment }) => <bdi>{environment.name}</bdi>],
    [tenants.created, ({ createdAt }) => <Time at={createdAt} />],
  ]
  return (
    <>
      <Heading title={tenants.heading}>{tenants.heading}</Heading>
      {made && (
        <Once
          title={tenants.made}
          secrets={[
            [clients.clientId, made.client.clientId],
            [clients.secret, made.client.clientSecret],
          ]}
        />
      )}
      <Shown loaded={loaded}>
        {({ inboxes: rows, totalCount, totalPages }) =>
          totalCount === 0 ? (
            <Empty title={tenants.empty} />
          ) : (
            <>
              <Table label={tenants.heading} columns={columns} rows={rows} keyOf={({ id }) => id} />
              <Paging of={tenants.heading} page={page} pages={totalPages} total={totalCount} go={turn} />
            </>
          )
        }
      </Shown>
      <Curl path={`/v1/tenants?limit=${PAGE_SIZE}&page=${page}`} />
      <Shown loaded={environments}>
        {({ data }) => (
          <>
            {mayWrite && (
              <Shown loaded={organizations}>
                {(rows) => (
                  <NewTenant
                    environments={data}
                    organizations={rows}
                    onMade={(tenant) => {
                      setMade(tenant)
                      loaded.reload()
                    }}
                  />
                )}
              </Shown>
            )}
            <Environments rows={data} mayWrite={mayWrite} onChange={environments.reload} />
          </>
        )}
      </Shown>
    </>
  )
}
