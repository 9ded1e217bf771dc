import type { Schemas } from '../../../client/index.ts'
import { useLoad } from '../../frame/load.ts'
import { Copy, Curl, Facts, Shown, State, Time } from '../../frame/parts.tsx'
import { usePoll } from '../../frame/poll.ts'
import { QrCode } from '../../frame/qr.tsx'
import { Link, pathOf } from '../../frame/router.tsx'
import { api } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'

const LOOK_MS = 2_000

type Session = Schemas['SessionOut']

/** Nothing happens any more that a reader waits for. */
const isOver = ({ endedAt, state }: Session) => endedAt !== null || state === 'ISSUED'

/** What wallets open; the platform makes no other. */
const isOffer = (uri: string) => uri.startsWith('openid-credential-offer://')

function Followed({ id }: { id: string }) {
  const { issue } = useTexts()
  const loaded = useLoad(id, () => api.get('/v1/openid/sessions/{id}', { params: { path: { id } } }))
  usePoll(loaded.data !== undefined && !isOver(loaded.data), LOOK_MS, loaded.isLoading, loaded.reload)
  return (
    <Shown loaded={loaded}>
      {({ state, steps, failure, issuances }) => (
        <>
          <p role="status">
            <State name={state === 'ISSUED' ? 'COMPLETED' : state}>{issue.states[state]}</State> {failure?.message}
          </p>
          <ol>
            {steps.map(({ step, at, code }) => (
              <li key={`${step} ${at}`}>
                <code>{step}</code> {code} <Time at={at} />
              </li>
            ))}
          </ol>
          <ul class="plain">
            {issuances.flatMap(({ credentialIds }) =>
              credentialIds.map((credentialId) => (
                <li key={credentialId}>
                  <Link href={pathOf('credentials', credentialId)}>{issue.open}</Link>
                </li>
              )),
            )}
          </ul>
        </>
      )}
    </Shown>
  )
}

/** An offer for a wallet, and what becomes of it. */
export function Offer({ offer: { id, uri, txCode, expiresAt } }: { offer: Schemas['OfferOut'] }) {
  const { issue } = useTexts()
  return (
    <section aria-label={issue.offer}>
      <h2>{issue.offer}</h2>
      <p>{issue.scan}</p>
      <QrCode text={uri} label={issue.offer} />
      <div class="actions">
        {isOffer(uri) && <a href={uri}>{issue.onThisDevice}</a>}
        <Copy text={uri} />
      </div>
      <Facts
        facts={[
          [issue.txCode, txCode && <strong>{txCode}</strong>],
          [issue.ends, <Time at={expiresAt} />],
          [issue.session, <code>{id}</code>],
        ]}
      />
      {txCode && <p>{issue.txCodeOnce}</p>}
      <h3>{issue.progress}</h3>
      <Followed id={id} />
      <Curl path={`/v1/openid/sessions/${id}`} />
    </section>
  )
}
