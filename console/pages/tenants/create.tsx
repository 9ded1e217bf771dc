import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { Form, SelectEntry, TextEntry, textOf } from '../../frame/form.tsx'
import { useAttempt } from '../../frame/forms/attempt.ts'
import { Curl } from '../../frame/parts.tsx'
import { api } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'
import { OrganizationEntry, type Organizations, organizationOf } from './organization.tsx'

const KEY_TYPES = ['ed25519', 'p256', 'bls12381g2'] as const

interface NewTenantProps {
  organizations: Organizations
  environments: Schemas['EnvironmentOut'][]
  onMade: (tenant: Schemas['CreatedTenantOut']) => void
}

/** A tenant with its first client, and a first DID and IACA where they are wanted. */
export function NewTenant({ environments, organizations, onMade }: NewTenantProps) {
  const { tenants } = useTexts()
  const [turn, setTurn] = useState(0)
  const attempt = useAttempt()
  const create = async (form: FormData) => {
    const [name, country] = ['name', 'iaca.country'].map((each) => textOf(form, each))
    const organizationId = organizationOf(form)
    const keyType = KEY_TYPES.find((each) => each === textOf(form, 'did.keyType'))
    const body = {
      environmentId: textOf(form, 'environmentId') ?? '',
      subdomain: textOf(form, 'subdomain') ?? '',
      ...(name && { name }),
      ...(organizationId && { organizationId }),
      ...(keyType && { did: { keyType } }),
      ...(country && { iaca: { country } }),
    }
    onMade(await attempt(body, (headers) => api.post('/v1/tenants', { body, headers })))
    setTurn(turn + 1)
  }
  return (
    <>
      <h2>{tenants.create}</h2>
      <Form key={turn} submit={tenants.create} onSubmit={create}>
        <TextEntry label={tenants.subdomain} name="subdomain" hint={tenants.subdomainHint} required />
        <TextEntry label={tenants.name} name="name" />
        <SelectEntry
          label={tenants.environment}
          name="environmentId"
          choices={environments.map(({ id, name }) => [id, name])}
        />
        <OrganizationEntry organizations={organizations} />
        <SelectEntry
          label={tenants.firstDid}
          name="did.keyType"
          choices={[['', tenants.without], ...KEY_TYPES.map((each) => [each, each] as const)]}
        />
        <TextEntry label={tenants.firstIaca} name="iaca.country" hint={tenants.countryHint} />
      </Form>
      <Curl
        method="POST"
        path="/v1/tenants"
        body={{ environmentId: environments[0]?.id, subdomain: 'law-school', name: 'Law school' }}
      />
    </>
  )
}
