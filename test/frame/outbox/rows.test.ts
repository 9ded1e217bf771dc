import { randomBytes, randomUUID } from 'node:crypto'
import test from 'ava'
import { createOutbox, createOutboxRows, MAX_PAYLOAD_BYTES } from '../../../activities/frame/outbox.ts'
import { createSealer } from '../../../activities/frame/sealing.ts'
import { pack } from '../../../activities/frame/temporal/codec.ts'
import { workflowStart } from '../../../activities/frame/temporal/contract.ts'
import type { WorkflowStart } from '../../../activities/frame/temporal/starts.ts'
import { inTenant } from '../../../entities/orm.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { openDatabase, type TestDatabase } from '../../support/parts/database.ts'

const masterKey = randomBytes(32)
const rows = createOutboxRows(masterKey)
const outbox = createOutbox(masterKey)
const tenantId = randomUUID()
let database: TestDatabase

test.before(async () => {
  database = await openDatabase(masterKey)
})
test.after.always(() => database?.close())
test.afterEach.always(() => database.systemSql.query({ text: 'delete from outbox', values: [] }))

interface Row {
  tenantId: string
  area: string
  objectId: string
  objectIds: string[]
  workflowType: string
  workflowId: string
  summary: string
  payload: Buffer
  attempts: number
  due: boolean
}

const stored = async (): Promise<Row[]> => {
  const text = `select tenant_id as "tenantId", area, object_id as "objectId", object_ids as "objectIds",
      workflow_type as "workflowType", workflow_id as "workflowId", summary, payload, attempts, next_attempt_at <= now() as due
    from outbox where started_at is null order by workflow_id`
  return (await database.systemSql.query<Row>({ text, values: [] })).rows
}

/** What the outbox holds, with its payloads opened. */
const read = async () => (await stored()).map((row) => ({ ...row, payload: rows.open(row) }))

type Em = Parameters<typeof rows.write>[0]
const commit = (work: (em: Em) => Promise<void>): Promise<void> => inTenant(database.tenants, tenantId, work)

const startOf = (name: string, more: Partial<WorkflowStart> = {}): WorkflowStart => {
  const workflowId = `${tenantId}/dids/${name}`
  const subject = { tenantId, area: 'dids', objectId: `object ${name}`, objectIds: [`${name}-1`, `${name}-2`] }
  return { ...subject, summary: `Test ${name}`, workflowType: 'tick', workflowId, payload: { name }, ...more }
}

const FRESH = { attempts: 0, due: true }

test.serial('a row says of a workflow what its start says, one by one and many at once', async (t) => {
  const starts = [startOf('a'), startOf('b', { payload: [1, 2] })]
  const expected = starts.map((start) => ({ ...start, ...FRESH }))
  for (const start of starts) await commit((em) => rows.write(em, start))
  t.deepEqual(await read(), expected as object[])
  await database.systemSql.query({ text: 'delete from outbox', values: [] })
  await commit((em) => rows.writeAll(em, starts))
  t.deepEqual(await read(), expected as object[])
})

test.serial('a start without other objects and without a payload has none of them', async (t) => {
  const { objectIds: _, ...bare } = startOf('a', { payload: undefined })
  const other = { ...bare, workflowId: `${bare.workflowId}/other` }
  await commit((em) => rows.write(em, bare))
  await commit((em) => rows.writeAll(em, [other]))
  t.deepEqual(
    (await read()).map(({ objectIds, payload }) => ({ objectIds, payload })),
    [
      { objectIds: [], payload: null },
      { objectIds: [], payload: null },
    ],
  )
})

test.serial('of many rows those with a known workflow id change nothing, and the others are written', async (t) => {
  await commit((em) => rows.write(em, startOf('a')))
  await commit((em) => rows.write(em, startOf('a', { summary: 'another' })))
  await commit((em) => rows.writeAll(em, [startOf('a', { summary: 'another' }), startOf('b')]))
  t.deepEqual(
    (await read()).map(({ summary }) => summary),
    ['Test a', 'Test b'],
  )
})

test.serial('for no rows the database is not asked', async (t) => {
  const refusing = { execute: () => Promise.reject(new Error('asked')) } as unknown as Em
  await t.notThrowsAsync(rows.writeAll(refusing, []))
  await t.throwsAsync(rows.writeAll(refusing, [startOf('a')]), { message: 'asked' })
})

test.serial('a payload opens as the one of its own row, tenant and workflow, and under its own key', async (t) => {
  await commit((em) => rows.writeAll(em, [startOf('a', { payload: { words: 'canary-in-the-outbox' } })]))
  const [row] = await stored()
  if (!row) return t.fail('no row')
  t.false(row.payload.includes('canary'))
  t.deepEqual(rows.open(row), { words: 'canary-in-the-outbox' })
  t.deepEqual(outbox.open(row), { words: 'canary-in-the-outbox' })
  t.throws(() => rows.open({ ...row, tenantId: randomUUID() }))
  t.throws(() => rows.open({ ...row, workflowId: 'other' }))
  t.throws(() => createOutboxRows(randomBytes(32)).open(row))
})

test('a row that an earlier release wrote still opens: sealed for the outbox, bound to its tenant and workflow', (t) => {
  const row = { tenantId, workflowId: 'workflow' }
  const sealed = createSealer(masterKey, 'outbox').seal(pack(Buffer.from('{"a":1}')), `${tenantId}/workflow`)
  t.deepEqual(rows.open({ ...row, payload: sealed }), { a: 1 })
  const ofAnother = createSealer(masterKey, 'idempotency').seal(pack(Buffer.from('1')), `${tenantId}/workflow`)
  t.throws(() => rows.open({ ...row, payload: ofAnother }))
})

test.serial('the largest payload that is accepted has two million bytes, sealed', async (t) => {
  // what does not compress has its own length and that of the seal
  const ofBytes = (bytes: number) => startOf('a', { payload: randomBytes(bytes / 2).toString('hex') })
  const sealedBytes = async (bytes: number): Promise<number> => {
    await database.systemSql.query({ text: 'delete from outbox', values: [] })
    await commit((em) => rows.write(em, ofBytes(bytes)))
    return (await stored())[0]?.payload.length ?? 0
  }
  t.true((await sealedBytes(1_000_000)) <= MAX_PAYLOAD_BYTES)
  const tooLarge = startOf('a', { payload: randomBytes(MAX_PAYLOAD_BYTES).toString('base64') })
  for (const write of [(em: Em) => rows.write(em, tooLarge), (em: Em) => rows.writeAll(em, [startOf('b'), tooLarge])]) {
    await database.systemSql.query({ text: 'delete from outbox', values: [] })
    const error = await t.throwsAsync(commit(write), { instanceOf: Refusal })
    t.is(error.code, 'workflow.payload_too_large')
    t.deepEqual(await stored(), [])
  }
})

test.serial('a start is what the contract of its workflow makes of the payload, for one and for many', async (t) => {
  const payloads = [randomUUID(), randomUUID()].toSorted().map((didId) => ({ tenantId, didId }))
  const about = { did: 'did:web:issuer.example' }
  const expected = payloads.map((payload) => ({ ...workflowStart('deleteDid', payload, about), ...FRESH }))
  for (const payload of payloads) await commit((em) => outbox.start(em, 'deleteDid', payload, about))
  t.deepEqual(await read(), expected as object[])
  await database.systemSql.query({ text: 'delete from outbox', values: [] })
  await commit((em) => outbox.startAll(em, 'deleteDid', payloads, about))
  t.deepEqual(await read(), expected as object[])
})
