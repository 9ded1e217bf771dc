import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { useLoad } from '../../frame/load.ts'
import { Curl, Heading, Shown } from '../../frame/parts.tsx'
import { Link, pathOf } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { type Column, Empty, PAGE_SIZE, Paging, Table } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'
import { EXAMPLE } from './example.ts'
import { Requests } from './requests/list.tsx'

type Template = Schemas['PresentationTemplateOut']
type Verifier = Schemas['OidcVerifierOut']

const TEMPLATES = '/v1/credentials/web-semantic/presentations/templates'
const VERIFIERS = '/v1/oidc/verifiers'

function Templates({ standing }: { standing: Standing }) {
  const { presentations } = useTexts()
  const [page, setPage] = useState(1)
  const loaded = useLoad(String(page), () => api.get(TEMPLATES, { params: { query: { limit: PAGE_SIZE, page } } }))
  const columns: Column<Template>[] = [
    [presentations.name, ({ id, name }) => <Link href={pathOf('presentations', 'templates', id)}>{name}</Link>],
    [presentations.domain, ({ domain }) => <bdi>{domain}</bdi>],
    [presentations.id, ({ id }) => <code>{id}</code>],
  ]
  return (
    <>
      <h2>{presentations.templates}</h2>
      {standing.scopes.has('semantic-credentials:write') && (
        <p>
          <Link href={pathOf('presentations', 'templates', 'new')}>{presentations.newTemplate}</Link>
        </p>
      )}
      <Shown loaded={loaded}>
        {({ data, total_count: total, total_pages: pages }) =>
          total === 0 ? (
            <Empty
              title={presentations.noTemplates}
              hint={presentations.noTemplatesHint}
              mayCreate={standing.scopes.has('semantic-credentials:write')}
            >
              <Curl open method="POST" path={TEMPLATES} body={EXAMPLE} />
            </Empty>
          ) : (
            <>
              <Table label={presentations.templates} columns={columns} rows={data} keyOf={({ id }) => id} />
              <Paging of={presentations.templates} page={page} pages={pages} total={total} go={setPage} />
            </>
          )
        }
      </Shown>
      <Curl path={`${TEMPLATES}?limit=${PAGE_SIZE}&page=${page}`} />
    </>
  )
}

function Verifiers({ standing }: { standing: Standing }) {
  const { presentations } = useTexts()
  const [page, setPage] = useState(1)
  const loaded = useLoad(String(page), () => api.get(VERIFIERS, { params: { query: { limit: PAGE_SIZE, page } } }))
  const columns: Column<Verifier>[] = [
    [presentations.address, ({ id, issuer }) => <Link href={pathOf('presentations', 'verifiers', id)}>{issuer}</Link>],
    [presentations.did, ({ verifierDid }) => <code class="cut">{verifierDid}</code>],
    [presentations.template, ({ presentationTemplateId }) => <code>{presentationTemplateId}</code>],
  ]
  return (
    <>
      <h2>{presentations.verifiers}</h2>
      {standing.scopes.has('openid:write') && (
        <p>
          <Link href={pathOf('presentations', 'verifiers', 'new')}>{presentations.newVerifier}</Link>
        </p>
      )}
      <Shown loaded={loaded}>
        {({ data, totalCount, totalPages }) =>
          totalCount === 0 ? (
            <Empty
              title={presentations.noVerifiers}
              hint={presentations.noVerifiersHint}
              mayCreate={standing.scopes.has('openid:write')}
            />
          ) : (
            <>
              <Table label={presentations.verifiers} columns={columns} rows={data} keyOf={({ id }) => id} />
              <Paging of={presentations.verifiers} page={page} pages={totalPages} total={totalCount} go={setPage} />
            </>
          )
        }
      </Shown>
      <Curl path={`${VERIFIERS}?limit=${PAGE_SIZE}&page=${page}`} />
    </>
  )
}

/** What verifiers ask for: templates, the OpenID providers that sign people in with them, and requests without these. */
export function PresentationsPage({ standing }: { standing: Standing }) {
  const { presentations } = useTexts()
  return (
    <>
      <Heading title={presentations.heading}>{presentations.heading}</Heading>
      {standing.scopes.has('semantic-credentials:read') && <Templates standing={standing} />}
      {standing.scopes.has('openid:read') && <Verifiers standing={standing} />}
      {standing.scopes.has('openid:read') && <Requests standing={standing} />}
    </>
  )
}
