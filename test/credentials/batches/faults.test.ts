import { setTimeout } from 'node:timers/promises'
import test from 'ava'
import { MOBILE_SIGN_EXAMPLE } from '../../../api/mobile-credentials/answers.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { COURSE, create, errors, lines, results, steer, until } from '../../support/credentials/batches.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { createIaca, createSigner } from '../../support/credentials/mobile.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let fault: Error | undefined
let faults = 0
test.before(async () => {
  world = await openWorld({
    workflows: true,
    workerKeys: (store) => ({
      ...store,
      async sign(ref, data) {
        if (fault) {
          faults += 1
          throw fault
        }
        return store.sign(ref, data)
      },
    }),
  })
})
test.after.always(() => world?.close())

for (const code of ['key.envelope_refused', 'key.store_refused', 'key.not_found'])
  test.serial(
    `a key that is at fault (${code}) pauses the batch and costs no row; resumed, all are signed (D-085)`,
    async (t) => {
      fault = new Refusal(code, 'Vault refused: KEY_STORE_MASTER_KEY.')
      const options = { issuer: await createDid(world), proofType: 'eddsa-rdfc-2022', context: COURSE }
      const { id } = await create(world, lines(30), options)
      const paused = await until(world, id, ({ status }) => status === 'PAUSED')
      t.like(paused, { signed: 0, failed: 0, pending: 30, paused: { code } })
      if (code !== 'key.not_found') t.notRegex(JSON.stringify(paused), /Vault|KEY_STORE/, 'its words are for the log')
      t.deepEqual(await errors(world, id), [])
      fault = undefined
      t.is((await steer(world, id, 'resume')).status, 200)
      t.like(await until(world, id, ({ status }) => status === 'COMPLETED'), { signed: 30, failed: 0 })
      t.is((await results(world, id)).length, 30)
    },
  )

const VCT = 'https://credentials.example/course'
const FORMATS: Record<string, () => Promise<{ payload: object } & Record<string, unknown>>> = {
  'sd-jwt-vc': async () => ({ issuer: await createDid(world, 'P-256', world.token, true), payload: { vct: VCT } }),
  compact: async () => ({ issuer: await createDid(world, 'p256'), payload: { type: 'Course' } }),
  mobile: async () => {
    await createIaca(world)
    return { documentSignerId: await createSigner(world), payload: MOBILE_SIGN_EXAMPLE.payload }
  },
}

for (const [format, made] of Object.entries(FORMATS))
  test.serial(`a fault of the database while ${format} rows are signed costs none of them (D-153)`, async (t) => {
    const { payload, ...issuer } = await made()
    faults = 0
    fault = Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' })
    const rows = Array.from({ length: 20 }, () => JSON.stringify({ payload })).join('\n')
    const { id } = await create(world, rows, { format, ...issuer })
    for (let waited = 0; faults === 0 && waited < 30_000; waited += 100) await setTimeout(100)
    t.true(faults > 0)
    await setTimeout(2_000)
    t.deepEqual(await errors(world, id), [], 'a refused row would be erased')
    fault = undefined
    t.like(await until(world, id, ({ status }) => status === 'COMPLETED', 60_000), { signed: 20, failed: 0 })
  })
