import { Form } from '../../frame/form.tsx'
import { useAttempt } from '../../frame/forms/attempt.ts'
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
  const { 'claim-sources': texts, frame } = useTexts()
  const attempt = useAttempt()
  const create = async (form: FormData) => {
    const body = readClaimSource(form, { repeated: texts.repeated, inexact: frame.inexact })
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
