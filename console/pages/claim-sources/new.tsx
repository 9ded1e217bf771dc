import { useAttempt } from '../../frame/attempt.ts'
import { Form } from '../../frame/form.tsx'
import { Curl, Heading } from '../../frame/parts.tsx'
import { go, pathOf } from '../../frame/router.tsx'
import { api } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'
import { ClaimSourceFields } from './fields.tsx'
import { readClaimSource } from './read.ts'

/** That of docs/claim-sources.md. */
export const EXAMPLE = {
  name: 'Student registry',
  url: 'https://claims.university.example/students',
  request_method: 'POST',
  request_parameters: { student_id: { map_from: 'claims.student_id' } },
  authorization: { ApiKey: { value: '…' } },
}

export function NewClaimSourcePage() {
  const { 'claim-sources': texts } = useTexts()
  const attempt = useAttempt()
  const create = async (form: FormData) => {
    const body = readClaimSource(form, texts.repeated)
    const { id } = await attempt(body, (headers) => api.post('/v1/claim-sources', { body, headers }))
    go(pathOf('claim-sources', id))
  }
  return (
    <>
      <Heading title={texts.new}>{texts.new}</Heading>
      <Form submit={texts.create} onSubmit={create}>
        <ClaimSourceFields />
      </Form>
      <Curl method="POST" path="/v1/claim-sources" body={EXAMPLE} />
    </>
  )
}
