import { useLoad } from '../../frame/load.ts'
import { Facts, Shown, State } from '../../frame/parts.tsx'
import { Link, pathOf } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'
import { Retry } from '../sessions/actions.tsx'
import { Deliveries } from '../webhooks/deliveries.tsx'

interface OriginProps {
  /** Of the event of its issuance. */
  details: Readonly<Record<string, unknown>>
  standing: Standing
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** The session in which a wallet collected the credential: of several credentials, others may have failed. */
function Session({ id, standing }: { id: string; standing: Standing }) {
  const { origin, sessions } = useTexts()
  const loaded = useLoad(id, () => api.get('/v1/openid/sessions/{id}', { params: { path: { id } } }))
  return (
    <>
      <h2>{origin.session}</h2>
      <Shown loaded={loaded}>
        {(session) => (
          <>
            <Facts
              facts={[
                [sessions.session, <Link href={pathOf('sessions', id)}>{id}</Link>],
                [sessions.state, <State name={session.state}>{sessions.states[session.state]}</State>],
                [sessions.waitsFor, session.waitsFor ? sessions.waits[session.waitsFor] : undefined],
              ]}
            />
            <Retry session={session} standing={standing} done={loaded.reload} />
          </>
        )}
      </Shown>
    </>
  )
}

/** How a credential reached its holder, and who was told: only of one that a wallet collected. */
export function Origin({ details, standing }: OriginProps) {
  const { origin } = useTexts()
  const [sessionId, eventId] = [textOf(details.session_id), textOf(details.event_id)]
  return (
    <>
      {sessionId && standing.scopes.has('openid:read') && <Session id={sessionId} standing={standing} />}
      {eventId && standing.scopes.has('webhooks:read') && (
        <>
          <h2>{origin.deliveries}</h2>
          <Deliveries eventId={eventId} standing={standing} />
        </>
      )}
    </>
  )
}
