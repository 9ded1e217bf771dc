import test from 'ava'
import { createPlatform } from '../../../activities/index.ts'
import { Unavailable } from '../../../protocol/errors.ts'
import { COURSE, claimLines, create, errors, lines, read, steer } from '../../support/credentials/batches.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { createTemplate, TEMPLATES } from '../../support/credentials/templates.ts'
import { platformOf } from '../../support/parts/platform.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld() // without a worker: the tests take the steps of the workflow themselves
})
test.after.always(() => world?.close())

const remove = async (path: string) => {
  const reply = await world.ask(path, { token: world.token, method: 'DELETE' })
  if (reply.status !== 204) throw new Error(reply.text)
}

/** Rows of a batch: of an issuer that leaves, and of one that stays. */
async function newBatch() {
  const [leaving, staying] = [await createDid(world), await createDid(world)]
  const body = lines(4, (row) => ({
    payload: {
      issuer: { id: row % 2 === 1 ? leaving : staying },
      credentialSubject: { id: 'did:example:a', course: 'C' },
    },
  }))
  const { id } = await create(world, body, { proofType: 'eddsa-rdfc-2022', context: COURSE })
  return { id, leave: () => remove(`/v1/dids/${encodeURIComponent(leaving)}`) }
}

const subjectOf = (batchId: string) => ({ tenantId: world.first.tenantId, batchId })
const signNow = (batchId: string) =>
  platformOf(world).batchSigning.signBatchChunk({ ...subjectOf(batchId), from: 1, to: 4 })

/** Pauses a batch in the ways in which it can be paused while its issuer is there. */
const PAUSES: Record<string, (id: string) => Promise<unknown>> = {
  'batch.requested': (id) => steer(world, id, 'pause'),
  'keys.unavailable': async (id) => {
    const { keys, config } = world.dependencies
    const ready = async () => {
      throw new Unavailable('keys', 'The key store is away.')
    }
    const away = createPlatform({
      ...world.dependencies,
      keys: { ...keys, ready },
      config: { ...config, batchPatienceSeconds: 0 },
    })
    await away.batchSigning.signBatchChunk({ ...subjectOf(id), from: 1, to: 4 })
  },
}

for (const [code, pause] of Object.entries(PAUSES))
  for (const goOn of ['resume', 'by itself'])
    test(`a batch paused for ${code} whose issuer goes meanwhile refuses no row when it goes on: ${goOn} (D-243)`, async (t) => {
      const { id, leave } = await newBatch()
      await pause(id)
      t.is((await read(world, id)).paused?.code, code)
      await leave()
      t.like(await signNow(id), { state: 'PAUSED', failed: 0 }, 'nothing is signed or refused while it is paused')
      t.like(await read(world, id), { status: 'PAUSED', failed: 0, pending: 4, paused: { code } as never })

      if (goOn === 'resume') t.is((await steer(world, id, 'resume')).status, 200)
      else {
        const { state } = await platformOf(world).batchEnds.reviewBatch(subjectOf(id))
        t.is(state, code === 'keys.unavailable' ? 'PROCESSING' : 'PAUSED')
        if (state === 'PAUSED') return
      }
      t.like(await signNow(id), { state: 'PAUSED', failed: 0 })
      const told = await read(world, id)
      t.is(told.paused?.code, 'batch.issuer_gone')
      t.like(told, { status: 'PAUSED', signed: 2, failed: 0, pending: 2 })
      t.deepEqual(await errors(world, id), [])

      t.is((await steer(world, id, 'resume')).status, 200)
      t.like(await signNow(id), { state: 'signed', signed: 2, failed: 2 }, 'who resumes it now knows')
      t.deepEqual(
        (await errors(world, id)).map(({ row, code }) => [row, code]),
        [
          [1, 'credential.issuer_unknown'],
          [3, 'credential.issuer_unknown'],
        ],
      )
    })

test('a template that goes while its batch is paused refuses no row at once either (D-128, D-243)', async (t) => {
  const { id: templateId } = await createTemplate(world, { proof_type: 'eddsa-rdfc-2022' })
  const { id } = await create(world, claimLines(4), { templateId, issuerDid: await createDid(world) })
  await steer(world, id, 'pause')
  await remove(`${TEMPLATES}/${templateId}`)
  await steer(world, id, 'resume')
  t.like(await signNow(id), { state: 'PAUSED', failed: 0 })
  t.is((await read(world, id)).paused?.code, 'batch.template_gone')
  await steer(world, id, 'resume')
  t.like(await signNow(id), { state: 'signed', signed: 0, failed: 4 })
})
