import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { Confirm } from '../../frame/dialogs/confirm.tsx'
import { Form, TextEntry, textOf } from '../../frame/form.tsx'
import { useLoad } from '../../frame/load.ts'
import { Once } from '../../frame/once.tsx'
import { Curl, Facts, Heading, Shown, Time, TokenCurl } from '../../frame/parts.tsx'
import { go, pathOf } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'
import { chosenOf, givable, Scopes } from './create.tsx'
import { NewSecret } from './secret.tsx'

type Client = Schemas['OAuth2ClientOut']

function About({ client }: { client: Client }) {
  const { clients } = useTexts()
  const { clientId, description, scopes, createdAt, updatedAt, formerSecretEndsAt } = client
  return (
    <>
      <p class="wrap">
        <bdi>{description}</bdi>
      </p>
      <Facts
        facts={[
          [clients.clientId, <code>{clientId}</code>],
          [clients.created, <Time at={createdAt} />],
          [clients.changed, <Time at={updatedAt} />],
          [clients.formerSecret, formerSecretEndsAt ? <Time at={formerSecretEndsAt} /> : undefined],
        ]}
      />
      <h2>{clients.scopes}</h2>
      <ul class="plain checks">
        {scopes.map((scope) => (
          <li key={scope}>
            <code>{scope}</code>
          </li>
        ))}
      </ul>
    </>
  )
}

interface ChangesProps {
  client: Client
  standing: Standing
  onSecret: (secret: string) => void
  onChange: () => void
}

/** What somebody who may write does with a client. */
function Changes({ client, standing, onSecret, onChange }: ChangesProps) {
  const { clients } = useTexts()
  const { id, name, scopes: had } = client
  const [said, setSaid] = useState('')
  const scopes = givable(standing, had)
  const path = `/v1/oauth2/clients/${id}`
  const put = (body: Schemas['OAuth2ClientUpdateIn']) =>
    api.put('/v1/oauth2/clients/{id}', { params: { path: { id } }, body })
  const rename = async (form: FormData) => {
    await put({ name: textOf(form, 'name') ?? '', reset_secret: false })
    onChange()
  }
  const grant = async (form: FormData) => {
    await put({ scopes: chosenOf(form, scopes), reset_secret: false })
    setSaid(clients.scopesChanged)
    onChange()
  }
  const remove = async () => {
    await api.delete('/v1/oauth2/clients/{id}', { params: { path: { id } } })
    go(pathOf('clients'))
  }
  return (
    <>
      <h2>{clients.rename}</h2>
      <Form key={name} submit={clients.save} onSubmit={rename}>
        <TextEntry label={clients.name} name="name" value={name} required />
      </Form>
      <Curl method="PUT" path={path} body={{ name, reset_secret: false }} />
      <h2>{clients.changeScopes}</h2>
      <Form key={had.join(' ')} submit={clients.changeScopes} onSubmit={grant}>
        <Scopes scopes={scopes} chosen={had} hint={clients.changeScopesHint} />
      </Form>
      <p role="status">{said}</p>
      <Curl method="PUT" path={path} body={{ scopes: had, reset_secret: false }} />
      <NewSecret
        client={client}
        onSecret={(secret) => {
          onSecret(secret)
          onChange()
        }}
      />
      <h2>{clients.delete}</h2>
      <p>{clients.deleteText}</p>
      <div class="actions">
        <Confirm
          action={clients.delete}
          question={clients.deleteAsk}
          text={clients.deleteText}
          run={remove}
          isDangerous
        />
      </div>
      <Curl method="DELETE" path={path} />
    </>
  )
}

/** One client: what it may do, another secret, its end. */
export function ClientPage({ id, standing }: { id: string; standing: Standing }) {
  const { clients } = useTexts()
  const [secret, setSecret] = useState<string>()
  const loaded = useLoad(id, () => api.get('/v1/oauth2/clients/{id}', { params: { path: { id } } }))
  const title = loaded.data?.name ?? clients.client
  return (
    <>
      <Heading title={title}>
        <bdi class="wrap">{title}</bdi>
      </Heading>
      {secret && <Once title={clients.secretMade} secrets={[[clients.secret, secret]]} />}
      <Shown loaded={loaded}>
        {(client) => (
          <>
            <About client={client} />
            <Curl path={`/v1/oauth2/clients/${id}`} />
            <TokenCurl clientId={client.clientId} />
            {standing.scopes.has('administration:write') && (
              <Changes client={client} standing={standing} onSecret={setSecret} onChange={loaded.reload} />
            )}
          </>
        )}
      </Shown>
    </>
  )
}
