import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { Form, TextEntry, textOf, wordsOf } from '../../frame/form.tsx'
import { useAttempt } from '../../frame/forms/attempt.ts'
import { useLoad } from '../../frame/load.ts'
import { Curl, Heading, Shown } from '../../frame/parts.tsx'
import { api } from '../../frame/session.ts'
import { type Column, Empty, PAGE_SIZE, Paging, Table } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'
import { Places } from './users.tsx'

type Provider = Schemas['AuthenticationProviderOut']

const PATH = '/v1/users/authentication-providers'
/** The example of docs/openid.md. */
const EXAMPLE = {
  url: 'https://login.university.example',
  client_id: 'countersign',
  client_secret: '…',
  claims_to_persist: ['email', 'given_name'],
}

/** The OpenID providers at which holders log in before they get a credential. */
export function ProvidersPage({ mayWrite }: { mayWrite: boolean }) {
  const { users } = useTexts()
  const [page, setPage] = useState(1)
  const attempt = useAttempt()
  const [said, setSaid] = useState('')
  const loaded = useLoad(String(page), () => api.get(PATH, { params: { query: { limit: PAGE_SIZE, page } } }))
  const create = async (form: FormData) => {
    const [url, secret] = [textOf(form, 'url'), textOf(form, 'client_secret')]
    const body = {
      ...(url && { url }),
      client_id: textOf(form, 'client_id') ?? '',
      ...(secret && { client_secret: secret }),
      claims_to_persist: wordsOf(textOf(form, 'claims_to_persist')),
    }
    await attempt(body, (headers) => api.post(PATH, { body, headers }))
    setSaid(users.providerMade)
    loaded.reload()
  }
  const columns: Column<Provider>[] = [
    [users.provider, ({ url }) => <bdi>{url}</bdi>],
    [users.clientId, ({ client_id: id }) => <code>{id}</code>],
    [users.method, ({ token_endpoint_auth_method: method }) => <code>{method}</code>],
    [users.persisted, ({ claims_to_persist: claims }) => <bdi>{claims.join(', ')}</bdi>],
    [users.redirect, ({ redirect_url: url }) => <code class="cut">{url}</code>],
    [users.id, ({ id }) => <code>{id}</code>],
  ]
  return (
    <>
      <Heading title={users.providers}>{users.providers}</Heading>
      <Places />
      <Shown loaded={loaded}>
        {({ data, total_count: total, total_pages: pages }) =>
          total === 0 ? (
            <Empty title={users.noProviders} hint={users.noProvidersHint} />
          ) : (
            <>
              <Table label={users.providers} columns={columns} rows={data} keyOf={({ id }) => id} />
              <Paging of={users.providers} page={page} pages={pages} total={total} go={setPage} />
            </>
          )
        }
      </Shown>
      <p role="status">{said}</p>
      {mayWrite && (
        <>
          <h2>{users.newProvider}</h2>
          <Form submit={users.create} onSubmit={create}>
            <TextEntry label={users.provider} name="url" type="url" hint={users.urlHint} required />
            <TextEntry label={users.clientId} name="client_id" required />
            <TextEntry label={users.clientSecret} name="client_secret" type="password" autocomplete="new-password" />
            <TextEntry
              label={users.persisted}
              name="claims_to_persist"
              hint={users.persistedHint}
              placeholder="email, given_name"
            />
          </Form>
          <Curl method="POST" path={PATH} body={EXAMPLE} />
        </>
      )}
      <Curl path={`${PATH}?limit=${PAGE_SIZE}&page=${page}`} />
    </>
  )
}
