import type { Schemas } from '../../../client/index.ts'
import { Confirm } from '../../frame/dialogs/confirm.tsx'
import { Form, TextEntry, textOf } from '../../frame/form.tsx'
import { useLoad } from '../../frame/load.ts'
import { Curl, Heading, Shown, Time } from '../../frame/parts.tsx'
import { go, pathOf } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { Empty } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'
import { Credentials } from './credentials.tsx'
import { Matrix } from './matrix.tsx'
import { ParticipantForm } from './participant.form.tsx'
import { Rehearsal } from './rehearsal.tsx'
import { Tenants } from './tenants.tsx'

interface PolicyProps {
  id: string
  policy: Schemas['PolicyOut']
  mayWrite: boolean
  onChange: () => void
}

/** Who may do what, as two matrices. */
function Policy({ id, policy, mayWrite, onChange }: PolicyProps) {
  const { ecosystems } = useTexts()
  const { participants, credentials, policyModifiedAt } = policy
  const create = async (body: Schemas['ParticipantIn']) => {
    await api.post('/v1/ecosystems/{ecosystemId}/participants', { params: { path: { ecosystemId: id } }, body })
    onChange()
  }
  return (
    <>
      <p>
        {ecosystems.modified} <Time at={policyModifiedAt} />
      </p>
      {participants.length === 0 || credentials.length === 0 ? (
        <Empty title={ecosystems.noPolicy} hint={ecosystems.noPolicyHint} />
      ) : (
        (['issuer', 'verifier'] as const).map((role) => (
          <div key={role}>
            <h2>{ecosystems.matrices[role]}</h2>
            <Matrix policy={policy} role={role} mayWrite={mayWrite} onChange={onChange} />
          </div>
        ))
      )}
      <Curl path={`/v1/ecosystems/${id}/policy`} />
      {mayWrite && (
        <details open={participants.length === 0}>
          <summary>{ecosystems.newParticipant}</summary>
          <ParticipantForm key={participants.length} submit={ecosystems.newParticipant} onSubmit={create} />
        </details>
      )}
      <Credentials {...{ id, credentials, mayWrite, onChange }} />
      <Tenants {...{ id, participants, mayWrite }} />
      {participants.length > 0 && <Rehearsal id={id} policy={policy} />}
    </>
  )
}

/** One ecosystem: its policy, its tenants, and what a change would break. */
export function EcosystemPage({ id, standing }: { id: string; standing: Standing }) {
  const { ecosystems } = useTexts()
  const params = { params: { path: { ecosystemId: id } } }
  const loaded = useLoad(id, () => api.get('/v1/ecosystems/{ecosystemId}', params))
  const policy = useLoad(id, () => api.get('/v1/ecosystems/{ecosystemId}/policy', params))
  const mayWrite = standing.scopes.has('platform:write')
  const title = loaded.data?.name ?? ecosystems.ecosystem
  const rename = async (form: FormData) => {
    await api.put('/v1/ecosystems/{ecosystemId}', { ...params, body: { name: textOf(form, 'name') ?? '' } })
    loaded.reload()
  }
  const remove = async () => {
    await api.delete('/v1/ecosystems/{ecosystemId}', params)
    go(pathOf('ecosystems'))
  }
  return (
    <>
      <Heading title={title}>
        <bdi class="wrap">{title}</bdi>
      </Heading>
      <Shown loaded={policy}>
        {(answer) => <Policy id={id} policy={answer} mayWrite={mayWrite} onChange={policy.reload} />}
      </Shown>
      <Shown loaded={loaded}>
        {({ name }) =>
          mayWrite && (
            <>
              <h2>{ecosystems.edit}</h2>
              <Form key={name} submit={ecosystems.save} onSubmit={rename}>
                <TextEntry label={ecosystems.name} name="name" value={name} required />
              </Form>
              <div class="actions">
                <Confirm
                  action={ecosystems.delete}
                  question={ecosystems.deleteAsk}
                  text={ecosystems.deleteText}
                  run={remove}
                  isDangerous
                />
              </div>
              <Curl method="DELETE" path={`/v1/ecosystems/${id}`} />
            </>
          )
        }
      </Shown>
    </>
  )
}
