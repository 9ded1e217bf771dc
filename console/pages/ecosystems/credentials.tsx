import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { Asked } from '../../frame/dialogs/asked.tsx'
import { Form, SelectEntry, TextEntry, textOf } from '../../frame/form.tsx'
import { Curl } from '../../frame/parts.tsx'
import { api } from '../../frame/session.ts'
import { type Column, Table } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'
import { Broken } from './broken.tsx'

type Credential = Schemas['EcosystemCredentialOut']
type Profile = Credential['profile']

const PROFILES: readonly Profile[] = ['web-semantic', 'compact', 'compact-semantic', 'mobile', 'sd-jwt-vc']
/** As docs/ecosystems.md creates one. */
const EXAMPLE = { name: 'Diploma', profile: 'web-semantic', type: 'DiplomaCredential' }

interface CredentialsProps {
  id: string
  credentials: Credential[]
  mayWrite: boolean
  onChange: () => void
}

/** The types of credentials that the policy knows. */
export function Credentials({ id, credentials, mayWrite, onChange }: CredentialsProps) {
  const { ecosystems } = useTexts()
  const [removed, setRemoved] = useState<Credential>()
  const create = async (form: FormData) => {
    const body = {
      name: textOf(form, 'name') ?? '',
      profile: PROFILES.find((profile) => profile === textOf(form, 'profile')) ?? 'web-semantic',
      type: textOf(form, 'type') ?? '',
    }
    await api.post('/v1/ecosystems/{ecosystemId}/credentials', { params: { path: { ecosystemId: id } }, body })
    onChange()
  }
  const columns: Column<Credential>[] = [
    [ecosystems.name, ({ name }) => <bdi>{name}</bdi>],
    [ecosystems.profile, ({ profile }) => profile],
    [ecosystems.type, ({ type }) => <bdi>{type}</bdi>],
    [
      ecosystems.actions,
      (credential) =>
        mayWrite && (
          <button type="button" class="small" onClick={() => setRemoved(credential)}>
            {ecosystems.remove}
          </button>
        ),
    ],
  ]
  return (
    <>
      <h2>{ecosystems.credentials}</h2>
      {credentials.length > 0 && (
        <Table label={ecosystems.credentials} columns={columns} rows={credentials} keyOf={(each) => each.id} />
      )}
      {mayWrite && (
        <details open={credentials.length === 0}>
          <summary>{ecosystems.newCredential}</summary>
          <Form key={credentials.length} submit={ecosystems.newCredential} onSubmit={create}>
            <TextEntry label={ecosystems.name} name="name" required />
            <SelectEntry
              label={ecosystems.profile}
              name="profile"
              choices={PROFILES.map((profile) => [profile, profile])}
            />
            <TextEntry label={ecosystems.type} name="type" hint={ecosystems.typeHint} required />
          </Form>
        </details>
      )}
      <Curl method="POST" path={`/v1/ecosystems/${id}/credentials`} body={EXAMPLE} />
      {removed && (
        <Asked
          question={ecosystems.removeCredentialAsk}
          action={ecosystems.remove}
          isDangerous
          onClose={() => setRemoved(undefined)}
          run={async () => {
            const path = { ecosystemId: id, credentialId: removed.id }
            await api.delete('/v1/ecosystems/{ecosystemId}/credentials/{credentialId}', { params: { path } })
            onChange()
          }}
        >
          <p class="wrap">{removed.name}</p>
          <Broken id={id} change={{ change: 'removeCredential', credentialId: removed.id }} />
        </Asked>
      )}
    </>
  )
}
