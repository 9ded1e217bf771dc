import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createPlatform } from '../../../activities/index.ts'
import { CredentialBatch } from '../../../entities/credentials/batches.ts'
import { inTenant } from '../../../entities/orm.ts'
import { Unavailable } from '../../../protocol/errors.ts'
import { BATCHES, COURSE, create, errors, lines, read, steer } from '../../support/credentials/batches.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { until } from '../../support/credentials/dids.ts'
import { refusal } from '../../support/credentials/templates.ts'
import { codeOf } from '../../support/parts/keys.ts'
import { platformOf } from '../../support/parts/platform.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld() // without a worker: the tests take the steps of the workflow themselves
})
test.after.always(() => world?.close())

async function newBatch(rows = 4) {
  const issuer = await createDid(world)
  const { id } = await create(world, lines(rows), { issuer, proofType: 'eddsa-rdfc-2022', context: COURSE })
  return { id, issuer }
}

const remove = async (did: string) => {
  const reply = await world.ask(`/v1/dids/${encodeURIComponent(did)}`, { token: world.token, method: 'DELETE' })
  if (reply.status !== 204) throw new Error(reply.text)
}

/** A worker that has read the batch and its rows, and goes no further until it is told. */
function heldWorker({ away = false } = {}) {
  const { keys, config } = world.dependencies
  const [reached, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const ready = async () => {
    reached.resolve()
    await opened.promise
    if (away) throw new Unavailable('keys', 'The key store is away.')
  }
  const platform = createPlatform({
    ...world.dependencies,
    keys: { ...keys, ready },
    config: { ...config, batchPatienceSeconds: 0 },
  })
  return {
    platform,
    reached: reached.promise,
    release: opened.resolve,
    sign: (batchId: string, from: number, to: number) =>
      platform.batchSigning.signBatchChunk({ tenantId: world.first.tenantId, batchId, from, to }),
  }
}

const signNow = (batchId: string, from: number, to: number) =>
  platformOf(world).batchSigning.signBatchChunk({ tenantId: world.first.tenantId, batchId, from, to })

test('a worker that saw a deleted issuer does not pause a batch again that was resumed meanwhile (D-085)', async (t) => {
  const { id, issuer } = await newBatch()
  const slow = heldWorker()
  const outcome = slow.sign(id, 3, 4)
  await slow.reached
  await remove(issuer)
  t.like(await signNow(id, 1, 2), { state: 'PAUSED' })
  t.is((await read(world, id)).paused?.code, 'batch.issuer_gone')
  t.is((await steer(world, id, 'resume')).status, 200)
  slow.release()
  t.like(await outcome, { state: 'signed', failed: 2 })
  t.like(await read(world, id), { status: 'PROCESSING', failed: 2, paused: undefined })
  t.deepEqual(
    (await errors(world, id)).map(({ row }) => row),
    [3, 4],
  )
})

test('a worker out of patience does not pause a batch that was paused and resumed meanwhile (D-085)', async (t) => {
  const { id } = await newBatch()
  const slow = heldWorker({ away: true })
  const outcome = codeOf(slow.sign(id, 1, 4))
  await slow.reached
  t.is((await steer(world, id, 'pause')).status, 200)
  t.is((await steer(world, id, 'resume')).status, 200)
  slow.release()
  t.is(await outcome, 'unavailable', 'tried again')
  t.like(await read(world, id), { status: 'PROCESSING', pending: 4 })
})

test('a worker’s reason does not replace the owner’s pause, and no cancelled batch is paused (D-085)', async (t) => {
  for (const [verb, expected] of [
    ['pause', { status: 'PAUSED', paused: { code: 'batch.requested', message: 'Paused on request.' } }],
    ['cancel', { status: 'CANCELLED', paused: undefined }],
  ] as const) {
    const { id, issuer } = await newBatch()
    const slow = heldWorker()
    const outcome = slow.sign(id, 1, 4)
    await slow.reached
    await remove(issuer)
    t.is((await steer(world, id, verb)).status, 200)
    slow.release()
    t.like(await outcome, { state: expected.status }, verb)
    t.like(await read(world, id), { ...expected, pending: 4 }, verb)
  }
})

test('rows in hand are signed to the end when their batch is paused, and no further one is begun', async (t) => {
  const { id } = await newBatch(4)
  const slow = heldWorker()
  const outcome = slow.sign(id, 1, 2)
  await slow.reached
  t.is((await steer(world, id, 'pause')).status, 200)
  slow.release()
  t.like(await outcome, { state: 'signed', signed: 2 })
  t.like(await signNow(id, 3, 4), { state: 'PAUSED', signed: 2 })
  t.like(await read(world, id), { status: 'PAUSED', signed: 2, pending: 2 })
})

/** A batch that waited too long for the key store, and a review of it that has read so much and goes no further. */
async function reviewed() {
  const { id } = await newBatch()
  const worker = heldWorker({ away: true })
  worker.release()
  const { state } = await worker.sign(id, 1, 4)
  if (state !== 'PAUSED') throw new Error(`the batch is ${state}`)
  const slow = heldWorker()
  const review = slow.platform.batchEnds.reviewBatch({ tenantId: world.first.tenantId, batchId: id })
  await slow.reached
  return { id, review, release: slow.release }
}

test('a batch that was paused for the key store goes on by itself once the store can sign (D-085)', async (t) => {
  const { id, review, release } = await reviewed()
  t.like(await read(world, id), { status: 'PAUSED', paused: { code: 'keys.unavailable' } })
  release()
  t.deepEqual(await review, { state: 'PROCESSING' })
  t.like(await read(world, id), { status: 'PROCESSING', paused: undefined, waiting: undefined })
  t.like(await signNow(id, 1, 4), { state: 'signed', signed: 4 })
})

test('what its owner decides meanwhile stays: a review brings no batch back that was cancelled or paused (D-206)', async (t) => {
  for (const verbs of [['cancel'], ['resume', 'pause'], ['pause']]) {
    const { id, review, release } = await reviewed()
    for (const verb of verbs) t.is((await steer(world, id, verb)).status, 200)
    const before = await read(world, id)
    release()
    await review
    t.deepEqual(await read(world, id), before, verbs.join())
    t.is(before.status, verbs[0] === 'cancel' ? 'CANCELLED' : 'PAUSED')
    if (before.status === 'PAUSED') t.is(before.paused?.code, 'batch.requested', verbs.join())
  }
})

/** The state that another transaction writes and commits while `work` waits for the batch's row. */
async function meanwhile<T>(id: string, state: Partial<CredentialBatch>, work: () => Promise<T>): Promise<T> {
  const { database, systemSql } = world.dependencies
  const waiting = async () => {
    const { rows } = await systemSql.query<{ blocked: boolean }>({
      text: `select exists (select from pg_locks where not granted) as blocked`,
      values: [],
    })
    return rows[0]?.blocked
  }
  let result: Promise<T> | undefined
  await inTenant(database.tenants, world.first.tenantId, async (em) => {
    await em.nativeUpdate(CredentialBatch, { id }, state)
    result = work()
    result.catch(() => undefined) // asked for below
    await until('the other one to wait', waiting, 1_800)
  })
  if (!result) throw new Error('nothing ran meanwhile')
  return result
}

const stateOf = async (id: string) => (await read(world, id)).status

test.serial('a steering that waited for another one sees what it decided', async (t) => {
  for (const verb of ['pause', 'resume', 'cancel'])
    for (const state of ['COMPLETED', 'CANCELLED'] as const) {
      const { id } = await newBatch(1)
      const reply = await meanwhile(id, { state }, () => steer(world, id, verb))
      const stays = verb === 'cancel' && state === 'CANCELLED'
      t.is(stays ? String(reply.status) : refusal(reply, 409), stays ? '200' : 'batch.ended', `${verb}, ${state}`)
      t.is(await stateOf(id), state)
    }
  const { id } = await newBatch(1)
  t.is(
    (await meanwhile(id, { state: 'PAUSED', pauseCode: 'keys.unavailable' }, () => steer(world, id, 'resume'))).status,
    200,
  )
  t.is(await stateOf(id), 'PROCESSING')
})

test.serial('a batch whose end waits for a cancellation stays cancelled, and leaves no entry of an end', async (t) => {
  const { id } = await newBatch(2)
  t.like(await signNow(id, 1, 2), { signed: 2 })
  const { batchEnds } = platformOf(world)
  const subject = { tenantId: world.first.tenantId, batchId: id }
  const done = await meanwhile(id, { state: 'CANCELLED' }, () => batchEnds.completeBatch(subject))
  t.deepEqual(done, { state: 'CANCELLED' })
  t.is(await stateOf(id), 'CANCELLED')
  const { rows } = await world.dependencies.systemSql.query<{ count: number }>({
    text: `select count(*)::int as count from logs where type like '%BATCH_COMPLETE%' and metadata ->> 'id' = $1`,
    values: [id],
  })
  t.is(rows[0]?.count, 0)
})

test('the end of a batch is written once, however often it is asked for, and not before its last row', async (t) => {
  const { id } = await newBatch(2)
  const { batchEnds } = platformOf(world)
  const subject = { tenantId: world.first.tenantId, batchId: id }
  t.deepEqual(await batchEnds.completeBatch(subject), { state: 'PROCESSING', next: 1 })
  await signNow(id, 1, 1)
  t.deepEqual(await batchEnds.completeBatch(subject), { state: 'PROCESSING', next: 2 })
  await signNow(id, 2, 2)
  const ends = await Promise.all(Array.from({ length: 4 }, () => batchEnds.completeBatch(subject)))
  t.deepEqual(ends, Array(4).fill({ state: 'COMPLETED' }))
  const { rows } = await world.dependencies.systemSql.query<{ count: number }>({
    text: `select count(*)::int as count from logs where type like '%BATCH_COMPLETE%' and metadata ->> 'id' = $1`,
    values: [id],
  })
  t.is(rows[0]?.count, 1)
})

/** The status of the answer, its code or the state of the batch, and why it is paused. */
type Answer = [status: number, outcome: string, code?: string]
type Answers = Record<'pause' | 'resume' | 'cancel' | 'revocation', Answer>

const toAll = (answer: Answer): Answers => ({ pause: answer, resume: answer, cancel: answer, revocation: answer })
/** Of a batch that has not ended; a pause for `code` stays one. */
const underWay = (code: string): Answers => ({
  pause: [200, 'PAUSED', code],
  resume: [200, 'PROCESSING'],
  cancel: [200, 'CANCELLED'],
  revocation: [409, 'batch.not_ended'],
})

/** Each state with each verb. */
const TRANSITIONS: Record<string, Answers> = {
  RECEIVING: toAll([404, 'batch.not_found']),
  PROCESSING: underWay('batch.requested'),
  'PAUSED batch.requested': underWay('batch.requested'),
  'PAUSED batch.issuer_gone': underWay('batch.issuer_gone'),
  'PAUSED keys.unavailable': underWay('batch.requested'),
  COMPLETED: { ...toAll([409, 'batch.ended']), revocation: [202, 'COMPLETED'] },
  CANCELLED: { ...toAll([409, 'batch.ended']), cancel: [200, 'CANCELLED'], revocation: [202, 'CANCELLED'] },
}

for (const [from, verbs] of Object.entries(TRANSITIONS))
  for (const [verb, [status, outcome, code]] of Object.entries(verbs))
    test(`a batch that is ${from} answers ${verb} with ${status} ${outcome}`, async (t) => {
      const { id } = await newBatch(1)
      const [state = '', pauseCode = null] = from.split(' ')
      const ended = ['COMPLETED', 'CANCELLED'].includes(state) ? 'now()' : 'null'
      await world.dependencies.systemSql.query({
        text: `update credential_batches set state = $2, pause_code = $3, pause_message = $3, ended_at = ${ended},
          waiting_for = $4, waiting_since = case when $4::text is null then null else now() end where id = $1`,
        values: [id, state, pauseCode, pauseCode === 'keys.unavailable' ? 'keys' : null],
      })
      const before = await row(id)
      const headers = { 'idempotency-key': randomUUID() }
      const reply = await world.ask(`${BATCHES}/${id}/${verb}`, { token: world.token, method: 'POST', headers })
      if (status >= 400) {
        t.is(refusal(reply, status), outcome)
        t.deepEqual(await row(id), before, 'nothing changed')
        return
      }
      t.is(reply.status, status, reply.text)
      const after = await row(id)
      t.is(after?.state, outcome)
      t.is((await read(world, id)).paused?.code, code)
      if (outcome !== 'PAUSED') t.is(after?.waiting_for, null)
      t.is(after?.ended_at !== null, ['COMPLETED', 'CANCELLED'].includes(outcome))
      if (before?.state === outcome && code === pauseCode) t.deepEqual(after, before, 'nothing changed')
    })

interface Row {
  state: string
  pause_code: string | null
  pause_message: string | null
  waiting_for: string | null
  resumed_at: Date | null
  ended_at: Date | null
}

const row = async (id: string) =>
  (
    await world.dependencies.systemSql.query<Row>({
      text: `select state, pause_code, pause_message, waiting_for, resumed_at, ended_at
        from credential_batches where id = $1`,
      values: [id],
    })
  ).rows[0]
