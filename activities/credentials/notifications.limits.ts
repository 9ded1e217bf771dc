import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { parseWebDid } from '../../protocol/dids/web.ts'
import { Refusal, TooMany } from '../../protocol/errors.ts'

/** Notifications of one tenant to one recipient in an hour. */
const PER_RECIPIENT = 10
/** Waiting notifications of one tenant for one host; each is tried for half a day. */
const WAITING = 100
const HOUR_SECONDS = 3600

/** Returns the host of a did:web; null for another DID, which names no host. */
export function recipientHost(recipient: string): string | null {
  try {
    return recipient.startsWith('did:web:') ? parseWebDid(recipient).host : null
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}

/** Serialises requests for one host, so that each counts the rows of those before it. The names are a JSON list. */
const LOCK = `select pg_advisory_xact_lock(hashtextextended(name, 0))
  from (select name from json_array_elements_text(?::json) as name order by name) as names`

const OF_RECIPIENTS = `select count(*)::int as recent, max(extract(epoch from now() - created_at))::float8 as oldest
  from credential_notifications
  where md5(recipient) in (select md5(name) from json_array_elements_text(?::json) as name)
    and created_at > now() - interval '1 hour'
  group by md5(recipient) having count(*) > ?`

const OF_HOSTS = `select count(*) filter (where created_at > now() - interval '1 hour')::int as recent,
    count(*) filter (where state = 'PENDING')::int as waiting,
    coalesce(max(extract(epoch from now() - created_at)) filter (where created_at > now() - interval '1 hour'), 0)::float8
      as oldest
  from credential_notifications
  where recipient_host in (select name from json_array_elements_text(?::json) as name)
    and (created_at > now() - interval '1 hour' or state = 'PENDING')
  group by recipient_host`

interface Counted {
  recent: number
  waiting?: number
  /** Seconds since the oldest one that counts. */
  oldest: number
}

/** Seconds until the oldest one no longer counts. */
const after = ({ oldest }: Counted): number => Math.max(1, Math.ceil(HOUR_SECONDS - oldest))

const tooMany = (message: string, retryAfterSeconds: number) =>
  new TooMany('notification.too_many', `${message} Try again after the time in Retry-After.`, retryAfterSeconds)

/** Locks the tenant's recipients and their hosts until the transaction ends. */
export async function takeTurns(em: SqlEntityManager, tenantId: string, recipients: string[]): Promise<void> {
  const names = [...recipients, ...hostsOf(recipients)].map((name) => `notification ${tenantId} ${name}`)
  await em.execute(LOCK, [JSON.stringify([...new Set(names)])])
}

const hostsOf = (recipients: string[]): string[] => [
  ...new Set(recipients.map(recipientHost).filter((host) => host !== null)),
]

/**
 * Call it in the transaction that inserted the notifications, which the refusal rolls back. Throws
 * `TooMany('notification.too_many')`.
 */
export async function assertWithinLimits(em: SqlEntityManager, recipients: string[], perHost: number): Promise<void> {
  const [over] = await em.execute<Counted[]>(OF_RECIPIENTS, [JSON.stringify(recipients), PER_RECIPIENT])
  if (over) throw tooMany(`One recipient gets at most ${PER_RECIPIENT} notifications in an hour.`, after(over))
  for (const host of await em.execute<Counted[]>(OF_HOSTS, [JSON.stringify(hostsOf(recipients))])) {
    if (host.recent > perHost)
      throw tooMany(`The recipients at one host together get at most ${perHost} notifications in an hour.`, after(host))
    if ((host.waiting ?? 0) > WAITING)
      throw tooMany(`${WAITING} notifications for recipients at one host already wait to be sent.`, HOUR_SECONDS)
  }
}
