import type { Schemas } from '../../../client/index.ts'
import { Outcome, useActs } from '../../frame/acts.tsx'
import { useLoad } from '../../frame/load.ts'
import { Curl, Facts, Heading, Shown, State, Time } from '../../frame/parts.tsx'
import { Link, pathOf, withQuery } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { type Column, Table } from '../../frame/table.tsx'
import { useSay, useTexts } from '../../texts/index.ts'
import { Cancel, Retry } from './actions.tsx'

type Session = Schemas['SessionOut']
type Issuance = Schemas['IssuanceOut']
type Step = Schemas['SessionStepOut']

/** What the operator can do now, in a sentence: by the end, by what failed, by what is waited for. */
function useAdvice({ state, waitsFor, grantType }: Session): string {
  const { sessions } = useTexts()
  if (waitsFor === null) return sessions.ends[state as keyof typeof sessions.ends] ?? ''
  if (waitsFor !== 'wallet') return sessions.next[waitsFor]
  if (state !== 'OFFERED') return sessions.next.request
  return grantType === 'authorization_code' ? sessions.next.login : sessions.next.offer
}

function About({ session }: { session: Session }) {
  const { sessions, credential } = useTexts()
  const { id, state, waitsFor, grantType, failure, txCodeFailures, createdAt, endsAt, endedAt } = session
  const { workflowId, workflowPath, workflowUrl } = session
  return (
    <Facts
      facts={[
        [sessions.state, <State name={state}>{sessions.states[state]}</State>],
        [sessions.waitsFor, waitsFor ? sessions.waits[waitsFor] : undefined],
        [sessions.grant, sessions.grants[grantType]],
        [sessions.session, <code>{id}</code>],
        [
          sessions.failure,
          failure ? (
            <>
              <code>{failure.code}</code> {failure.message}
            </>
          ) : undefined,
        ],
        [sessions.wrongCodes, txCodeFailures > 0 ? txCodeFailures : undefined],
        [sessions.created, <Time at={createdAt} />],
        [endedAt ? sessions.ended : sessions.endsAt, <Time at={endedAt ?? endsAt} />],
        [
          credential.workflow,
          workflowUrl ? (
            <a href={workflowUrl} rel="noreferrer">
              {workflowId}
            </a>
          ) : (
            <code>{workflowPath}</code>
          ),
        ],
        [sessions.log, <Link href={withQuery(pathOf('log'), { objectId: id })}>{sessions.logHint}</Link>],
      ]}
    />
  )
}

/** The same steps from both sides: what the wallet did, and what the platform did. */
function Steps({ steps }: { steps: readonly Step[] }) {
  const { sessions } = useTexts()
  const known = sessions.steps as Record<string, string | undefined>
  const columns: Column<Step>[] = [
    [
      sessions.step,
      ({ step, code }) => (
        <>
          <strong>{known[step] ?? step}</strong> {code && <code>{code}</code>}
        </>
      ),
    ],
    [sessions.who, ({ step }) => sessions.sides[sideOf(step)]],
    [sessions.time, ({ at }) => <Time at={at} />],
    [sessions.issuance, ({ issuanceId }) => issuanceId && <code>{issuanceId}</code>],
  ]
  return <Table label={sessions.stepsHeading} columns={columns} rows={steps} keyOf={(_step, at) => at} />
}

const OF_WALLET = new Set([
  'TOKEN_ISSUED',
  'REFRESHED',
  'TX_CODE_REFUSED',
  'CODE_REUSED',
  'CREDENTIAL_REQUESTED',
  'NOTIFIED',
])
const OF_HOLDER = new Set(['LOGIN_BEGUN', 'LOGIN_FAILED', 'HOLDER_IDENTIFIED', 'HOOK_ANSWERED'])
const OF_OPERATOR = new Set(['OFFER_CREATED', 'CREDENTIAL_RETRIED'])

function sideOf(step: string): 'wallet' | 'holder' | 'operator' | 'platform' {
  if (OF_WALLET.has(step)) return 'wallet'
  if (OF_HOLDER.has(step)) return 'holder'
  return OF_OPERATOR.has(step) ? 'operator' : 'platform'
}

function Credentials({ issuances }: { issuances: readonly Issuance[] }) {
  const { sessions } = useTexts()
  const columns: Column<Issuance>[] = [
    [sessions.template, ({ templateId }) => <code>{templateId}</code>],
    [sessions.format, ({ format }) => format],
    [sessions.state, ({ state }) => <State name={state}>{sessions.issuanceStates[state]}</State>],
    [
      sessions.credentials,
      ({ credentialIds }) => (
        <ul class="plain">
          {credentialIds.map((id) => (
            <li key={id}>
              <Link href={pathOf('credentials', id)}>{id}</Link>
            </li>
          ))}
        </ul>
      ),
    ],
    [
      sessions.failure,
      ({ failure }) =>
        failure && (
          <>
            <code>{failure.code}</code> {failure.message}
          </>
        ),
    ],
    [sessions.notification, ({ notification }) => notification && <code>{notification}</code>],
    [sessions.requested, ({ requestedAt }) => requestedAt && <Time at={requestedAt} />],
  ]
  return <Table label={sessions.credentials} columns={columns} rows={issuances} keyOf={({ id }) => id} />
}

function Next({ session }: { session: Session }) {
  const { sessions } = useTexts()
  const advice = useAdvice(session)
  return (
    <div class={session.failure || session.waitsFor === 'retry' ? 'failure' : 'empty'}>
      <strong>{session.waitsFor ? sessions.nextHeading : sessions.endHeading}</strong>
      <p>{advice}</p>
    </div>
  )
}

/** One session: what the wallet has done, what the platform waits for, and what to do next. */
export function SessionPage({ id, standing }: { id: string; standing: Standing }) {
  const { sessions, frame } = useTexts()
  const say = useSay()
  const loaded = useLoad(id, () => api.get('/v1/openid/sessions/{id}', { params: { path: { id } } }))
  const acts = useActs(loaded.reload)
  const done = () => acts.done(sessions.done)
  return (
    <>
      <Heading title={say(sessions.title, { id })}>{sessions.session}</Heading>
      <Shown loaded={loaded}>
        {(session) => (
          <>
            <Next session={session} />
            <About session={session} />
            <div class="actions">
              <button type="button" onClick={loaded.reload}>
                {frame.reload}
              </button>
            </div>
            <Retry session={session} standing={standing} done={done} />
            <Cancel session={session} standing={standing} done={done} />
            <Outcome acts={acts} />
            <h2>{sessions.stepsHeading}</h2>
            <Steps steps={session.steps} />
            <h2>{sessions.credentials}</h2>
            <Credentials issuances={session.issuances} />
            <Curl path={`/v1/openid/sessions/${id}`} />
          </>
        )}
      </Shown>
    </>
  )
}
