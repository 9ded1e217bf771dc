import { randomBytes, randomUUID } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import test from 'ava'
import { createFileWitness, type Witness } from '../../activities/frame/epoch.witness.ts'
import { Unavailable } from '../../protocol/errors.ts'
import {
  backdate,
  listsOf,
  OWNER,
  openDisk,
  openPlace,
  openProcess,
  shareServer,
  taken,
  twice,
} from '../support/stack/epoch.ts'
import { temporary } from '../support/stack/stack.ts'

const shared = shareServer()

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
