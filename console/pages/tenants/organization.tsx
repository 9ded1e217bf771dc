import type { Schemas } from '../../../client/index.ts'
import { SelectEntry, TextEntry, textOf } from '../../frame/form.tsx'
import { api } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'

/** As many as one answer has. */
const MOST = 100

export type Organizations = Schemas['OrganizationPageOut']

export const readOrganizations = (): Promise<Organizations> =>
  api.get('/v1/organizations', { params: { query: { limit: MOST } } })

interface OrganizationEntryProps {
  organizations: Organizations
  value?: string
}

/** The organization whose members work in a tenant, by its name; by its id where there are more than a list holds. */
export function OrganizationEntry({ organizations: { data, total_count: total }, value = '' }: OrganizationEntryProps) {
  const { tenants } = useTexts()
  const field = { label: tenants.organizationId, name: 'organizationId', value }
  if (total > data.length) return <TextEntry {...field} hint={tenants.organizationIdHint} />
  return (
    <SelectEntry
      {...field}
      hint={tenants.organizationHint}
      choices={[['', tenants.noOrganization], ...data.map(({ id, name }) => [id, name] as const)]}
    />
  )
}

export const organizationOf = (form: FormData): string | null => textOf(form, 'organizationId') ?? null
