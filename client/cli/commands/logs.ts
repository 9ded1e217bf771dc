import { setTimeout as wait } from 'node:timers/promises'
import type { Schemas } from '../../index.ts'
import { Problem } from '../../problem.ts'
import { type Call, type Command, Usage, wholeNumber } from '../usage.ts'

type Entry = Schemas['LogEntryOut']

const LOOK_MS = 2_000
/** Entries of one moment are committed one after the other: so far back is looked again. */
const OVERLAP_MS = 10_000
const END = '2999-12-31T23:59:59Z'
const BEGINNING = '2000-01-01T00:00:00Z'
const MOST = 1000

/** The newest entries since a time, oldest first; those of our own looks are left out. */
async function entriesSince({ client, texts }: Call, own: Set<string>, since: string, limit: number): Promise<Entry[]> {
  const body = {
    categories: texts('category'),
    types: texts('type'),
    ids: [],
    requestIds: [],
    dateFrom: since,
    dateTo: END,
  }
  const { data, error, response } = await client.http.POST('/v1/analytics/events', {
    params: { query: { limit } },
    body,
  })
  if (!data) throw new Problem(response, error)
  own.add(response.headers.get('x-request-id') ?? '')
  return data.data.filter(({ requestId }) => !own.has(requestId)).reverse()
}

const print = async ({ output }: Call, entry: Entry) =>
  output.result(entry, [[entry.timestamp, entry.type, ...entry.objectIds].join('  ')])

/** `begun` is when the command was given: what is older and was not shown is not shown now. */
async function follow(call: Call, own: Set<string>, shown: Entry[], begun: number): Promise<never> {
  const timeOf = ({ timestamp }: Entry) => Date.parse(timestamp)
  const known = new Map(shown.map((entry) => [entry.id, timeOf(entry)]))
  const cut = Math.max(begun, ...known.values())
  let newest = cut
  for (let isFirst = true; ; isFirst = false) {
    const entries = await entriesSince(call, own, new Date(newest - OVERLAP_MS).toISOString(), MOST)
    for (const entry of entries.filter(({ id }) => !known.has(id))) {
      known.set(entry.id, timeOf(entry))
      newest = Math.max(newest, timeOf(entry))
      if (!isFirst || timeOf(entry) > cut) await print(call, entry)
    }
    for (const [id, time] of known) if (time < newest - 2 * OVERLAP_MS) known.delete(id)
    await wait(LOOK_MS)
  }
}

export const logs: Command = {
  usage: 'logs [--follow] [--limit N] [--since TIME] [--category C …] [--type T …]',
  about: 'prints the newest log entries, oldest first; with --follow also those that come',
  options: {
    follow: { type: 'boolean', short: 'f' },
    limit: { type: 'string' },
    since: { type: 'string' },
    category: { type: 'string', multiple: true },
    type: { type: 'string', multiple: true },
  },
  words: 0,
  async run(call) {
    const limit = wholeNumber(call, 'limit', 20, 0)
    if (limit > MOST) throw new Usage(`--limit is at most ${MOST}.`)
    const [own, begun] = [new Set<string>(), Date.now()]
    const entries = await entriesSince(call, own, call.text('since') ?? BEGINNING, limit)
    for (const entry of entries) await print(call, entry)
    if (call.is('follow')) await follow(call, own, entries, begun)
    return 0
  },
}
