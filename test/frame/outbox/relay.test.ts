import { setImmediate as turn } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { createRelay, type RelayDependencies } from '../../../activities/frame/outbox.relay.ts'
import type { WorkflowStart } from '../../../activities/frame/temporal/starts.ts'
import { Unavailable } from '../../../protocol/errors.ts'

/** What Temporal says to each row of a batch. */
type Answers = ('started' | Error)[]

/** A batch, what the database says without rows, or its failure. */
type Claimed = Answers | { seenTenant: string } | 'nothing' | Error

const away = () => new Unavailable('temporal', 'away')
const CLAIM = 'claim-outbox-rows'

/** The row of a batch that stands at a place, of the tenant of that place. */
const rowAt = (batch: number, place: number, attempts: number) => ({
  seenTenant: 'seen',
  id: `row-${batch}-${place}`,
  tenantId: `tenant-${batch}-${place}`,
  area: 'dids',
  objectId: 'object',
  objectIds: place === 0 ? null : ['one', 'two'],
  workflowType: 'tick',
  workflowId: `workflow-${batch}-${place}`,
  summary: 'Test',
  payload: Buffer.from('sealed'),
  attempts,
})

/** A relay between a database and a Temporal that answer as written; without an answer more there is no row. */
function scripted(script: Claimed[], attempts = 1) {
  const answers = new Map<string, 'started' | Error>()
  const claims: unknown[][] = []
  const [asked, marked, returned, lines]: [WorkflowStart[], unknown[][], unknown[][], unknown[][]] = [[], [], [], []]
  const note =
    (level: string) =>
    (...line: unknown[]) =>
      void lines.push([level, ...line])

  const claim = (values: unknown[]): object[] => {
    const claimed = script[claims.length] ?? 'nothing'
    const batch = claims.push(values)
    if (claimed instanceof Error) throw claimed
    if (claimed === 'nothing') return []
    if (!Array.isArray(claimed)) return [{ ...claimed, id: null }]
    return claimed.map((answer, place) => {
      const row = rowAt(batch, place, attempts)
      answers.set(row.workflowId, answer)
      return row
    })
  }
  const sql: RelayDependencies['sql'] = {
    async query<Row extends object>({ name, text, values }: { name?: string; text: string; values: unknown[] }) {
      if (name === CLAIM) return { rows: claim(values) as Row[] }
      if (text.includes('started_at = now()')) marked.push(values)
      else if (text.includes('last_error = $3')) returned.push(values)
      else throw new Error(`an unknown statement ${name}`)
      return { rows: [] }
    },
  }
  const relay = createRelay({
    sql,
    temporal: {
      async startWorkflow(start) {
        asked.push(start)
        const answer = answers.get(start.workflowId) ?? new Error('no such row')
        if (answer !== 'started') throw answer
        return answer
      },
    },
    outbox: { open: ({ workflowId }) => ({ opened: workflowId }) },
    log: { info: note('info'), warn: note('warn'), error: note('error') },
  })
  return { ...relay, claims, asked, marked, returned, lines }
}

const all = (count: number): Answers => Array.from({ length: count }, () => 'started' as const)

test('a batch goes on after the tenant of its last row, else after the last tenant that was looked at', async (t) => {
  const { runOnce, claims } = scripted([all(3), { seenTenant: 'quiet' }, 'nothing', all(1)])
  for (let batch = 0; batch < 5; batch++) await runOnce()
  t.deepEqual(
    claims.map(([, tenant]) => tenant),
    ['00000000-0000-0000-0000-000000000000', 'tenant-1-2', 'quiet', 'quiet', 'tenant-4-0'],
  )
})

