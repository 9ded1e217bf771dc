import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { Confirm } from '../../frame/confirm.tsx'
import { useDoing, useLoad } from '../../frame/load.ts'
import { Curl, Facts, Failure, Heading, Shown, State, Time } from '../../frame/parts.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { useSay, useTexts } from '../../texts/index.ts'
import { Deliveries } from './deliveries.tsx'

const DAY_MS = 86_400_000
const REDELIVERED_DAYS = 7

function About({ webhook }: { webhook: Schemas['WebhookOut'] }) {
  const { webhooks, frame } = useTexts()
  const { url, disabled, events, hasSecret, createdAt, updatedAt } = webhook
  return (
    <Facts
      facts={[
        [webhooks.url, <bdi>{url}</bdi>],
        [
          webhooks.state,
          <State name={disabled ? 'disabled' : 'enabled'}>{disabled ? webhooks.disabled : webhooks.enabled}</State>,
        ],
        [webhooks.events, events.join(', ')],
        [webhooks.secret, hasSecret ? frame.yes : frame.no],
        [webhooks.created, <Time at={createdAt} />],
        [webhooks.changed, <Time at={updatedAt} />],
      ]}
    />
  )
}

/** One webhook: a test event, and everything that failed once more. */
export function WebhookPage({ id, standing }: { id: string; standing: Standing }) {
  const { webhooks } = useTexts()
  const say = useSay()
  const [turn, setTurn] = useState(0)
  const [said, setSaid] = useState('')
  const loaded = useLoad(id, () => api.get('/v1/webhooks/{id}', { params: { path: { id } } }))
  const { run, error, isBusy } = useDoing()
  const after = (text: string) => {
    setSaid(text)
    setTurn((last) => last + 1)
  }
  const sendTest = () =>
    void run(async () => {
      await api.post('/v1/webhooks/{id}/test', { params: { path: { id } } })
      after(webhooks.testSent)
    })
  const redeliver = async () => {
    const since = new Date(Date.now() - REDELIVERED_DAYS * DAY_MS).toISOString()
    const { redelivered, more } = await api.post('/v1/webhooks/{id}/redeliver', {
      params: { path: { id } },
      body: { since },
    })
    after([say(webhooks.redelivered, { count: redelivered }), more ? webhooks.more : ''].join(' '))
  }
  return (
    <>
      <Heading title={`${webhooks.webhook} ${id}`}>{webhooks.webhook}</Heading>
      <Shown loaded={loaded}>
        {(webhook) => (
          <>
            <About webhook={webhook} />
            {standing.scopes.has('webhooks:write') && (
              <div class="actions">
                <button type="button" aria-disabled={isBusy} onClick={sendTest}>
                  {webhooks.test}
                </button>
                <Confirm
                  action={webhooks.redeliverFailed}
                  question={webhooks.redeliverAsk}
                  text={webhooks.redeliverText}
                  run={redeliver}
                />
              </div>
            )}
            <p role="status">{said}</p>
            <Failure error={error} />
            <Curl path={`/v1/webhooks/${id}`} />
            <Curl method="POST" path={`/v1/webhooks/${id}/test`} />
            <h2>{webhooks.deliveries}</h2>
            <Deliveries webhookId={id} standing={standing} turn={turn} />
          </>
        )}
      </Shown>
    </>
  )
}
