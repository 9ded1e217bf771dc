import type { Schemas } from '../../../client/index.ts'
import { useDoing, useLoad } from '../../frame/load.ts'
import { Code, Curl, Facts, Failure, Heading, Json, Shown, Time } from '../../frame/parts.tsx'
import { go, Link, pathOf } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { type Column, Empty, Table } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'
import { Outcome } from './outcome.tsx'

type Delivery = Schemas['DeliveryOut']
type Attempt = Schemas['DeliveryAttemptOut']

function About({ delivery }: { delivery: Delivery }) {
  const { webhooks } = useTexts()
  const { id, webhookId, eventId, eventType, createdAt, endedAt, nextAttemptAt, error, workflowUrl } = delivery
  return (
    <Facts
      facts={[
        [webhooks.status, <Outcome delivery={delivery} />],
        [webhooks.event, eventType],
        [webhooks.eventId, <code>{eventId}</code>],
        [webhooks.deliveryId, <code>{id}</code>],
        [webhooks.webhook, <Link href={pathOf('webhooks', webhookId)}>{webhookId}</Link>],
        [webhooks.created, <Time at={createdAt} />],
        [webhooks.next, nextAttemptAt && <Time at={nextAttemptAt} />],
        [webhooks.ended, endedAt && <Time at={endedAt} />],
        [webhooks.reason, error],
        [
          webhooks.workflow,
          workflowUrl && (
            <a href={workflowUrl} rel="noreferrer">
              {webhooks.workflow}
            </a>
          ),
        ],
      ]}
    />
  )
}

const read = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return body // shown as it is
  }
}

const textOf = (headers: Attempt['headers'] = []): string =>
  headers.map(({ name, value }) => `${name}: ${value}`).join('\n')

/** The request as the last attempt sent it. */
function Sent({ request }: Pick<Delivery, 'request'>) {
  const { webhooks } = useTexts()
  if (!request) return <p class="quiet">{webhooks.noRequest}</p>
  const { method, url, headers, body } = request
  return (
    <>
      <p class="wrap">
        <code>{method}</code> <bdi>{url}</bdi>
      </p>
      <Code text={textOf(headers)} label={webhooks.headers} />
      {body === undefined ? (
        <p class="quiet">{webhooks.bodyGone}</p>
      ) : (
        <Json value={read(body)} summary={webhooks.body} />
      )}
      <p class="quiet">{webhooks.requestHint}</p>
    </>
  )
}

/** What the receiver answered, and what the attempt signed: a stranger's text, as text. */
function Exchanged({ attempt: { headers = [], response }, nth }: { attempt: Attempt; nth: number }) {
  const { webhooks } = useTexts()
  const { contentType, body, truncated } = response ?? {}
  return (
    <>
      {contentType && <bdi class="wrap">{contentType}</bdi>}
      {body !== undefined && (
        <details>
          <summary>{webhooks.response}</summary>
          <Code text={body} label={`${webhooks.response} ${nth}`} />
          {truncated && <p class="quiet">{webhooks.cut}</p>}
          <p class="quiet">{webhooks.responseHint}</p>
        </details>
      )}
      {headers.length > 0 && (
        <details>
          <summary>{webhooks.headers}</summary>
          <Code text={textOf(headers)} label={`${webhooks.headers} ${nth}`} />
        </details>
      )}
    </>
  )
}

function Attempts({ attempts }: Pick<Delivery, 'attempts'>) {
  const { webhooks } = useTexts()
  const columns: Column<Attempt>[] = [
    [webhooks.time, ({ at }) => <Time at={at} />],
    [webhooks.duration, ({ durationMs }) => `${durationMs} ms`],
    [webhooks.answer, ({ responseCode }) => responseCode ?? ''],
    [
      webhooks.reason,
      ({ code, reason }) =>
        code && (
          <>
            <code>{code}</code> {reason}
          </>
        ),
    ],
    [webhooks.response, (attempt) => <Exchanged attempt={attempt} nth={attempts.indexOf(attempt) + 1} />],
  ]
  if (attempts.length === 0) return <Empty title={webhooks.noAttempts} />
  return <Table label={webhooks.attempts} columns={columns} rows={attempts} keyOf={(_attempt, at) => at} />
}

/** One delivery: what was sent, and what the receiver answered at each attempt. */
export function DeliveryPage({ id, standing }: { id: string; standing: Standing }) {
  const { webhooks, frame } = useTexts()
  const path = { params: { path: { id } } }
  const loaded = useLoad(id, () => api.get('/v1/webhooks/deliveries/{id}', path))
  const { run, error, isBusy } = useDoing()
  const redeliver = () =>
    void run(async () => {
      const next = await api.post('/v1/webhooks/deliveries/{id}/redeliver', path)
      go(pathOf('webhooks', 'deliveries', next.id))
    })
  return (
    <>
      <Heading title={`${webhooks.delivery} ${id}`}>{webhooks.delivery}</Heading>
      <Shown loaded={loaded}>
        {(delivery) => (
          <>
            <About delivery={delivery} />
            <div class="actions">
              {standing.scopes.has('webhooks:write') && delivery.status !== 'PENDING' && (
                <button type="button" class="primary" aria-disabled={isBusy} onClick={redeliver}>
                  {webhooks.redeliver}
                </button>
              )}
              <button type="button" onClick={loaded.reload}>
                {frame.reload}
              </button>
            </div>
            <Failure error={error} />
            <h2>{webhooks.request}</h2>
            <Sent request={delivery.request} />
            <h2>{webhooks.attempts}</h2>
            <Attempts attempts={delivery.attempts} />
          </>
        )}
      </Shown>
      <Curl path={`/v1/webhooks/deliveries/${id}`} />
      {standing.scopes.has('webhooks:write') && <Curl method="POST" path={`/v1/webhooks/deliveries/${id}/redeliver`} />}
    </>
  )
}