test('a workflow is started with its payload in clear and with what its row says of it, and no more', async (t) => {
  const { runOnce, asked, marked, returned, lines } = scripted([all(2)])
  t.deepEqual(await runOnce(), { taken: 2, started: 2, away: false })
  const common = { area: 'dids', objectId: 'object', workflowType: 'tick', summary: 'Test' }
  t.deepEqual(asked as object[], [
    {
      ...common,
      tenantId: 'tenant-1-0',
      workflowId: 'workflow-1-0',
      objectIds: [],
      payload: { opened: 'workflow-1-0' },
    },
    {
      ...common,
      tenantId: 'tenant-1-1',
      workflowId: 'workflow-1-1',
      objectIds: ['one', 'two'],
      payload: { opened: 'workflow-1-1' },
    },
  ])
  t.deepEqual(marked, [[['row-1-0', 'row-1-1']]])
  t.deepEqual([returned, lines], [[], []])
})

test('of a batch those that were started are marked, and nothing is marked when none was', async (t) => {
  const { runOnce, marked } = scripted([['started', away(), 'started', new Error('refused')], [away()], 'nothing'])
  t.deepEqual(await runOnce(), { taken: 4, started: 2, away: true })
  t.deepEqual(await runOnce(), { taken: 1, started: 0, away: true })
  t.deepEqual(await runOnce(), { taken: 0, started: 0, away: false })
  t.deepEqual(marked, [[['row-1-0', 'row-1-2']]])
})

test('a row that failed says why, with the cause, in 500 characters', async (t) => {
  const failures: [error: unknown, reason: string][] = [
    [new Error('refused'), 'refused'],
    [new Error('refused', { cause: new Error('by the server') }), 'refused (by the server)'],
    [new Error('refused', { cause: 'by the server' }), 'refused'],
    ['refused in one word', 'refused in one word'],
    [new Error('x'.repeat(600)), 'x'.repeat(500)],
  ]
  const { runOnce, returned, lines } = scripted([failures.map(([error]) => error as Error)])
  t.deepEqual(await runOnce(), { taken: 5, started: 0, away: false })
  t.deepEqual(
    returned,
    failures.map(([, reason], place) => [`row-1-${place}`, 2, reason, 0]),
  )
  t.deepEqual(
    lines,
    failures.map(([, reason], place) => [
      'error',
      { outboxId: `row-1-${place}`, workflowId: `workflow-1-${place}`, attempts: 1, reason },
      'workflow not started',
    ]),
  )
})

test('a row waits twice as long after each failure, up to ten minutes, and not at all for Temporal', async (t) => {
  for (const [attempts, seconds] of [
    [1, 2],
    [9, 512],
    [10, 600],
    [40, 600],
  ] as const) {
    const { runOnce, returned, lines } = scripted([[new Error('refused'), away()]], attempts)
    await runOnce()
    t.deepEqual(returned, [
      ['row-1-0', seconds, 'refused', 0],
      ['row-1-1', 0, 'away', 1],
    ])
    t.is(lines.length, 1, 'of what is away no row complains')
  }
})

/** Pauses that the test ends, in place of the machine's timers. */
function pausing(t: ExecutionContext) {
  const { setTimeout: set, clearTimeout: clear } = globalThis
  const pauses = new Map<number, { ms: number; end: () => void }>()
  let last = 0
  const pause = (end: () => void, ms: number) => {
    last += 1
    pauses.set(last, { ms, end })
    return last
  }
  Object.assign(globalThis, { setTimeout: pause, clearTimeout: (id: number) => pauses.delete(id) })
  t.teardown(() => Object.assign(globalThis, { setTimeout: set, clearTimeout: clear }))
  const settle = async () => {
    for (let turns = 0; turns < 20; turns++) await turn()
  }
  return {
    /** Milliseconds of the pauses that are under way, once nothing else happens. */
    async now(): Promise<number[]> {
      await settle()
      return [...pauses.values()].map(({ ms }) => ms)
    },
    async end(): Promise<void> {
      for (const [id, { end }] of pauses) {
        pauses.delete(id)
        end()
      }
      await settle()
    },
  }
}

