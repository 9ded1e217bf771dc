import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { Form, SelectEntry, TextEntry, textOf } from '../../frame/form.tsx'
import { Curl } from '../../frame/parts.tsx'
import { api } from '../../frame/session.ts'
import { type Column, Table } from '../../frame/table.tsx'
import { useSay, useTexts } from '../../texts/index.ts'

type Environment = Schemas['EnvironmentOut']

const bodyOf = (form: FormData): Schemas['EnvironmentIn'] => ({
  name: textOf(form, 'name') ?? '',
  deploymentModel: textOf(form, 'deploymentModel') === 'private' ? 'private' : 'public',
  region: {
    id: textOf(form, 'region.id') ?? '',
    name: textOf(form, 'region.name') ?? '',
    displayName: textOf(form, 'region.displayName') ?? '',
  },
})

interface EnvironmentFormProps {
  submit: string
  value?: Environment
  onSubmit: (body: Schemas['EnvironmentIn']) => Promise<void>
}

function EnvironmentForm({ submit, value, onSubmit }: EnvironmentFormProps) {
  const { tenants } = useTexts()
  return (
    <Form submit={submit} onSubmit={(form) => onSubmit(bodyOf(form))}>
      <TextEntry label={tenants.name} name="name" value={value?.name} required />
      <SelectEntry
        label={tenants.model}
        name="deploymentModel"
        value={value?.deploymentModel}
        choices={Object.entries(tenants.models)}
      />
      <TextEntry label={tenants.regionId} name="region.id" value={value?.region.id} required />
      <TextEntry label={tenants.regionName} name="region.name" value={value?.region.name} required />
      <TextEntry label={tenants.regionShown} name="region.displayName" value={value?.region.displayName} required />
    </Form>
  )
}

interface EnvironmentsProps {
  rows: Environment[]
  mayWrite: boolean
  onChange: () => void
}

/** Where tenants live, as operators describe it. */
export function Environments({ rows, mayWrite, onChange }: EnvironmentsProps) {
  const { tenants } = useTexts()
  const say = useSay()
  const [edited, setEdited] = useState<Environment>()
  const save = async (body: Schemas['EnvironmentIn']) => {
    if (edited) await api.put('/v1/environments/{id}', { params: { path: { id: edited.id } }, body })
    else await api.post('/v1/environments', { body })
    setEdited(undefined)
    onChange()
  }
  const columns: Column<Environment>[] = [
    [tenants.name, ({ name }) => <bdi>{name}</bdi>],
    [tenants.domain, ({ domain }) => <code>{domain}</code>],
    [
      tenants.model,
      ({ deploymentModel }) => (deploymentModel === 'private' ? tenants.models.private : tenants.models.public),
    ],
    [tenants.region, ({ region }) => <bdi>{region.displayName}</bdi>],
    [
      tenants.actions,
      (row) =>
        mayWrite && (
          <button type="button" class="small" onClick={() => setEdited(row)}>
            {tenants.edit}
          </button>
        ),
    ],
  ]
  return (
    <>
      <h2>{tenants.environments}</h2>
      <Table label={tenants.environments} columns={columns} rows={rows} keyOf={({ id }) => id} />
      <Curl path="/v1/environments" />
      {mayWrite && (
        <details open={edited !== undefined}>
          <summary>{edited ? say(tenants.editOne, { name: edited.name }) : tenants.newEnvironment}</summary>
          <EnvironmentForm
            key={edited?.id ?? rows.length}
            submit={edited ? tenants.save : tenants.newEnvironment}
            onSubmit={save}
            {...(edited && { value: edited })}
          />
        </details>
      )}
    </>
  )
}
