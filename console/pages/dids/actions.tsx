import { Confirm } from '../../frame/dialogs/confirm.tsx'
import { useDoing } from '../../frame/load.ts'
import { Curl, Failure } from '../../frame/parts.tsx'
import { go, pathOf } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'

interface DidActionsProps {
  id: string
  /** Whether it is the tenant's; undefined when the role may not read that. */
  isDefaultIssuer: boolean | undefined
  standing: Standing
  done: () => void
}

/** Makes a DID the default issuer or takes that away, and deletes it. */
export function DidActions({ id, isDefaultIssuer, standing: { scopes }, done }: DidActionsProps) {
  const { dids } = useTexts()
  const { run, error, isBusy } = useDoing()
  const choose = (defaultIssuer: string | null) =>
    void run(async () => {
      await api.put('/v1/settings', { body: { defaultIssuer } })
      done()
    })
  const remove = async () => {
    await api.delete('/v1/dids/{id}', { params: { path: { id } } })
    go(pathOf('dids'))
  }
  const mayChoose = scopes.has('administration:write') && isDefaultIssuer !== undefined
  return (
    <>
      <div class="actions">
        {mayChoose && (
          <button type="button" aria-disabled={isBusy} onClick={() => choose(isDefaultIssuer ? null : id)}>
            {isDefaultIssuer ? dids.unsetIssuer : dids.setIssuer}
          </button>
        )}
        {scopes.has('dids:write') && (
          <Confirm isDangerous action={dids.delete} question={dids.deleteAsk} text={dids.deleteText} run={remove} />
        )}
      </div>
      <Failure error={error} />
      {mayChoose && <Curl method="PUT" path="/v1/settings" body={{ defaultIssuer: isDefaultIssuer ? null : id }} />}
    </>
  )
}
