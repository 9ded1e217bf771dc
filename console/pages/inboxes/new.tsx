import { Form, TextEntry, textOf } from '../../frame/form.tsx'
import { useAttempt } from '../../frame/forms/attempt.ts'
import { Curl, Heading } from '../../frame/parts.tsx'
import { go, pathOf } from '../../frame/router.tsx'
import { api } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'

/** That of docs/messaging.md. */
export const EXAMPLE = { name: 'Admissions office' }

export function NewInboxPage() {
  const { inboxes } = useTexts()
  const attempt = useAttempt()
  const create = async (form: FormData) => {
    const body = { name: textOf(form, 'name') ?? '' }
    const { id } = await attempt(body, (headers) => api.post('/v1/messaging/inboxes', { body, headers }))
    go(pathOf('inboxes', id))
  }
  return (
    <>
      <Heading title={inboxes.new}>{inboxes.new}</Heading>
      <Form submit={inboxes.create} onSubmit={create}>
        <TextEntry label={inboxes.name} name="name" hint={inboxes.nameHint} required />
      </Form>
      <Curl method="POST" path="/v1/messaging/inboxes" body={EXAMPLE} />
    </>
  )
}
