import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { useQuery } from '../../frame/filters.tsx'
import { useLoad } from '../../frame/load.ts'
import { Once } from '../../frame/once.tsx'
import { Curl, Heading, Shown, Time, TokenCurl } from '../../frame/parts.tsx'
import { Link, pathOf } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { type Column, Empty, PAGE_SIZE, Paging, Table } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'
import { NewClient } from './create.tsx'

type Client = Schemas['OAuth2ClientOut']

/** As docs/access.md creates one. */
const EXAMPLE = { name: 'Reads DIDs', description: 'For the dashboard', scopes: ['dids:read'] }

/** Programs that use the API of the tenant, and a new one. */
export function ClientsPage({ standing }: { standing: Standing }) {
  const { clients } = useTexts()
  const { page, turn } = useQuery(pathOf('clients'))
  const [made, setMade] = useState<Schemas['OAuth2ClientSecretOut']>()
  const loaded = useLoad(String(page), () =>
    api.get('/v1/oauth2/clients', { params: { query: { limit: PAGE_SIZE, page } } }),
  )
  const columns: Column<Client>[] = [
    [clients.name, ({ id, name }) => <Link href={pathOf('clients', id)}>{name}</Link>],
    [clients.clientId, ({ clientId }) => <code>{clientId}</code>],
    [clients.description, ({ description }) => <bdi>{description}</bdi>],
    [clients.scopes, ({ scopes }) => <span class="cut">{scopes.join(', ')}</span>],
    [clients.created, ({ createdAt }) => <Time at={createdAt} />],
  ]
  const show = (client: Schemas['OAuth2ClientSecretOut']) => {
    setMade(client)
    loaded.reload()
  }
  return (
    <>
      <Heading title={clients.heading}>{clients.heading}</Heading>
      {made && (
        <>
          <Once
            title={clients.made}
            secrets={[
              [clients.clientId, made.clientId],
              [clients.secret, made.clientSecret ?? ''],
            ]}
          />
          <TokenCurl clientId={made.clientId} />
        </>
      )}
      <Shown loaded={loaded}>
        {({ data, totalCount, totalPages }) =>
          totalCount === 0 ? (
            <Empty
              title={clients.empty}
              hint={clients.emptyHint}
              mayCreate={standing.scopes.has('administration:write')}
            />
          ) : (
            <>
              <Table label={clients.heading} columns={columns} rows={data} keyOf={({ id }) => id} />
              <Paging of={clients.heading} page={page} pages={totalPages} total={totalCount} go={turn} />
            </>
          )
        }
      </Shown>
      <Curl path={`/v1/oauth2/clients?limit=${PAGE_SIZE}&page=${page}`} />
      {standing.scopes.has('administration:write') && (
        <>
          <h2>{clients.create}</h2>
          <NewClient standing={standing} onMade={show} />
          <Curl method="POST" path="/v1/oauth2/clients" body={EXAMPLE} />
        </>
      )}
    </>
  )
}
