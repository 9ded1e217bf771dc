import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { Form, TextEntry, textOf } from '../../frame/form.tsx'
import { useJson } from '../../frame/forms/json.ts'
import { useLoad } from '../../frame/load.ts'
import { Copy, Curl, Facts, Failure, State, Time } from '../../frame/parts.tsx'
import { usePoll } from '../../frame/poll.ts'
import { QrCode } from '../../frame/qr.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { type Column, Table } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'
import { Outcome } from './outcome.tsx'

type Request = Schemas['PresentationRequestOut']
type Verdict = Schemas['VerifyPresentationOut']
type Check = Verdict['checks'][number]

const REQUESTS = '/v1/credentials/web-semantic/presentations/requests'
const VERIFY = '/v1/credentials/web-semantic/presentations/verify'
const LOOK_MS = 3_000

const OUTCOMES = { passed: 'active', failed: 'revoked', skipped: 'other' } as const

function Verified({ verdict }: { verdict: Verdict }) {
  const { presentations, credential } = useTexts()
  const columns: Column<Check>[] = [
    [presentations.outcome, ({ outcome }) => <State name={OUTCOMES[outcome]}>{presentations.outcomes[outcome]}</State>],
    [presentations.check, ({ check }) => <code>{check}</code>],
    [presentations.evidence, ({ evidence }) => <span class="wrap">{evidence}</span>],
    [presentations.place, ({ path }) => path && <code>{path}</code>],
  ]
  return (
    <>
      <div class={verdict.verified ? 'success' : 'failure'}>
        <strong>
          <Outcome
            verified={verdict.verified}
            notMade={verdict.checks.filter(({ outcome }) => outcome === 'skipped').length}
          />
        </strong>
        {verdict.reason && <p>{verdict.reason}</p>}
      </div>
      <Table label={presentations.checks} columns={columns} rows={verdict.checks} keyOf={(_check, at) => at} />
      {verdict.warnings.length > 0 && (
        <div class="empty">
          <strong>{credential.warnings}</strong>
          <ul>
            {verdict.warnings.map(({ type, message }) => (
              <li key={`${type} ${message}`}>
                <code>{type}</code> {message}
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  )
}

/** The presentation that a wallet sent to the callback, verified as the verifier does it. */
function Answer({ request, done }: { request: Request; done: () => void }) {
  const { presentations } = useTexts()
  const jsonOf = useJson()
  const [verdict, setVerdict] = useState<Verdict>()
  const verify = async (form: FormData) => {
    setVerdict(undefined)
    const presentation = jsonOf(
      form,
      'presentation',
      presentations.noJson,
    ) as Schemas['VerifyPresentationIn']['presentation']
    const { challenge, domain } = request
    setVerdict(await api.post(VERIFY, { body: { presentation, challenge, domain } }))
    done()
  }
  return (
    <>
      <Form submit={presentations.verify} onSubmit={verify}>
        <TextEntry
          label={presentations.answer}
          name="presentation"
          hint={presentations.answerHint}
          lines={8}
          required
        />
      </Form>
      <div role="status">{verdict && <Verified verdict={verdict} />}</div>
    </>
  )
}

/** A request as the wallet gets it; the page looks again until it is answered or has ended. */
function Open({ made }: { made: Request }) {
  const { presentations } = useTexts()
  const { id, requestUri } = made
  const loaded = useLoad(id, () =>
    api.get('/v1/credentials/web-semantic/presentations/requests/{id}', { params: { path: { id } } }),
  )
  const { data: request, error, isLoading, reload } = loaded
  const isOpen = request?.state === 'open'
  usePoll(isOpen, LOOK_MS, isLoading, reload)
  return (
    <>
      <Failure error={error} />
      {request && (
        <>
          {isOpen && requestUri && <QrCode text={requestUri} label={presentations.qr} />}
          <Facts
            facts={[
              [
                presentations.state,
                <span role="status">
                  <State name={request.state === 'used' ? 'COMPLETED' : request.state}>
                    {presentations.states[request.state]}
                  </State>
                </span>,
              ],
              [presentations.ends, <Time at={new Date(request.expiresTime).toISOString()} />],
              [presentations.challenge, <code>{request.challenge}</code>],
              [presentations.link, requestUri && <code>{requestUri}</code>],
            ]}
          />
          {requestUri && <Copy text={requestUri} />}
          <Curl path={`${REQUESTS}/${id}`} />
          <Answer request={request} done={reload} />
        </>
      )}
    </>
  )
}

/** Asks a wallet by a template, and verifies what it answers. */
export function TryIt({ template, standing }: { template: Schemas['PresentationTemplateOut']; standing: Standing }) {
  const { presentations } = useTexts()
  const [made, setMade] = useState<Request>()
  const { id: templateId } = template
  if (!standing.scopes.has('semantic-credentials:write')) return <p class="quiet">{presentations.mayNot}</p>
  const ask = async (form: FormData) => {
    const [callbackUrl, did] = [textOf(form, 'callbackUrl'), textOf(form, 'did')]
    const body = { templateId, ...(callbackUrl && { callbackUrl }), ...(did && { did }) }
    setMade(await api.post(REQUESTS, { body }))
  }
  return (
    <>
      <Form submit={presentations.ask} onSubmit={ask}>
        <TextEntry label={presentations.callback} name="callbackUrl" type="url" hint={presentations.callbackHint} />
        <TextEntry label={presentations.did} name="did" hint={presentations.didHint} />
      </Form>
      <Curl method="POST" path={REQUESTS} body={{ templateId }} />
      {made && <Open key={made.id} made={made} />}
    </>
  )
}
