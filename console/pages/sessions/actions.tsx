import type { Schemas } from '../../../client/index.ts'
import { Confirm } from '../../frame/dialogs/confirm.tsx'
import { useDoing } from '../../frame/load.ts'
import { Curl, Failure } from '../../frame/parts.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'

type Session = Pick<Schemas['SessionOut'], 'id' | 'waitsFor' | 'endedAt'>

interface ActionProps {
  session: Session
  standing: Standing
  done: () => void
}

/** Only where something has failed, and may be tried again. */
export function Retry({ session: { id, waitsFor }, standing, done }: ActionProps) {
  const { sessions } = useTexts()
  const { run, error, isBusy } = useDoing()
  if (waitsFor !== 'retry' || !standing.scopes.has('openid:write')) return null
  const retry = () =>
    void run(async () => {
      await api.post('/v1/openid/sessions/{id}/retry', { params: { path: { id } } })
      done()
    })
  return (
    <>
      <div class="actions">
        <button type="button" class="primary" aria-disabled={isBusy} onClick={retry}>
          {sessions.retry}
        </button>
      </div>
      <Failure error={error} />
      <Curl method="POST" path={`/v1/openid/sessions/${id}/retry`} />
    </>
  )
}

export function Cancel({ session: { id, endedAt }, standing, done }: ActionProps) {
  const { sessions } = useTexts()
  if (endedAt !== null || !standing.scopes.has('openid:write')) return null
  return (
    <>
      <div class="actions">
        <Confirm
          isDangerous
          action={sessions.cancel}
          question={sessions.cancelAsk}
          text={sessions.cancelText}
          run={async () => {
            await api.post('/v1/openid/sessions/{id}/cancel', { params: { path: { id } } })
            done()
          }}
        />
      </div>
      <Curl method="POST" path={`/v1/openid/sessions/${id}/cancel`} />
    </>
  )
}
