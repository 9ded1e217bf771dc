import { useId } from 'preact/hooks'
import { Heading } from '../../frame/parts.tsx'
import { go, pathOf, useAddress, withQuery } from '../../frame/router.tsx'
import type { Standing } from '../../frame/session.ts'
import { Empty } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'
import { Invitations } from './invitations.tsx'
import { Members } from './members.tsx'
import { NewOrganization } from './organization.tsx'

/** The organization of the address, or else the one that owns the tenant. */
function useOrganization({ account: { organizations }, tenantId }: Standing) {
  const { query } = useAddress()
  const asked = query.get('organization')
  return (
    organizations.find(({ id }) => id === asked) ??
    organizations.find(({ tenants }) => tenants.some(({ id }) => id === tenantId)) ??
    organizations[0]
  )
}

/** The people of an organization: who they are, what they may do, whom it has invited. */
export function PeoplePage({ standing }: { standing: Standing }) {
  const { people } = useTexts()
  const choice = useId()
  const organization = useOrganization(standing)
  const { organizations, id: ownId } = standing.account
  return (
    <>
      <Heading title={people.heading}>{people.heading}</Heading>
      {organization === undefined ? (
        <Empty title={people.noOrganization} hint={people.noOrganizationHint} />
      ) : (
        <>
          {organizations.length > 1 ? (
            <div class="inline">
              <label for={choice}>{people.organization}</label>
              <select
                id={choice}
                value={organization.id}
                onChange={({ currentTarget: { value } }) => go(withQuery(pathOf('people'), { organization: value }))}
              >
                {organizations.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </select>
            </div>
          ) : (
            <p class="wrap">
              {people.organization}: <strong>{organization.name}</strong>
            </p>
          )}
          <Members key={organization.id} {...{ organization, ownId }} />
          {organization.role === 'admin' && <Invitations key={`${organization.id} invited`} id={organization.id} />}
        </>
      )}
      {standing.scopes.has('platform:write') && <NewOrganization />}
    </>
  )
}
