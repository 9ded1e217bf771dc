import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { createPlatform, openDependencies } from '../../activities/index.ts'
import { inTenant } from '../../entities/orm.ts'
import { startChild } from '../child.ts'
import { median, percentile } from '../measure.ts'
import type { Tools } from '../prepare.ts'
import type { ReceiverJob, ReceiverResult } from './receiver.ts'

export const WEBHOOKS = 'webhooks'

const TYPE = 'OpenIdCredentialIssued'
const PAYLOAD = {
  format: 'ldp_vc',
  credentialId: randomUUID(),
  holder: 'did:example:holder',
  claims: { name: 'A Holder' },
}
const SENT_AWAY = /^countersign_activity_seconds_count\{activity="attemptDelivery",outcome="unavailable"\} (\d+)$/m
const ROUNDS = 3
/** Events in a second where the time to the first attempt is measured: the platform has time to spare. */
const PACE = 5
/** Longer than this no delivery takes. */
const LIMIT_MS = 120_000

/** Deliveries of events that were there at once. */
export interface Backlog {
  events: number
  /** From the first commit to the last event at the receiver. */
  seconds: number
  /** Processor time of each part, in milliseconds; undefined where that cannot be told. */
  workMs: Record<string, number> | undefined
  /** Activities that found no place and came again later (see createTurns). */
  sentAway: number
}

export interface Deliveries {
  backlogs: Backlog[]
  /** From an event's commit to its first attempt at the receiver, in milliseconds, at `pace` events in a second. */
  delays: number[]
  pace: number
  /** Events that came twice, and events that never came. */
  wrong: number
}

const clock = () => performance.timeOrigin + performance.now()

const since = (before: Record<string, number> | undefined, after: Record<string, number> | undefined) =>
  before && after && Object.fromEntries(Object.entries(after).map(([name, ms]) => [name, ms - (before[name] ?? 0)]))

/** Delivers events to a receiver on this machine that accepts each at once. */
export async function measureDeliveries({ platform, seconds, say }: Pick<Tools, 'platform' | 'seconds' | 'say'>) {
  const receiver = startChild<ReceiverJob, ReceiverResult>('./webhooks/receiver.ts')
  const dependencies = await openDependencies(platform.config)
  const { webhookEvents } = createPlatform(dependencies)
  const { tenantId } = platform
  let wrong = 0

  /** Activities that the worker has sent away so far, as its metrics say. */
  async function sentAway(): Promise<number> {
    const { operatorHost, operatorPort } = platform.config
    const text = await (await fetch(`http://${operatorHost}:${operatorPort + 1}/metrics`)).text()
    const [, count = '0'] = SENT_AWAY.exec(text) ?? []
    return Number(count)
  }

  /** Emits an event in a transaction of its own; returns its id and the time of its commit. */
  async function emit(): Promise<[id: string, atMs: number]> {
    const id = randomUUID()
    const event = { id, tenantId, type: TYPE, payload: PAYLOAD } as const
    await inTenant(dependencies.database.tenants, tenantId, (em) => webhookEvents.emitEvent(em, event))
    return [id, clock()]
  }

  /** Waits until each event came; returns the times of their first attempts. */
  async function arrivals(ids: readonly string[]): Promise<Map<string, number>> {
    const first = new Map<string, number>()
    const wanted = new Set(ids)
    for (const begun = clock(); first.size < wanted.size && clock() - begun < LIMIT_MS; await wait(50))
      for (const [id, atMs] of (await receiver.ask({ take: true })).received)
        if (wanted.has(id) && !first.has(id)) first.set(id, atMs)
        else wrong += 1
    wrong += wanted.size - first.size
    return first
  }

  async function backlog(events: number): Promise<Backlog> {
    const [before, away] = [platform.workByPart(), await sentAway()]
    const begun = clock()
    const ids: string[] = []
    let begunEvents = 0
    const lane = async () => {
      while (begunEvents < events) {
        begunEvents += 1
        ids.push((await emit())[0])
      }
    }
    await Promise.all(Array.from({ length: 8 }, lane))
    const last = Math.max(...(await arrivals(ids)).values())
    await wait(1_000) // what is recorded after the answer
    const measured = {
      events,
      seconds: (last - begun) / 1000,
      workMs: since(before, platform.workByPart()),
      sentAway: (await sentAway()) - away,
    }
    say(`${events} events: ${(events / measured.seconds).toFixed(1)} deliveries/s, ${measured.sentAway} sent away`)
    return measured
  }

  async function delaysAt(pace: number, events: number): Promise<number[]> {
    const begun = clock()
    const emitted: [string, number][] = []
    for (let nth = 0; nth < events; nth += 1) {
      // not in step with any timer of the platform
      await wait(Math.max(0, begun + ((nth + Math.random()) * 1000) / pace - clock()))
      emitted.push(await emit())
    }
    const first = await arrivals(emitted.map(([id]) => id))
    return emitted.map(([id, atMs]) => (first.get(id) ?? Number.NaN) - atMs)
  }

  try {
    const { port } = await receiver.ask({ take: false })
    await platform.post('/v1/webhooks', { url: `http://localhost:${port}/hooks`, events: [TYPE] })
    const events = Math.ceil(seconds * 20)
    await backlog(Math.ceil(events / 4)) // warms up
    const backlogs: Backlog[] = []
    for (let round = 0; round < ROUNDS; round += 1) backlogs.push(await backlog(events))
    const delays = await delaysAt(PACE, Math.ceil(seconds * PACE * 2))
    return { backlogs, delays, pace: PACE, wrong } satisfies Deliveries
  } finally {
    receiver.stop()
    await dependencies.close()
  }
}

/** Deliveries in a second, and what bounds them; times to the first attempt. */
export function deliveriesTable({ backlogs, delays, pace, wrong }: Deliveries): string {
  const rates = backlogs.map(({ events, seconds }) => events / seconds)
  const sorted = delays.toSorted((a, b) => a - b)
  const parts = Object.keys(backlogs[0]?.workMs ?? {})
  const each = (part: string) => median(backlogs.map(({ events, workMs }) => (workMs?.[part] ?? Number.NaN) / events))
  const all = [
    ['Webhooks', 'Events', 'Deliveries /s (rounds)', 'Sent away', 'Wrong', ...parts.map((part) => `CPU ms ${part}`)],
    ['---', '--:', '--:', '--:', '--:', ...parts.map(() => '--:')],
    [
      'a backlog, to a fast receiver',
      String(backlogs[0]?.events ?? 0),
      `**${median(rates).toFixed(1)}** (${Math.min(...rates).toFixed(1)} – ${Math.max(...rates).toFixed(1)})`,
      median(backlogs.map((each) => each.sentAway)).toFixed(0),
      String(wrong),
      ...parts.map((part) => each(part).toFixed(1)),
    ],
  ]
  const delay = [50, 99].map((rank) => `p${rank} ${percentile(sorted, rank).toFixed(0)} ms`).join(', ')
  const text = all.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
  return `${text}\n\nFrom an event's commit to its first attempt, at ${pace} events/s (${delays.length} events): ${delay}.`
}
