import { useState } from 'preact/hooks'
import { Form, SelectEntry, TextEntry, textOf } from '../../frame/form.tsx'
import { useAttempt } from '../../frame/forms/attempt.ts'
import { useJson } from '../../frame/forms/json.ts'
import { Curl, Heading } from '../../frame/parts.tsx'
import { Link, pathOf, withQuery } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'

const PATH = '/v1/messaging/send'

/** Sends a message to a DID: a text, or a DIDComm message or JWE as JSON. */
export function SendPage({ standing }: { standing: Standing }) {
  const { inboxes } = useTexts()
  const jsonOf = useJson()
  const attempt = useAttempt()
  const [sentTo, setSentTo] = useState<string>()
  const send = async (form: FormData) => {
    setSentTo(undefined)
    const to = textOf(form, 'to') ?? ''
    const isJson = textOf(form, 'as') === 'json'
    const message = isJson ? jsonOf(form, 'message', inboxes.notJson) : textOf(form, 'message')
    const body = { to, message }
    await attempt(body, (headers) => api.post(PATH, { body, headers }))
    setSentTo(to)
  }
  return (
    <>
      <Heading title={inboxes.send}>{inboxes.send}</Heading>
      <Form submit={inboxes.sendNow} onSubmit={send}>
        <TextEntry label={inboxes.to} name="to" hint={inboxes.toHint} placeholder="did:key:…" required />
        <SelectEntry
          label={inboxes.as}
          name="as"
          choices={[
            ['text', inboxes.asText],
            ['json', inboxes.asJson],
          ]}
        />
        <TextEntry label={inboxes.message} name="message" lines={8} required />
      </Form>
      <div role="status">
        {sentTo !== undefined && (
          <div class="success">
            <strong>{inboxes.sent}</strong>
            <p>
              <bdi>{sentTo}</bdi>
            </p>
            <p>{inboxes.sentHint}</p>
            {standing.scopes.has('logs:read') && (
              <Link href={withQuery(pathOf('log'), { category: 'messaging' })}>{inboxes.log}</Link>
            )}
          </div>
        )}
      </div>
      <Curl method="POST" path={PATH} body={{ to: 'did:key:…', message: 'The exam has moved to 9:30.' }} />
    </>
  )
}
