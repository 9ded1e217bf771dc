import { Form, TextEntry, textOf } from '../../frame/form.tsx'
import { useAttempt } from '../../frame/forms/attempt.ts'
import { Curl } from '../../frame/parts.tsx'
import { pathOf, withQuery } from '../../frame/router.tsx'
import { api } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'

const EXAMPLE = {
  name: 'Example University',
  registration_number: 'HRB 123456',
  address: 'Unter den Linden 6',
  city: 'Berlin',
  state: 'Berlin',
  zip_code: '10117',
  country: 'DE',
  email: 'office@university.example',
  phone: '+49 30 901820',
  website: 'https://www.university.example',
}

/** What an organization has to have. */
const NEEDED = [
  'name',
  'registration_number',
  'address',
  'city',
  'state',
  'zip_code',
  'country',
  'email',
  'phone',
] as const

/** An organization, of which whoever creates it is an administrator. */
export function NewOrganization() {
  const { people } = useTexts()
  const attempt = useAttempt()
  const create = async (form: FormData) => {
    const text = (name: string) => textOf(form, name) ?? ''
    const body = {
      name: text('name'),
      registration_number: text('registration_number'),
      address: text('address'),
      city: text('city'),
      state: text('state'),
      zip_code: text('zip_code'),
      country: text('country'),
      email: text('email'),
      phone: text('phone'),
      duns_number: textOf(form, 'duns_number') ?? null,
      website: textOf(form, 'website') ?? null,
    }
    const { id } = await attempt(body, (headers) => api.post('/v1/organizations', { body, headers }))
    // a new load, for the session has the organizations that there were
    location.assign(withQuery(pathOf('people'), { organization: id }))
  }
  return (
    <>
      <h2>{people.newOrganization}</h2>
      <p>{people.newOrganizationHint}</p>
      <details>
        <summary>{people.newOrganization}</summary>
        <Form submit={people.createOrganization} onSubmit={create}>
          {NEEDED.map((name) => (
            <TextEntry
              key={name}
              label={people.organizationFields[name]}
              name={name}
              type={name === 'email' ? 'email' : 'text'}
              hint={name === 'country' ? people.countryHint : undefined}
              required
            />
          ))}
          <TextEntry label={people.organizationFields.duns_number} name="duns_number" hint={people.dunsHint} />
          <TextEntry label={people.organizationFields.website} name="website" type="url" />
        </Form>
      </details>
      <Curl method="POST" path="/v1/organizations" body={EXAMPLE} />
    </>
  )
}
