import { useLoad } from '../../frame/load.ts'
import { Curl, Facts, Shown, Time } from '../../frame/parts.tsx'
import { api } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'

/** How far the deletion of a tenant is. */
export function Deletion({ id }: { id: string }) {
  const { tenants, frame } = useTexts()
  const loaded = useLoad(id, () => api.get('/v1/tenants/{id}/deletion', { params: { path: { id } } }))
  return (
    <>
      <h2>{tenants.deletion}</h2>
      <Shown loaded={loaded}>
        {({ step, reason, requestedAt, erasedAt, keysDestroyed, rowsDeleted, nextLookAt }) => (
          <Facts
            facts={[
              [tenants.step, tenants.steps[step]],
              [tenants.reason, reason ?? undefined],
              [tenants.nextLook, nextLookAt ? <Time at={nextLookAt} /> : undefined],
              [tenants.requested, <Time at={requestedAt} />],
              [tenants.erased, erasedAt ? <Time at={erasedAt} /> : undefined],
              [tenants.keys, keysDestroyed],
              [tenants.rows, rowsDeleted],
            ]}
          />
        )}
      </Shown>
      <div class="actions">
        <button type="button" onClick={loaded.reload}>
          {frame.reload}
        </button>
      </div>
      <Curl path={`/v1/tenants/${id}/deletion`} />
    </>
  )
}
