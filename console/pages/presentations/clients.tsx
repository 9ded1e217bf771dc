import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { Arrival } from '../../frame/arrival.tsx'
import { Confirm } from '../../frame/dialogs/confirm.tsx'
import { Form, SelectEntry, TextEntry, textOf } from '../../frame/form.tsx'
import { useAttempt } from '../../frame/forms/attempt.ts'
import { useLoad } from '../../frame/load.ts'
import { Copy, Curl, Facts, Shown } from '../../frame/parts.tsx'
import { QrCode } from '../../frame/qr.tsx'
import { api } from '../../frame/session.ts'
import { type Column, Empty, PAGE_SIZE, Paging, Table } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'

type Client = Schemas['OidcVerifierClientOut']
type ClientIn = Schemas['OidcVerifierClientIn']

const AUTH_METHODS = ['client_secret_basic', 'client_secret_post', 'none'] as const
type AuthMethod = (typeof AUTH_METHODS)[number]

const named = (name: string, uri: string, method: AuthMethod): ClientIn => ({
  name,
  applicationType: 'web',
  redirectUris: [uri],
  grantTypes: ['authorization_code'],
  responseTypes: ['code'],
  tokenEndpointAuthMethod: method,
  idTokenSignedResponseAlg: 'ES256',
  logoUri: null,
})

/** Where a browser begins to sign in at a client: the answer goes to the client's own address. */
export function signInAddress(issuer: string, { id, redirectUris }: Client): string | undefined {
  const [redirectUri] = redirectUris
  const url = new URL(`${issuer}/authorize`)
  if (redirectUri === undefined || !/^https?:$/.test(url.protocol)) return undefined
  const asked = { client_id: id, redirect_uri: redirectUri, response_type: 'code', scope: 'openid' }
  for (const [name, value] of Object.entries({ ...asked, nonce: crypto.randomUUID() }))
    url.searchParams.set(name, value)
  return url.href
}

function Made({ client }: { client: Schemas['OidcVerifierClientSecretOut'] }) {
  const { presentations } = useTexts()
  return (
    <Arrival key={client.id} class="success">
      <strong>{presentations.clientMade}</strong>
      <Facts
        facts={[
          [presentations.clientId, <code>{client.id}</code>],
          [presentations.secret, client.secret && <code>{client.secret}</code>],
        ]}
      />
      {client.secret && (
        <>
          <Copy text={client.secret} />
          <p>{presentations.secretOnce}</p>
        </>
      )}
    </Arrival>
  )
}

interface ClientsProps {
  verifier: Schemas['OidcVerifierOut']
  mayWrite: boolean
}

/** The applications that sign people in at a verifier, and the sign-in of one to try. */
export function Clients({ verifier: { id, issuer }, mayWrite }: ClientsProps) {
  const { presentations } = useTexts()
  const [page, setPage] = useState(1)
  const [made, setMade] = useState<Schemas['OidcVerifierClientSecretOut']>()
  const [tried, setTried] = useState<string>()
  const attempt = useAttempt()
  const path = `/v1/oidc/verifiers/${id}/clients`
  const loaded = useLoad(String(page), () =>
    api.get('/v1/oidc/verifiers/{id}/clients', { params: { path: { id }, query: { limit: PAGE_SIZE, page } } }),
  )
  const create = async (form: FormData) => {
    const body = named(
      textOf(form, 'name') ?? '',
      textOf(form, 'redirectUris.0') ?? '',
      AUTH_METHODS.find((each) => each === form.get('tokenEndpointAuthMethod')) ?? AUTH_METHODS[0],
    )
    setMade(
      await attempt({ id, body }, (headers) =>
        api.post('/v1/oidc/verifiers/{id}/clients', { params: { path: { id } }, body, headers }),
      ),
    )
    loaded.reload()
  }
  const remove = async (clientId: string) => {
    await api.delete('/v1/oidc/verifiers/{id}/clients/{clientId}', { params: { path: { id, clientId } } })
    loaded.reload()
  }
  const columns: Column<Client>[] = [
    [presentations.name, ({ name }) => <bdi>{name}</bdi>],
    [presentations.clientId, (client) => <code>{client.id}</code>],
    [presentations.redirects, ({ redirectUris }) => <bdi>{redirectUris.join(', ')}</bdi>],
    [presentations.method, ({ tokenEndpointAuthMethod }) => <code>{tokenEndpointAuthMethod}</code>],
    [
      presentations.actions,
      (client) => (
        <div class="actions">
          {client.tokenEndpointAuthMethod !== 'none' && (
            <button type="button" class="small" onClick={() => setTried(signInAddress(issuer, client))}>
              {presentations.trySignIn}
            </button>
          )}
          {mayWrite && (
            <Confirm
              isDangerous
              action={presentations.remove}
              question={presentations.removeClientAsk}
              text={presentations.removeClientText}
              run={() => remove(client.id)}
            />
          )}
        </div>
      ),
    ],
  ]
  return (
    <>
      <Shown loaded={loaded}>
        {({ data, totalCount, totalPages }) =>
          totalCount === 0 ? (
            <Empty title={presentations.noClients} hint={presentations.noClientsHint} />
          ) : (
            <>
              <Table label={presentations.clients} columns={columns} rows={data} keyOf={(client) => client.id} />
              <Paging of={presentations.clients} page={page} pages={totalPages} total={totalCount} go={setPage} />
            </>
          )
        }
      </Shown>
      {tried && (
        <>
          <h3>{presentations.tryIt}</h3>
          <p>{presentations.trySignInHint}</p>
          <QrCode text={tried} label={presentations.qr} />
          <p>
            <a href={tried} target="_blank" rel="noreferrer">
              {presentations.openSignIn}
            </a>
          </p>
        </>
      )}
      {made && <Made client={made} />}
      {mayWrite && (
        <>
          <h3>{presentations.newClient}</h3>
          <Form submit={presentations.create} onSubmit={create}>
            <TextEntry label={presentations.name} name="name" required />
            <TextEntry
              label={presentations.redirects}
              name="redirectUris.0"
              type="url"
              hint={presentations.redirectHint}
              required
            />
            <SelectEntry
              label={presentations.method}
              name="tokenEndpointAuthMethod"
              choices={AUTH_METHODS.map((each) => [each, each] as const)}
            />
          </Form>
          <Curl
            method="POST"
            path={path}
            body={named('Student portal', 'https://portal.university.example/callback', AUTH_METHODS[0])}
          />
        </>
      )}
      <Curl path={`${path}?limit=${PAGE_SIZE}&page=${page}`} />
    </>
  )
}
