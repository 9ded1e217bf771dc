import { CheckEntry, Form } from '../../frame/form.tsx'
import { useAttempt } from '../../frame/forms/attempt.ts'
import { Curl, Heading } from '../../frame/parts.tsx'
import { go, pathOf } from '../../frame/router.tsx'
import { api } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'
import { Origin, Roles } from './fields.tsx'
import { originIn, rolesIn } from './read.ts'

/** That of docs/trust-lists.md. */
export const EXAMPLE = {
  name: 'Universities of Example',
  formats: ['sd-jwt-vc'],
  enforced: false,
  entries: [{ name: 'Law school', identifier: 'did:web:law.university.example' }],
}

export function NewTrustListPage() {
  const { 'trust-lists': texts } = useTexts()
  const attempt = useAttempt()
  const create = async (form: FormData) => {
    const body = { ...rolesIn(form), enforced: form.has('enforced'), ...(await originIn(form)) }
    const { id } = await attempt(body, (headers) => api.post('/v1/trust-lists', { body, headers }))
    go(pathOf('trust-lists', id))
  }
  return (
    <>
      <Heading title={texts.new}>{texts.new}</Heading>
      <Form submit={texts.create} onSubmit={create}>
        <Roles />
        <CheckEntry label={texts.enforce} name="enforced" hint={texts.enforceHint} />
        <Origin />
      </Form>
      <Curl method="POST" path="/v1/trust-lists" body={EXAMPLE} />
    </>
  )
}
