import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { Form, TextEntry, textOf } from '../../frame/form.tsx'
import { useLoad } from '../../frame/load.ts'
import { Curl, Facts, Heading, Shown, Time } from '../../frame/parts.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { useSay, useTexts } from '../../texts/index.ts'
import { Deletion } from './deletion.tsx'
import { TenantState } from './states.tsx'

type Tenant = Schemas['TenantOut']

function About({ tenant }: { tenant: Tenant }) {
  const { tenants } = useTexts()
  const { id, subdomain, status, reason, environment, organizationId, baseUrl, createdAt, nextLookAt } = tenant
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
        [tenants.organizationId, organizationId ? <code>{organizationId}</code> : undefined],
        [tenants.created, <Time at={createdAt} />],
      ]}
    />
  )
}

function Edit({ tenant: { id, name, organizationId }, onChange }: { tenant: Tenant; onChange: () => void }) {
  const { tenants } = useTexts()
  const save = async (form: FormData) => {
    const organization = textOf(form, 'organizationId')
    const body = { name: textOf(form, 'name') ?? '', ...(organization && { organizationId: organization }) }
    await api.put('/v1/tenants/{id}', { params: { path: { id } }, body })
    onChange()
  }
  return (
    <>
      <h2>{tenants.edit}</h2>
      <Form key={`${name} ${organizationId}`} submit={tenants.save} onSubmit={save}>
        <TextEntry label={tenants.name} name="name" value={name} />
        <TextEntry
          label={tenants.organizationId}
          name="organizationId"
          value={organizationId ?? ''}
          hint={tenants.organizationHint}
        />
      </Form>
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
  const loaded = useLoad(id, () => api.get('/v1/tenants/{id}', { params: { path: { id } } }))
  const title = loaded.data?.name || loaded.data?.subdomain || tenants.tenant
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
          {(tenant) => (
            <>
              <About tenant={tenant} />
              <Curl path={`/v1/tenants/${id}`} />
              {mayWrite && <Edit tenant={tenant} onChange={loaded.reload} />}
              {mayWrite && !tenant.isFirst && <Delete tenant={tenant} onDeleted={() => setDeleted(true)} />}
            </>
          )}
        </Shown>
      )}
    </>
  )
}
