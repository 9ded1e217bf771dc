import type { Schemas } from '../../../../client/index.ts'
import { Confirm } from '../../../frame/dialogs/confirm.tsx'
import { useLoad } from '../../../frame/load.ts'
import { Curl, Facts, Heading, Json, Shown, State, Time } from '../../../frame/parts.tsx'
import { usePoll } from '../../../frame/poll.ts'
import { go, pathOf } from '../../../frame/router.tsx'
import { api, type Standing } from '../../../frame/session.ts'
import { type Column, Table } from '../../../frame/table.tsx'
import { useTexts } from '../../../texts/index.ts'
import { Outcome } from '../outcome.tsx'
import { REQUESTS, RequestState } from './list.tsx'

type Request = Schemas['OpenId4VpRequestOut']
type Credential = Request['credentials'][number]
type Check = Credential['checks'][number]

const LOOK_MS = 3_000
const OUTCOMES = { passed: 'active', failed: 'revoked', skipped: 'other' } as const

/** A credential that a wallet presented: every check, and what it says. */
function Presented({ credential }: { credential: Credential }) {
  const { requests, presentations } = useTexts()
  const { id, format, verified, checks, reason, warnings, types, issuer, holder, claims } = credential
  const columns: Column<Check>[] = [
    [presentations.outcome, ({ result }) => <State name={OUTCOMES[result]}>{presentations.outcomes[result]}</State>],
    [presentations.check, ({ name }) => <code>{name}</code>],
    [
      presentations.evidence,
      ({ name }) => (
        <span class="wrap">
          {reason
            .filter(({ type }) => type === name)
            .map(({ message }) => message)
            .join(' ')}
        </span>
      ),
    ],
  ]
  return (
    <section aria-label={id}>
      <h3>
        <code>{id}</code>
      </h3>
      <div class={verified ? 'success' : 'failure'}>
        <strong>
          <Outcome verified={verified} notMade={checks.filter(({ result }) => result === 'skipped').length} />
        </strong>
      </div>
      <Facts
        facts={[
          [requests.format, format],
          [requests.types, types.length > 0 ? <span class="wrap">{types.join(', ')}</span> : undefined],
          [requests.issuer, issuer && <code class="wrap">{issuer}</code>],
          [requests.holder, holder && <code class="wrap">{holder}</code>],
          [requests.warnings, warnings.length > 0 ? warnings.join(', ') : undefined],
        ]}
      />
      <Table label={`${presentations.checks}: ${id}`} columns={columns} rows={checks} keyOf={({ name }) => name} />
      {claims && <Json value={claims} summary={requests.claims} />}
    </section>
  )
}

/** What a request has become; asks again until it has ended. */
export function Standing4Vp({ id }: { id: string }) {
  const { requests } = useTexts()
  const loaded = useLoad(id, () => api.get('/v1/openid4vp/requests/{id}', { params: { path: { id } } }))
  const { data, isLoading, reload } = loaded
  usePoll(data !== undefined && data.endedAt === null && data.state !== 'EXPIRED', LOOK_MS, isLoading, reload)
  return (
    <Shown loaded={loaded}>
      {(request) => (
        <>
          <Facts
            facts={[
              [
                requests.state,
                <span role="status">
                  <RequestState state={request.state} />
                </span>,
              ],
              [requests.failure, request.failureCode && <code>{request.failureCode}</code>],
              [requests.failures, request.failures > 0 ? request.failures : undefined],
              [requests.verifier, <code class="wrap">{request.clientId}</code>],
              [requests.mode, <code>{request.responseMode}</code>],
              [requests.back, request.redirectUri && <code class="wrap">{request.redirectUri}</code>],
              [requests.created, <Time at={request.createdAt} />],
              [request.endedAt ? requests.ended : requests.ends, <Time at={request.endedAt ?? request.expiresAt} />],
              [requests.kept, <Time at={request.keptUntil} />],
            ]}
          />
          {request.needsResponseCode && <p class="empty">{requests.needsCode}</p>}
          {request.credentials.length > 0 && <h2>{requests.presented}</h2>}
          {request.credentials.map((credential, at) => (
            <Presented key={`${credential.id} ${at}`} credential={credential} />
          ))}
        </>
      )}
    </Shown>
  )
}

/** One request: what became of it, with the credentials check by check. */
export function RequestPage({ id, standing: { scopes } }: { id: string; standing: Standing }) {
  const { requests } = useTexts()
  const remove = async () => {
    await api.delete('/v1/openid4vp/requests/{id}', { params: { path: { id } } })
    go(pathOf('presentations'))
  }
  return (
    <>
      <Heading title={`${requests.request} ${id}`}>{requests.request}</Heading>
      <Standing4Vp id={id} />
      {scopes.has('openid:write') && (
        <div class="actions">
          <Confirm
            isDangerous
            action={requests.remove}
            question={requests.removeAsk}
            text={requests.removeText}
            run={remove}
          />
        </div>
      )}
      <Curl path={`${REQUESTS}/${id}`} />
    </>
  )
}
