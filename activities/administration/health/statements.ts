import { LIVING } from '../../frame/metrics/backlog.ts'
import { hasWebhook } from '../../webhooks/records.ts'

/** An attempt that is due begins within seconds, and ends within its time limit. */
const LATE_SECONDS = 120
/** A list is signed within a window, or in the next one where many are due. */
const windowsSeconds = (windowSeconds: number) => 2 * windowSeconds + 30
const MOST_LISTS = 20

/** A list whose readers get an old state, though its issuer can sign it. */
const isUnpublished = (windowSeconds: number) => `${LIVING} and lists.signed_at is not null
  and (lists.changed_since < now() - make_interval(secs => ${windowsSeconds(windowSeconds)}) or lists.valid_until < now())`

const SINCE = 'least(lists.changed_since, lists.valid_until)'

const secondsSince = (moment: string) => `coalesce(extract(epoch from now() - min(${moment})), 0)::float8`

/** Figures of all rows that the role sees: of one tenant, or of the platform. One row of `Figures`. */
export const figures = (windowSeconds: number): string => `select outbox.*, lists.*, deliveries.* from
  (select count(*)::float8 as "outboxWaiting", ${secondsSince('created_at')} as "outboxOldest"
    from outbox where started_at is null) as outbox,
  (select count(*)::float8 as "listsUnpublished", ${secondsSince(SINCE)} as "listsOldest"
    from status_lists lists where ${isUnpublished(windowSeconds)}) as lists,
  (select count(*)::float8 as "deliveriesLate", ${secondsSince('coalesce(next_attempt_at, created_at)')} as "deliveriesOldest"
    from webhook_deliveries d where state = 'PENDING' and ${hasWebhook('d')}
      and coalesce(next_attempt_at, created_at) < now() - make_interval(secs => ${LATE_SECONDS})) as deliveries`

export interface Figures {
  outboxWaiting: number
  outboxOldest: number
  listsUnpublished: number
  listsOldest: number
  deliveriesLate: number
  deliveriesOldest: number
}

/** The lists that wait longest. */
export const unpublished = (windowSeconds: number): string => `select lists.id, lists.kind, lists.purpose,
    coalesce((select did from dids where dids.id = lists.did_id), lists.iaca_id::text) as issuer,
    ${SINCE} as since, lists.publish_failures as failures
  from status_lists lists where ${isUnpublished(windowSeconds)} order by ${SINCE}, lists.id limit ${MOST_LISTS}`

export interface UnpublishedList {
  id: string
  kind: string
  purpose: string
  /** DID, or id of an IACA. */
  issuer: string
  since: Date
  /** Signings that failed in a row. */
  failures: number
}
