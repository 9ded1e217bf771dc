import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { Form } from '../../frame/form.tsx'
import { changesIn } from '../../frame/forms/changes.ts'
import { useLoad } from '../../frame/load.ts'
import { Curl, Heading, Shown } from '../../frame/parts.tsx'
import { go, Link, pathOf } from '../../frame/router.tsx'
import { api } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'
import { newSecret, readWebhook, WebhookFields } from './form.tsx'
import { Secret } from './secret.tsx'

/** Changes a webhook: another secret is shown once. */
export function EditWebhookPage({ id }: { id: string }) {
  const { webhooks } = useTexts()
  const [fresh] = useState(newSecret)
  const [secret, setSecret] = useState<string>()
  const path = { params: { path: { id } } }
  const loaded = useLoad(id, () => api.get('/v1/webhooks/{id}', path))
  const change = async (form: FormData, webhook: Schemas['WebhookOut']) => {
    const body = changesIn(readWebhook(form, fresh), webhook)
    const changed = await api.put('/v1/webhooks/{id}', { ...path, body })
    if (changed.secret) setSecret(changed.secret)
    else go(pathOf('webhooks', id))
  }
  return (
    <>
      <Heading title={`${webhooks.edit} ${id}`}>{webhooks.editHeading}</Heading>
      <Shown loaded={loaded}>
        {(webhook) =>
          secret ? (
            <Secret secret={secret} />
          ) : (
            <Form submit={webhooks.save} onSubmit={(form) => change(form, webhook)}>
              <WebhookFields webhook={webhook} />
            </Form>
          )
        }
      </Shown>
      <p>
        <Link href={pathOf('webhooks', id)}>{webhooks.open}</Link>
      </p>
      {loaded.data && (
        <Curl method="PUT" path={`/v1/webhooks/${id}`} body={{ url: loaded.data.url, events: loaded.data.events }} />
      )}
    </>
  )
}
