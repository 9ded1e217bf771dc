import test from 'ava'
import { joined, percentile } from '../../bench/measure.ts'
import { sessionsTable } from '../../bench/openid/sessions.ts'
import { batchTable, memoryTable, ratioOf, table, vaultLines } from '../../bench/report.ts'
import { bench } from '../../bench/run.ts'
import { deliveriesTable } from '../../bench/webhooks/deliveries.ts'
import { thoroughly } from '../support/parts/thorough.ts'

/** The tests' own environment has no variable of the platform: see stack/tests/run.ts. */
const env = process.env

thoroughly(
  'the benchmark measures the platform over HTTP beside the library, without an error or a lost row',
  async (t) => {
    t.timeout(240_000)
    const report = await bench({
      env,
      only: ['eddsa-rdfc-2022', 'mdoc', 'cwt', 'sd-jwt-vc', 'pdf', 'webhooks', 'openid'],
      seconds: 1,
      batchRows: 400,
      memory: { rows: 400, restMs: 100 },
    })
    t.deepEqual(
      report.rows.map(({ format, verb }) => [format, verb]),
      [
        ['eddsa-rdfc-2022', 'sign'],
        ['eddsa-rdfc-2022', 'verify'],
        ['mdoc', 'sign'],
        ['cwt', 'sign'],
        ['sd-jwt-vc', 'sign'],
        ['sd-jwt-vc', 'verify'],
        ['pdf', 'fill'],
      ],
    )
    for (const row of report.rows) {
      t.is(row.one.errors + row.many.errors, 0)
      t.is(row.lost, 0, 'every answered credential is in the database')
      for (const { done, latencies } of [row.one, row.many]) {
        t.true(done > 0)
        t.is(latencies.length, done)
        const [p50, p99] = [50, 99].map((rank) =>
          percentile(
            latencies.toSorted((a, b) => a - b),
            rank,
          ),
        )
        t.true(p50 !== undefined && p99 !== undefined && p50 > 0.1 && p50 <= p99 && p99 < 10_000)
      }
      const { low, middle, high } = ratioOf(row)
      t.true(low > 0 && low <= middle && middle <= high && Number.isFinite(high))
      t.log(`${row.verb}: ${Math.round(middle * 100)} % of the plain loop`)
    }
    for (const { rows, batch } of report.batches)
      t.deepEqual(
        batch.map(({ done }) => done),
        [rows, rows, rows],
      )
    t.regex(
      batchTable(report.batches),
      /\| eddsa-rdfc-2022, diploma, with a status entry \| 400 \| [\d.]+ \| [\d.]+ \| \*\*\d+\.\d\*\*/,
    )
    t.true(report.processes >= 1)
    if (process.platform === 'linux') {
      t.is(report.memory?.processes.length, report.processes + 2, 'the worker, the primary and its processes')
      for (const { started, rested } of report.memory?.processes ?? []) t.true(started > 10 && rested > 10)
      t.regex(memoryTable(report.memory), /\| \*\*together\*\* \| \d+ \| \d+ \| \d+ \|$/)
    }
    t.regex(report.postgres, /^\d+\.\d+/)
    t.regex(batchTable(report.batches), /\| mdoc, mDL, with a status entry \| 400 \|[\s\S]*\| cwt, 25 claims \| 400 \|/)
    t.is(table(report.rows).split('\n').length, 9)
    const { deliveries } = report
    t.is(deliveries?.wrong, 0, 'each event came to the receiver, once')
    t.is(deliveries?.delays.length, 10)
    for (const delay of deliveries?.delays ?? []) t.true(delay > 0 && delay < 60_000)
    t.regex(
      deliveriesTable(deliveries ?? t.fail()),
      /to a fast receiver \| 20 \| \*\*\d+\.\d\*\*[\s\S]*p50 \d+ ms, p99 \d+ ms/,
    )
    t.deepEqual(
      report.sessions.map(({ workers, wrong }) => [workers, wrong]),
      [
        [1, 0],
        [2, 0],
      ],
      'each session gave one credential',
    )
    t.regex(sessionsTable(report.sessions), /20 at a time \| 2 \| 3 × 12 \| \*\*\d+\.\d\*\*/)
    t.notRegex(report.machine.join(' '), /\/(home|root|tmp|work)\b/)
  },
)

test('an unknown format is named, before anything is started', async (t) => {
  await t.throwsAsync(bench({ env, only: ['rsa'] }), {
    message: /eddsa-rdfc-2022, Ed25519Signature2018.*mdoc, cwt, sd-jwt-vc, pdf, webhooks, openid/,
  })
})

test('a platform with Vault is compared with one without, round by round', (t) => {
  const measured = (done: number) => ({ done, errors: 0, seconds: 1, latencies: [1], workMs: done / 2 })
  const rounds = [80, 70, 90].map(measured)
  const row = { format: 'sd-jwt-vc', verb: 'sign' as const, plain: rounds, one: measured(1), rounds, lost: 0 }
  const beside = [100, 100, 100].map(measured)
  t.deepEqual(vaultLines([{ ...row, many: joined(rounds) }]), [])
  t.deepEqual(vaultLines([{ ...row, many: joined(rounds), beside }]), [
    'sd-jwt-vc, sign, 32 at a time: with keys in Vault **80 %** (70 % – 90 %) of the rate without, 80.0 against 100 /s; ' +
      "CPU ms 0.50 and 0.50, Vault's own not counted",
  ])
})

test('percentiles are by nearest rank', (t) => {
  const hundred = Array.from({ length: 100 }, (_, index) => index + 1)
  t.deepEqual([percentile(hundred, 50), percentile(hundred, 95), percentile(hundred, 99)], [50, 95, 99])
  t.is(percentile([7], 99), 7)
  t.is(percentile([], 50), Number.NaN)
})
