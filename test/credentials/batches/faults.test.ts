import test from 'ava'
import { Refusal } from '../../../protocol/errors.ts'
import { COURSE, create, errors, lines, results, steer, until } from '../../support/credentials/batches.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let fault: Refusal | undefined
test.before(async () => {
  world = await openWorld({
    workflows: true,
    workerKeys: (store) => ({
      ...store,
      async sign(ref, data) {
        if (fault) throw fault
        return store.sign(ref, data)
      },
    }),
  })
})
test.after.always(() => world?.close())

for (const code of ['key.envelope_refused', 'key.store_refused'])
  test.serial(
    `a key that is at fault (${code}) pauses the batch and costs no row; resumed, all are signed (D-085)`,
    async (t) => {
      fault = new Refusal(code, 'The key cannot be used.')
      const options = { issuer: await createDid(world), proofType: 'eddsa-rdfc-2022', context: COURSE }
      const { id } = await create(world, lines(30), options)
      const paused = await until(world, id, ({ status }) => status === 'PAUSED')
      t.like(paused, { signed: 0, failed: 0, pending: 30, paused: { code } })
      t.deepEqual(await errors(world, id), [])
      fault = undefined
      t.is((await steer(world, id, 'resume')).status, 200)
      t.like(await until(world, id, ({ status }) => status === 'COMPLETED'), { signed: 30, failed: 0 })
      t.is((await results(world, id)).length, 30)
    },
  )
