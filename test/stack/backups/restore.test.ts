import test from 'ava'
import { openRestorable, type Restorable } from '../../support/stack/restore.ts'

let world: Restorable
test.before(async () => {
  world = await openRestorable()
})
test.after.always(() => world?.close())

/** More than the chunks of a batch that are under way at a time. */
const rows = 5_000

test.serial(
  'restored in the middle of a batch, with a Temporal that is ahead of the rows: it ends, no entry twice',
  (t) => world.restoredInTheMiddle(t, { rows }),
)

test.serial('restored in the middle of a batch, with Temporal’s database lost too: it ends, no entry twice', (t) =>
  world.restoredInTheMiddle(t, { rows, lose: () => world.platform.temporal.lose() }),
)
