import { Form, TextEntry, textOf } from '../../frame/form.tsx'
import { Curl, Heading } from '../../frame/parts.tsx'
import { go, pathOf } from '../../frame/router.tsx'
import { api } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'

/** That of docs/domains.md. */
export const EXAMPLE = { domain: 'id.university.example', name: 'Registrar' }

export function NewDomainPage() {
  const { domains } = useTexts()
  const create = async (form: FormData) => {
    const body = { domain: textOf(form, 'domain') ?? '', name: textOf(form, 'name') ?? '' }
    const { id } = await api.post('/v1/config/domain', { body })
    go(pathOf('domains', id))
  }
  return (
    <>
      <Heading title={domains.new}>{domains.new}</Heading>
      <Form submit={domains.create} onSubmit={create}>
        <TextEntry
          label={domains.domain}
          name="domain"
          hint={domains.domainHint}
          placeholder={EXAMPLE.domain}
          required
        />
        <TextEntry label={domains.name} name="name" hint={domains.nameHint} required />
      </Form>
      <Curl method="POST" path="/v1/config/domain" body={EXAMPLE} />
    </>
  )
}
