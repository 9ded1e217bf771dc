import test from 'ava'
import { openRestorable, type Restorable } from '../../support/stack/restore.ts'

let world: Restorable
test.before(async () => {
  world = await openRestorable({ API_PROCESSES: '2', RATE_LIMIT_PER_MINUTE: '10000000' }, { durable: true })
})
test.after.always(() => world?.close())

test.serial('a dump in the middle of 60,000 rows, restored: all are signed, and no status entry is given twice', (t) =>
  world.restoredInTheMiddle(t, { rows: 60_000, lose: () => world.platform.temporal.lose() }),
)

test.serial('a backup of 60,000 credentials and its restore: how long they take', async (t) => {
  const { seconds, rows, megabytes } = await world.backUpAndRestore()
  t.log(
    `${rows} rows, ${megabytes.toFixed(0)} MB packed: backup ${seconds.backup.toFixed(1)} s, restore ${seconds.restore.toFixed(1)} s`,
  )
  t.true(rows > 120_000)
})
