import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { Choice, Field } from '../../frame/filters.tsx'
import { useDoing, useLoad } from '../../frame/load.ts'
import { momentOf } from '../../frame/moments.ts'
import { Curl, Failure, Shown, Time } from '../../frame/parts.tsx'
import { Link, pathOf, withQuery } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { type Column, Empty, PAGE_SIZE, Paging, Table } from '../../frame/table.tsx'
import { useSay, useTexts } from '../../texts/index.ts'
import { Outcome } from './outcome.tsx'

type Delivery = Schemas['DeliveryOut']
type Status = Delivery['status']

/** Each attempt: when, how long, and what the receiver answered. */
function Attempts({ attempts }: Pick<Delivery, 'attempts'>) {
  const { webhooks } = useTexts()
  const say = useSay()
  if (attempts.length === 0) return <>{say(webhooks.attempt, { count: 0 })}</>
  return (
    <details>
      <summary>{say(webhooks.attempt, { count: attempts.length })}</summary>
      <ol class="plain">
        {attempts.map(({ at, durationMs, responseCode, code, reason }) => (
          <li key={at}>
            <Time at={at} /> · {durationMs} ms
            {responseCode !== undefined && ` · ${webhooks.answer} ${responseCode}`}
            {code && (
              <>
                {' · '}
                <code>{code}</code> {reason}
              </>
            )}
          </li>
        ))}
      </ol>
    </details>
  )
}

function Again({ id, done }: { id: string; done: () => void }) {
  const { webhooks } = useTexts()
  const { run, error, isBusy } = useDoing()
  const redeliver = () =>
    void run(async () => {
      await api.post('/v1/webhooks/deliveries/{id}/redeliver', { params: { path: { id } } })
      done()
    })
  return (
    <>
      <button type="button" class="small" aria-disabled={isBusy} onClick={redeliver}>
        {webhooks.redeliver}
      </button>
      <Failure error={error} />
    </>
  )
}

/** Deliveries of one webhook, of one event, or of all; `turn` changes when there is something new. */
export function Deliveries({
  webhookId,
  eventId,
  standing,
  turn = 0,
}: {
  webhookId?: string
  eventId?: string
  standing: Standing
  turn?: number
}) {
  const { webhooks, frame } = useTexts()
  const [page, setPage] = useState(1)
  const [status, setStatus] = useState<Status>()
  const [span, setSpan] = useState<{ since?: string; until?: string }>({})
  const query = {
    limit: PAGE_SIZE,
    page,
    ...(webhookId && { webhookId }),
    ...(eventId && { eventId }),
    ...(status && { status }),
    ...span,
  }
  const loaded = useLoad(JSON.stringify([query, turn]), () => api.get('/v1/webhooks/deliveries', { params: { query } }))
  const choose = ({ name, value }: { name: string; value: string }) => {
    setPage(1)
    if (name === 'status') return setStatus((Object.keys(webhooks.statuses) as Status[]).find((each) => each === value))
    const moment = momentOf(value)
    setSpan(({ [name as keyof typeof span]: _former, ...rest }) => ({ ...rest, ...(moment && { [name]: moment }) }))
  }
  const mayRedeliver = standing.scopes.has('webhooks:write')
  const columns: Column<Delivery>[] = [
    [webhooks.event, ({ id, eventType }) => <Link href={pathOf('webhooks', 'deliveries', id)}>{eventType}</Link>],
    [webhooks.status, (delivery) => <Outcome delivery={delivery} />],
    [webhooks.created, ({ createdAt }) => <Time at={createdAt} />],
    [webhooks.ended, ({ endedAt }) => endedAt && <Time at={endedAt} />],
    [webhooks.attempts, ({ attempts }) => <Attempts attempts={attempts} />],
    [webhooks.next, ({ nextAttemptAt }) => nextAttemptAt && <Time at={nextAttemptAt} />],
    [
      webhooks.workflow,
      ({ workflowUrl }) =>
        workflowUrl && (
          <a href={workflowUrl} rel="noreferrer">
            {webhooks.workflow}
          </a>
        ),
    ],
    ...(mayRedeliver
      ? [
          [
            webhooks.redeliver,
            ({ id, status: name, redelivery }: Delivery) =>
              name !== 'PENDING' && !redelivery && <Again id={id} done={loaded.reload} />,
          ] satisfies Column<Delivery>,
        ]
      : []),
  ]
  return (
    <>
      <div
        class="filters"
        onChange={({ target }) =>
          (target instanceof HTMLSelectElement || target instanceof HTMLInputElement) && choose(target)
        }
      >
        <Choice label={webhooks.status} name="status" value={status} choices={Object.entries(webhooks.statuses)} />
        <Field label={webhooks.createdSince} name="since" type="datetime-local" />
        <Field label={webhooks.createdUntil} name="until" type="datetime-local" />
        <button type="button" onClick={loaded.reload}>
          {frame.reload}
        </button>
      </div>
      <Shown loaded={loaded}>
        {({ deliveries, totalCount, totalPages }) =>
          totalCount === 0 ? (
            <Empty title={webhooks.noDeliveries} />
          ) : (
            <>
              <Table label={webhooks.deliveries} columns={columns} rows={deliveries} keyOf={({ id }) => id} />
              <Paging of={webhooks.deliveries} page={page} pages={totalPages} total={totalCount} go={setPage} />
            </>
          )
        }
      </Shown>
      <Curl path={withQuery('/v1/webhooks/deliveries', { ...query, limit: String(PAGE_SIZE), page: String(page) })} />
    </>
  )
}
