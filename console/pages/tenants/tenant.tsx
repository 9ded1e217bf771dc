import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { Form, TextEntry, textOf } from '../../frame/form.tsx'
import { changesIn } from '../../frame/forms/changes.ts'
import { useLoad } from '../../frame/load.ts'
import { Curl, Facts, Heading, Shown, Time } from '../../frame/parts.tsx'
import { pathOf } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { useSay, useTexts } from '../../texts/index.ts'
import { Deletion } from './deletion.tsx'
import { OrganizationEntry, type Organizations, organizationOf, readOrganizations } from './organization.tsx'
import { TenantState } from './states.tsx'

type Tenant = Schemas['TenantOut']

function About({ tenant, organizations }: { tenant: Tenant; organizations: Organizations }) {
  const { tenants } = useTexts()
  const { id, subdomain, status, reason, environment, organizationId, baseUrl, createdAt, nextLookAt } = tenant
  const organization = organizations.data.find((each) => each.id === organizationId)
  return (
    <Facts
      facts={[
        [tenants.id, <code>{id}</code>],
        [tenants.subdomain, <code>{subdomain}</code>],
        [tenants.state, <TenantState status={status} />],
        [tenants.reason, reason?.message],
        [tenants.nextLook, nextLookAt ? <Time at={nextLookAt} /> : undefined],
        [tenants.address, <code>{baseUrl}</code>],
        [tenants.environment, <bdi>{environment.name}</bdi>],
        [
          tenants.organizationId,
          organization ? <bdi>{organization.name}</bdi> : organizationId && <code>{organizationId}</code>,
        ],
        [tenants.created, <Time at={createdAt} />],
      ]}
    />
  )
}

interface EditProps {
  tenant: Tenant
  organizations: Organizations
  onChange: () => void
}

function Edit({ tenant: { id, name, organizationId }, organizations, onChange }: EditProps) {
  const { tenants, areas } = useTexts()
  const [isGiven, setGiven] = useState(false)
  const save = async (form: FormData) => {
    const organization = organizationOf(form)
    const body = changesIn({ name: textOf(form, 'name') ?? '', organizationId: organization }, { name, organizationId })
    await api.put('/v1/tenants/{id}', { params: { path: { id } }, body })
    setGiven(organization !== null && organization !== organizationId)
    onChange()
  }
  return (
    <>
      <h2>{tenants.edit}</h2>
      <Form key={`${name} ${organizationId}`} submit={tenants.save} onSubmit={save}>
        <TextEntry label={tenants.name} name="name" value={name} />
        <OrganizationEntry organizations={organizations} value={organizationId ?? ''} />
      </Form>
      <p role="status">{isGiven && tenants.organizationGiven}</p>
      {/* a new load, for the session has the tenants that there were */}
      {isGiven && <a href={pathOf()}>{areas.home}</a>}
      <Curl method="PUT" path={`/v1/tenants/${id}`} body={{ name, organizationId }} />
    </>
  )
}

function Delete({ tenant: { id, subdomain }, onDeleted }: { tenant: Tenant; onDeleted: () => void }) {
  const { tenants } = useTexts()
  const say = useSay()
  const [isOther, setOther] = useState(false)
  const remove = async (form: FormData) => {
    const isNamed = textOf(form, 'confirmed') === subdomain
    setOther(!isNamed)
    if (!isNamed) return
    await api.delete('/v1/tenants/{id}', { params: { path: { id } } })
    onDeleted()
  }
  return (
    <>
      <h2>{tenants.delete}</h2>
      <p>{tenants.deleteText}</p>
      <Form submit={tenants.delete} onSubmit={remove} isDangerous>
        <TextEntry label={say(tenants.deleteAsk, { subdomain })} name="confirmed" required />
        {isOther && (
          <p class="fault" role="alert">
            {tenants.deleteOther}
          </p>
        )}
      </Form>
      <Curl method="DELETE" path={`/v1/tenants/${id}`} />
    </>
  )
}

/** One tenant: where it is, its name, its end. */
export function TenantPage({ id, standing }: { id: string; standing: Standing }) {
  const { tenants } = useTexts()
  const [isDeleted, setDeleted] = useState(false)
  const loaded = useLoad(id, async () => {
    const [tenant, organizations] = await Promise.all([
      api.get('/v1/tenants/{id}', { params: { path: { id } } }),
      readOrganizations(),
    ])
    return { tenant, organizations }
  })
  const title = loaded.data?.tenant.name || loaded.data?.tenant.subdomain || tenants.tenant
  const mayWrite = standing.scopes.has('platform:write')
  return (
    <>
      <Heading title={title}>
        <bdi class="wrap">{title}</bdi>
      </Heading>
      {isDeleted ? (
        <Deletion id={id} />
      ) : (
        <Shown loaded={loaded}>
          {({ tenant, organizations }) => (
            <>
              <About tenant={tenant} organizations={organizations} />
              <Curl path={`/v1/tenants/${id}`} />
              {mayWrite && <Edit {...{ tenant, organizations }} onChange={loaded.reload} />}
              {mayWrite && !tenant.isFirst && <Delete tenant={tenant} onDeleted={() => setDeleted(true)} />}
            </>
          )}
        </Shown>
      )}
    </>
  )
}
