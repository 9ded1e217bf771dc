import test from 'ava'
import type { Witness } from '../../activities/frame/epoch.witness.ts'
import { Unavailable } from '../../protocol/errors.ts'
import { backdate, type Installation, keepRow, openPlace, openProcess, shareServer } from '../support/stack/epoch.ts'

const shared = shareServer()

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
