import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { useLoad } from '../../frame/load.ts'
import { Curl, Facts, Heading, Shown, State, Time } from '../../frame/parts.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'
import { Actions } from './change.tsx'
import { Deliveries } from './deliveries.tsx'

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

/** One webhook with its deliveries, and what may be done with it. */
export function WebhookPage({ id, standing }: { id: string; standing: Standing }) {
  const { webhooks } = useTexts()
  const [turn, setTurn] = useState(0)
  const loaded = useLoad(`${id} ${turn}`, () => api.get('/v1/webhooks/{id}', { params: { path: { id } } }))
  return (
    <>
      <Heading title={`${webhooks.webhook} ${id}`}>{webhooks.webhook}</Heading>
      <Shown loaded={loaded}>
        {(webhook) => (
          <>
            <About webhook={webhook} />
            {standing.scopes.has('webhooks:write') && (
              <Actions webhook={webhook} reload={() => setTurn((last) => last + 1)} />
            )}
            <Curl path={`/v1/webhooks/${id}`} />
            <h2>{webhooks.deliveries}</h2>
            <Deliveries webhookId={id} standing={standing} turn={turn} />
          </>
        )}
      </Shown>
    </>
  )
}
