import { randomBytes, randomUUID } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import test from 'ava'
import { createFileWitness, type Witness } from '../../activities/frame/epoch.witness.ts'
import { Unavailable } from '../../protocol/errors.ts'
import {
  backdate,
  type Installation,
  keepRow,
  listsOf,
  OWNER,
  openDisk,
  openPlace,
  openProcess,
  openServer,
  taken,
  twice,
} from '../support/stack/epoch.ts'
import { temporary } from '../support/stack/stack.ts'

let shared: Awaited<ReturnType<typeof openServer>>
test.before(async () => {
  shared = await openServer()
})
test.after.always(async () => {
  await shared?.server.stop()
  if (shared) await rm(shared.directory, { recursive: true, force: true })
})

test.serial('a platform that starts again goes on with its list, witnessed or not', async (t) => {
  const { witnessed, unwitnessed } = await openPlace(t, shared.server)
  const all = [await taken(witnessed), await taken(witnessed), await taken(unwitnessed), await taken(witnessed)]
  t.is(twice(...all), 0)
  t.is(listsOf(all.flat()).length, 1)
})

test.serial(
  'rows that stand in another database than they were written in: new lists, and no index twice (D-185)',
  async (t) => {
    const place = await openPlace(t, shared.server)
    const before = await taken(place.unwitnessed)
    const clone = { url: await place.clone(), witness: undefined }
    const [lost, after] = [await taken(place.unwitnessed), await taken(clone)]
    t.is(twice(before, lost, after), 0)
    t.not(listsOf(after)[0], listsOf(before)[0])
    t.is(listsOf([...after, ...(await taken(clone))]).length, 1, 'an epoch begins once')
  },
)

test.serial('a data directory that was put back is told by what the witness remembers (D-185)', async (t) => {
  const place = await openDisk(t)
  const before = await taken(place.witnessed)
  await place.snapshot()
  await backdate(place.witnessed, 3600)
  const running = await openProcess(place.witnessed)
  await running.epoch.check()
  const lost = await running.take(40)
  await running.close()
  await place.putBack()
  const after = await taken(place.witnessed)
  t.is(twice(before, lost, after), 0)
  t.not(listsOf(after)[0], listsOf(before)[0])
})

test.serial(
  'a process that goes on while its data directory is put back gets nothing from the old lists',
  async (t) => {
    const place = await openDisk(t)
    await taken(place.witnessed)
    await place.snapshot()
    await backdate(place.witnessed, 3600)
    const running = await openProcess(place.witnessed)
    t.teardown(running.close)
    await running.epoch.check()
    const lost = await running.take(32) // a whole lease: the next entry is reserved
    await place.putBack()
    const after = await running.take(40)
    t.is(twice(lost, after), 0)
    t.not(listsOf(after)[0], listsOf(lost)[0])
  },
)

test.serial('what shows no sign is told by the operator: new lists, in processes that run too', async (t) => {
  const place = await openPlace(t, shared.server)
  const running = await openProcess(place.unwitnessed)
  t.teardown(running.close)
  await running.epoch.check()
  const [before] = await running.take(1)
  const operator = await openProcess(place.unwitnessed)
  t.teardown(operator.close)
  await operator.epoch.restored()
  await running.epoch.check()
  const [after] = await running.take(1)
  t.not(after?.listId, before?.listId)
})

test.serial('of processes that see a restored database at once, one begins the epoch', async (t) => {
  const place = await openPlace(t, shared.server)
  await taken(place.unwitnessed)
  const clone = { url: await place.clone(), witness: undefined }
  const processes = await Promise.all(Array.from({ length: 4 }, () => openProcess(clone)))
  t.teardown(async () => {
    for (const { close } of processes) await close()
  })
  const ids = await Promise.all(processes.map(async ({ epoch }) => (await epoch.check()).id))
  t.is(new Set(ids).size, 1)
  const { rows } = (await processes[0]?.systemSql.query<{ epoch: number }>({
    text: 'select epoch from platform_epoch',
    values: [],
  })) ?? { rows: [] }
  t.deepEqual(rows, [{ epoch: 3 }], 'the first one began with the database of this test')
})

test.serial('while the witness is away at a start nothing is given out, and everything once it is back', async (t) => {
  const place = await openPlace(t, shared.server)
  await taken(place.witnessed)
  let away = true
  const witness: Witness = {
    read: async (id) => {
      if (away) throw new Unavailable('keys', 'sealed')
      return place.witnessed.witness.read(id)
    },
    write: place.witnessed.witness.write,
  }
  const process = await openProcess({ url: place.url, witness })
  t.teardown(process.close)
  await t.throwsAsync(process.take(1), { instanceOf: Unavailable })
  away = false
  t.is((await process.take(1)).length, 1)
})

