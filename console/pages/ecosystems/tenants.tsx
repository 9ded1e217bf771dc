import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { Confirm } from '../../frame/dialogs/confirm.tsx'
import { Form, SelectEntry, TextEntry, textOf } from '../../frame/form.tsx'
import { useLoad } from '../../frame/load.ts'
import { Curl, Shown } from '../../frame/parts.tsx'
import { api } from '../../frame/session.ts'
import { type Column, Empty, PAGE_SIZE, Paging, Table } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'

interface TenantsProps {
  id: string
  participants: Schemas['PolicyParticipantOut'][]
  mayWrite: boolean
}

/** The tenants that sign and verify under the policy. */
export function Tenants({ id, participants, mayWrite }: TenantsProps) {
  const { ecosystems } = useTexts()
  const [page, setPage] = useState(1)
  const loaded = useLoad(String(page), () =>
    api.get('/v1/ecosystems/{ecosystemId}/tenants', {
      params: { path: { ecosystemId: id }, query: { limit: PAGE_SIZE, page } },
    }),
  )
  const nameOf = (participantId: string | null) => participants.find((each) => each.id === participantId)?.name
  const unbind = async (tenantId: string) => {
    await api.delete('/v1/ecosystems/{ecosystemId}/tenants/{tenantId}', {
      params: { path: { ecosystemId: id, tenantId } },
    })
    loaded.reload()
  }
  const bind = async (form: FormData) => {
    const path = { ecosystemId: id, tenantId: textOf(form, 'tenantId') ?? '' }
    const body = { participantId: textOf(form, 'participantId') ?? null }
    await api.put('/v1/ecosystems/{ecosystemId}/tenants/{tenantId}', { params: { path }, body })
    loaded.reload()
  }
  const columns: Column<Schemas['BindingOut']>[] = [
    [ecosystems.tenant, ({ tenantId }) => <code>{tenantId}</code>],
    [ecosystems.verifiesAs, ({ participantId }) => nameOf(participantId) ?? ecosystems.nobody],
    [
      ecosystems.actions,
      ({ tenantId }) =>
        mayWrite && (
          <Confirm
            action={ecosystems.unbind}
            question={ecosystems.unbindAsk}
            text={`${tenantId}: ${ecosystems.unbindText}`}
            run={() => unbind(tenantId)}
            isDangerous
          />
        ),
    ],
  ]
  return (
    <>
      <h2>{ecosystems.tenants}</h2>
      <Shown loaded={loaded}>
        {({ data, totalCount, totalPages }) =>
          totalCount === 0 ? (
            <Empty title={ecosystems.noTenants} hint={ecosystems.noTenantsHint} />
          ) : (
            <>
              <Table label={ecosystems.tenants} columns={columns} rows={data} keyOf={({ tenantId }) => tenantId} />
              <Paging of={ecosystems.tenants} page={page} pages={totalPages} total={totalCount} go={setPage} />
            </>
          )
        }
      </Shown>
      <Curl path={`/v1/ecosystems/${id}/tenants?limit=${PAGE_SIZE}&page=${page}`} />
      {mayWrite && (
        <details>
          <summary>{ecosystems.bind}</summary>
          <Form submit={ecosystems.bind} onSubmit={bind}>
            <TextEntry label={ecosystems.tenant} name="tenantId" hint={ecosystems.tenantHint} required />
            <SelectEntry
              label={ecosystems.verifiesAs}
              name="participantId"
              choices={[['', ecosystems.nobody], ...participants.map((each) => [each.id, each.name] as const)]}
            />
          </Form>
        </details>
      )}
    </>
  )
}
