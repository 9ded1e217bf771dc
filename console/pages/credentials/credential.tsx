import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { Confirm } from '../../frame/dialogs/confirm.tsx'
import { useDoing, useLoad } from '../../frame/load.ts'
import { Curl, Facts, Failure, Heading, Json, Shown, State, Time } from '../../frame/parts.tsx'
import { Link, pathOf, withQuery } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { useSay, useTexts } from '../../texts/index.ts'
import { issuerOf, typesOf } from './credentials.tsx'
import { Decoded } from './decoded/index.tsx'
import { encodedOf, FORMATS, memberOf, revocationBody, suspend, type Verdict } from './formats.ts'
import { Handing } from './handing.tsx'
import { isCompact, Printed } from './printed.tsx'
import { Timeline } from './timeline.tsx'
import { Verified } from './verdict.tsx'

type Summary = Schemas['CredentialSummaryOut']

function About({ summary }: { summary: Summary }) {
  const { credential, credentials, frame } = useTexts()
  const say = useSay()
  const { template_id: templateId, template_version: version, batch_id: batchId, batch_row: row } = summary
  const { expiration_date: expires, status_changed_at: changed } = summary
  const yes = (value: boolean) => (value ? frame.yes : frame.no)
  const those = (query: Record<string, string>) => withQuery(pathOf('credentials'), query)
  return (
    <Facts
      facts={[
        [credentials.state, <State name={summary.state}>{credentials.states[summary.state]}</State>],
        [credentials.id, <code>{summary.id}</code>],
        [credentials.format, summary.format],
        [credentials.type, <bdi>{typesOf(summary)}</bdi>],
        [credentials.tag, summary.tag && <bdi>{summary.tag}</bdi>],
        [credentials.issuer, <code>{issuerOf(summary)}</code>],
        [credentials.issued, <Time at={summary.issuance_date} />],
        [credentials.expires, expires && <Time at={expires} />],
        [credentials.changed, changed && <Time at={changed} />],
        [credential.revocable, yes(summary.revocable)],
        [credential.suspendable, yes(summary.suspendable)],
        [
          credentials.template,
          templateId && (
            <>
              <Link href={those({ templateId })}>{templateId}</Link>{' '}
              {version !== undefined && say(credential.version, { version })}
            </>
          ),
        ],
        [
          credentials.batch,
          batchId && (
            <>
              <Link href={those({ batchId })}>{batchId}</Link> {row !== undefined && say(credential.row, { row })}
            </>
          ),
        ],
      ]}
    />
  )
}

/** What may be done: only what the credential allows and the role may. */
function Status({ summary, done }: { summary: Summary; done: () => void }) {
  const { credential } = useTexts()
  const { id, format, state } = summary
  const { revoke } = FORMATS[format]
  const [isRevoked, isSuspended] = [state === 'revoked', state === 'suspended']
  const after = (work: Promise<unknown>) => work.then(done)
  return (
    <>
      <div class="actions">
        {summary.revocable &&
          (isRevoked ? (
            <Confirm
              action={credential.unrevoke}
              question={credential.unrevokeAsk}
              text={credential.unrevokeText}
              run={() => after(revoke(id, false))}
            />
          ) : (
            <Confirm
              isDangerous
              action={credential.revoke}
              question={credential.revokeAsk}
              text={credential.revokeText}
              run={() => after(revoke(id, true))}
            />
          ))}
        {summary.suspendable && !isRevoked && (
          <Confirm
            action={isSuspended ? credential.unsuspend : credential.suspend}
            question={isSuspended ? credential.unsuspendAsk : credential.suspendAsk}
            text={isSuspended ? credential.unsuspendText : credential.suspendText}
            run={() => after(suspend(id, !isSuspended))}
          />
        )}
      </div>
      {summary.revocable && (
        <Curl method="POST" path={`${summary.url}/revocation-status`} body={revocationBody(format, !isRevoked)} />
      )}
      {summary.suspendable && !isRevoked && (
        <Curl method="POST" path={`${summary.url}/suspension-status`} body={{ is_suspended: !isSuspended }} />
      )}
    </>
  )
}

/** Asks the platform to verify the document that it stores, as any verifier does. */
function Verification({ summary, document }: { summary: Summary; document: unknown }) {
  const { credential } = useTexts()
  const [verdict, setVerdict] = useState<Verdict>()
  const { run, error, isBusy } = useDoing()
  const verify = () => void run(async () => setVerdict(await FORMATS[summary.format].verify(document)))
  return (
    <>
      <button type="button" class="primary" aria-disabled={isBusy} onClick={verify}>
        {isBusy ? credential.verifying : credential.verify}
      </button>
      <div role="status">{verdict && !isBusy && <Verified verdict={verdict} />}</div>
      <Failure error={error} />
    </>
  )
}

/** Everything that is known of one credential, and what may be done with it. */
export function CredentialPage({ id, standing }: { id: string; standing: Standing }) {
  const { credential, frame } = useTexts()
  const [changes, setChanges] = useState(0)
  const [drawn, setDrawn] = useState(0)
  const loaded = useLoad(`${id} ${changes}`, async () => {
    const summary = await api.get('/v1/credentials/{id}', { params: { path: { id } } })
    return { summary, document: await FORMATS[summary.format].read(summary.id) }
  })
  return (
    <>
      <Heading title={`${loaded.data ? typesOf(loaded.data.summary) : credential.heading} ${id}`}>
        {credential.heading}
      </Heading>
      <Shown loaded={loaded}>
        {({ summary, document }) => (
          <>
            <About summary={summary} />
            {standing.scopes.has(`${FORMATS[summary.format].scope}:write`) && (
              <Status summary={summary} done={() => setChanges(changes + 1)} />
            )}
            <p role="status">{changes > 0 && credential.done}</p>
            <Verification key={`${summary.state} ${changes}`} summary={summary} document={document} />
            <h2>{credential.timeline}</h2>
            <Timeline id={summary.id} turn={changes + drawn} standing={standing} />
            <Decoded
              format={summary.format}
              encoded={encodedOf(document)}
              subject={memberOf(memberOf(document, 'credential'), 'credentialSubject')}
              signerId={summary.document_signer_id ?? ''}
            />
            {isCompact(summary.format) && (
              <Printed
                format={summary.format}
                encoded={encodedOf(document)}
                done={() => setDrawn((last) => last + 1)}
              />
            )}
            <Handing id={summary.id} format={summary.format} document={document} />
            <h2>{credential.document}</h2>
            <Json value={document} summary={frame.json} />
            <Curl path={summary.url} />
          </>
        )}
      </Shown>
    </>
  )
}