test.serial('while the witness is away later, entries are given out as before', async (t) => {
  const place = await openPlace(t, shared.server)
  let away = false
  const witness: Witness = {
    read: async (id) => {
      if (away) throw new Unavailable('keys', 'sealed')
      return place.witnessed.witness.read(id)
    },
    write: place.witnessed.witness.write,
  }
  const process = await openProcess({ url: place.url, witness })
  t.teardown(process.close)
  await process.epoch.check()
  away = true
  await t.throwsAsync(process.epoch.check(), { instanceOf: Unavailable })
  t.is(listsOf(await process.take(40)).length, 1)
})

test.serial('what the witness remembers never goes back, whichever process writes last (D-185)', async (t) => {
  const [witness, id] = [createFileWitness(temporary(t, 'witness')), randomUUID()]
  t.is(await witness.read(id), undefined)
  for (const [written, remembered] of [
    [9, 9],
    [5, 9],
    [10, 10],
  ] as const) {
    t.is(await witness.write(id, written), remembered)
    t.is(await witness.read(id), remembered)
  }
})

test.serial('processes with one number, as in containers, write to one folder at once', async (t) => {
  const [folder, id] = [temporary(t, 'witness'), randomUUID()]
  const marks = await Promise.all(Array.from({ length: 8 }, () => createFileWitness(folder).write(id, 7)))
  t.deepEqual(new Set(marks), new Set([7]))
  t.deepEqual(readdirSync(folder), [id])
})

test.serial('a crash between database and witness is no sign of a restore', async (t) => {
  const place = await openPlace(t, shared.server)
  const before = await taken(place.witnessed)
  await backdate(place.witnessed, 30)
  const crashing: Witness = {
    read: place.witnessed.witness.read,
    write: () => Promise.reject(new Error('killed here')),
  }
  const process = await openProcess({ url: place.url, witness: crashing })
  await t.throwsAsync(process.epoch.check(), { message: 'killed here' })
  await process.close()
  t.deepEqual(listsOf(await taken(place.witnessed)), listsOf(before))
})

/** A process that stands still between its look at the database and its look at the witness, while `others` go on. */
const standingStill = (witness: Witness, others: () => Promise<unknown>): Witness => {
  let first = true
  return {
    async read(id) {
      if (first) {
        first = false
        await others()
      }
      return witness.read(id)
    },
    write: witness.write,
  }
}

test.serial('a process that stood still while another went on sees no restore in that (D-185)', async (t) => {
  const place = await openPlace(t, shared.server)
  const running = await openProcess(place.witnessed)
  t.teardown(running.close)
  const { id, mark } = await running.epoch.check()
  await backdate(place.witnessed, 30)
  const witness = standingStill(place.witnessed.witness, running.epoch.check)
  const slow = await openProcess({ url: place.url, witness })
  t.teardown(slow.close)
  t.like(await slow.epoch.check(), { id, mark: mark + 1 })
})

test.serial('a process that stood still while an epoch began joins that one', async (t) => {
  const place = await openPlace(t, shared.server)
  const running = await openProcess(place.witnessed)
  t.teardown(running.close)
  const { id, mark } = await running.epoch.check()
  const witness = standingStill(place.witnessed.witness, async () => {
    await place.witnessed.witness.write(id, mark + 10)
    await running.epoch.restored()
  })
  const slow = await openProcess({ url: place.url, witness })
  t.teardown(slow.close)
  const { id: joined } = await slow.epoch.check()
  t.is(running.epoch.known, joined)
})

/** Does `work` before the first increase of the mark, after the comparison. */
const beforeIncrease = (work: () => Promise<unknown>) => {
  let first = true
  return async (text: string) => {
    if (!first || !text.startsWith('update platform_epoch set mark')) return
    first = false
    await work()
  }
}

/** A running process whose row was kept, old enough for the next increase, and `goOn`, which increases its mark. */
async function openRunning(t: Parameters<typeof openPlace>[0], installation: Installation) {
  const running = await openProcess(installation)
  t.teardown(running.close)
  await running.epoch.check()
  await backdate(installation, 30)
  const goOn = async (times: number) => {
    for (let round = 0; round < times; round += 1) {
      await backdate(installation, 30)
      await running.epoch.check()
    }
  }
  return { running, kept: await keepRow(running), goOn }
}

