import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { Form } from '../../frame/form.tsx'
import { useAttempt } from '../../frame/forms/attempt.ts'
import { Curl, Heading } from '../../frame/parts.tsx'
import { go, Link, pathOf } from '../../frame/router.tsx'
import { api } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'
import { newSecret, readWebhook, WebhookFields } from './form.tsx'
import { Secret } from './secret.tsx'

export const EXAMPLE = { url: 'https://receiver.university.example/webhooks', events: ['OpenIdCredentialIssued'] }

/** Creates a webhook, and shows its secret once. */
export function NewWebhookPage() {
  const { webhooks } = useTexts()
  const attempt = useAttempt()
  const [fresh] = useState(newSecret)
  const [created, setCreated] = useState<Schemas['WebhookOut']>()
  const create = async (form: FormData) => {
    const { secret, ...more } = readWebhook(form, fresh)
    const body = { ...more, ...(secret && { secret }) }
    const webhook = await attempt(body, (headers) => api.post('/v1/webhooks', { body, headers }))
    if (webhook.secret) setCreated(webhook)
    else go(pathOf('webhooks', webhook.id))
  }
  return (
    <>
      <Heading title={webhooks.new}>{webhooks.new}</Heading>
      {created?.secret ? (
        <>
          <Secret secret={created.secret} />
          <p>
            <Link href={pathOf('webhooks', created.id)}>{webhooks.open}</Link>
          </p>
        </>
      ) : (
        <Form submit={webhooks.create} onSubmit={create}>
          <WebhookFields />
        </Form>
      )}
      <Curl method="POST" path="/v1/webhooks" body={EXAMPLE} />
    </>
  )
}