/** Runs the loop until a pause is as the last of those expected; each pause, and the rows asked for at each claim. */
async function follow(t: ExecutionContext, script: Claimed[], count: number) {
  const clock = pausing(t)
  const relay = scripted(script)
  relay.start()
  const pauses: number[][] = []
  for (let nth = 0; nth < count; nth++) {
    pauses.push(await clock.now())
    if (nth < count - 1) await clock.end()
  }
  await relay.stop()
  t.deepEqual(await clock.now(), [], 'who stops does not wait for the end of a pause')
  return { pauses: pauses.flat(), rows: relay.claims.map(([rows]) => rows), lines: relay.lines }
}

test.serial('what is due is started without a pause, and an idle relay looks five times a second', async (t) => {
  const { pauses, rows, lines } = await follow(t, [all(16), all(2), 'nothing', 'nothing', all(1)], 3)
  t.deepEqual(pauses, [200, 200, 200])
  t.deepEqual(rows, [16, 16, 16, 16, 16, 16])
  t.deepEqual(lines, [])
})

test.serial('a row that fails does not make the relay hurry, nor wait for Temporal', async (t) => {
  const { pauses, rows, lines } = await follow(t, [[new Error('refused')]], 2)
  t.deepEqual(pauses, [200, 200])
  t.deepEqual(rows, [16, 16])
  t.deepEqual(
    lines.map(([level]) => level),
    ['error'],
  )
})

test.serial('while Temporal is away the pauses grow up to three seconds, for one row each, told once', async (t) => {
  const { pauses, rows, lines } = await follow(
    t,
    [[away(), away()], ...Array.from({ length: 5 }, () => [away()]), all(1), all(2), all(4), all(8), all(16)],
    7,
  )
  t.deepEqual(pauses, [500, 1_000, 2_000, 3_000, 3_000, 3_000, 200])
  t.deepEqual(rows, [16, 1, 1, 1, 1, 1, 1, 2, 4, 8, 16, 16])
  t.deepEqual(lines, [
    ['warn', { reason: 'Temporal is away' }, 'outbox relay waits'],
    ['info', 'outbox relay continues'],
  ])
})

test.serial('a second outage begins with the shortest pause, and is told again', async (t) => {
  const { pauses, lines } = await follow(t, [[away()], [away()], all(1), [away()]], 3)
  t.deepEqual(pauses, [500, 1_000, 500])
  t.deepEqual(
    lines.map(([level]) => level),
    ['warn', 'info', 'warn'],
  )
})

test.serial('a slow Temporal is asked for half of what it answered in time, and never for nothing', async (t) => {
  const slow: Answers = [...all(5), away(), away()]
  const { pauses, rows, lines } = await follow(t, [slow, [...all(1), away()], all(1)], 1)
  t.deepEqual(rows, [16, 2, 1, 2])
  t.deepEqual(pauses, [200])
  t.deepEqual(lines, [])
})

test.serial('a database that fails is asked again after a pause, and the rows asked for stay', async (t) => {
  const { pauses, rows, lines } = await follow(t, [new Error('gone'), new Error('gone'), all(1)], 3)
  t.deepEqual(pauses, [500, 1_000, 200])
  t.deepEqual(rows, [16, 16, 16, 16])
  t.deepEqual(lines, [
    ['warn', { reason: 'gone' }, 'outbox relay waits'],
    ['info', 'outbox relay continues'],
  ])
})

test.serial('a relay that is started twice has one loop, and one that is stopped looks no more', async (t) => {
  const clock = pausing(t)
  const relay = scripted([])
  relay.start()
  relay.start()
  t.deepEqual(await clock.now(), [200])
  await relay.stop()
  relay.start()
  t.deepEqual(await clock.now(), [])
  t.is(relay.claims.length, 1)
})

test.serial('a relay that is stopped ends the batch in hand and takes none after it', async (t) => {
  const relay = scripted([all(3), all(3)])
  relay.start()
  await relay.stop()
  t.is(relay.claims.length, 1)
  t.deepEqual(relay.marked, [[['row-1-0', 'row-1-1', 'row-1-2']]])
})