test.serial('a database put back while a process stands between comparison and increase: a new epoch', async (t) => {
  const { witnessed } = await openPlace(t, shared.server)
  const { running, kept, goOn } = await openRunning(t, witnessed)
  await goOn(1) // an increase of any other mark than the compared one would make up for it
  const slow = await openProcess(witnessed, beforeIncrease(kept.putBack))
  t.teardown(slow.close)
  const { id } = await slow.epoch.check()
  t.not(id, kept.id)
  t.is((await running.epoch.check()).id, id)
})

test.serial('the same where it had compared the very mark that is put back', async (t) => {
  const { witnessed } = await openPlace(t, shared.server)
  const { running, kept, goOn } = await openRunning(t, witnessed)
  const whileStill = async () => {
    await goOn(3)
    await kept.putBack()
  }
  const slow = await openProcess(witnessed, beforeIncrease(whileStill))
  t.teardown(slow.close)
  const { id } = await slow.epoch.check()
  t.is(await witnessed.witness.read(kept.id), kept.mark + 3, 'the sign stays')
  t.not(id, kept.id)
  t.is((await running.epoch.check()).id, id)
})

test.serial('a process remembers mark and epoch of its last look, also without a witness', async (t) => {
  const { unwitnessed } = await openPlace(t, shared.server)
  const { running, kept, goOn } = await openRunning(t, unwitnessed)
  await goOn(3)
  await kept.putBack()
  const second = await running.epoch.check()
  t.not(second.id, kept.id)
  await kept.putBack()
  const third = await running.epoch.check()
  t.false([kept.id, second.id].includes(third.id))
})

test.serial('processes that increase the mark together see no restore in that', async (t) => {
  const { witnessed } = await openPlace(t, shared.server)
  const processes = await Promise.all(Array.from({ length: 4 }, () => openProcess(witnessed)))
  t.teardown(async () => {
    for (const { close } of processes) await close()
  })
  const checked = () => Promise.all(processes.map(({ epoch }) => epoch.check()))
  const { id, mark } = (await checked())[0] ?? { id: '', mark: 0 }
  for (let round = 1; round <= 5; round += 1) {
    await backdate(witnessed, 30)
    for (const known of await checked()) t.is(known.id, id)
    t.is(await witnessed.witness.read(id), mark + round)
  }
})

test.serial('where no comparison ends well, nothing is given out', async (t) => {
  const { url } = await openPlace(t, shared.server)
  const witness: Witness = { read: async () => undefined, write: async (_id, mark) => mark + 1 }
  const process = await openProcess({ url, witness })
  t.teardown(process.close)
  await t.throwsAsync(process.take(1), { instanceOf: Unavailable, message: /changes too fast/ })
})

test.serial(
  'a start that finds nothing remembered opens new lists, one beside a running platform goes on (D-186)',
  async (t) => {
    const place = await openPlace(t, shared.server)
    const before = await taken(place.witnessed)
    rmSync(place.folder, { recursive: true })
    const beside = await taken(place.witnessed)
    t.deepEqual(listsOf(beside), listsOf(before), 'another machine joins')
    rmSync(place.folder, { recursive: true })
    await backdate(place.witnessed, 120)
    const after = await taken(place.witnessed)
    t.not(listsOf(after)[0], listsOf(before)[0])
  },
)

test.serial('two databases that came from one do not disturb each other, whoever remembers them', async (t) => {
  const place = await openPlace(t, shared.server)
  await taken(place.witnessed)
  const clone = { url: await place.clone(), witness: place.witnessed.witness }
  const [ours, theirs] = [await taken(place.witnessed), await taken(clone)]
  for (let round = 0; round < 3; round += 1) {
    await backdate(place.witnessed, 30)
    t.deepEqual(listsOf(await taken(place.witnessed)), listsOf(ours))
    await backdate(clone, 30)
    t.deepEqual(listsOf(await taken(clone)), listsOf(theirs))
  }
  t.is(readdirSync(place.folder).length, 2)
})

test.serial(
  'a restored database that nobody has looked at gives out no entries, whatever mark the process knows',
  async (t) => {
    const place = await openPlace(t, shared.server)
    const [first] = await taken(place.unwitnessed)
    const reserved = async (url: string) => {
      const process = await openProcess({ url, witness: undefined })
      const { tenantId, issuerId, kind, purpose, proofType } = OWNER
      const values = [tenantId, issuerId, kind, purpose, proofType, 32, randomUUID(), 131_072, randomBytes(32), 0]
      const text = 'select list_id from reserve_status_entries($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)'
      return process.sql
        .query<{ list_id: string }>({ text, values })
        .then(({ rows }) => rows[0]?.list_id)
        .finally(process.close)
    }
    t.is(await reserved(place.url), first?.listId)
    t.is(await reserved(await place.clone()), undefined)
  },
)
