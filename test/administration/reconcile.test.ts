import test from 'ava'
import { createRelay } from '../../activities/frame/outbox.relay.ts'
import { connect, sqlOf } from '../../entities/orm.ts'
import { type Batch, COURSE, create, lines, read, results, steer } from '../support/credentials/batches.ts'
import { createDid, sign } from '../support/credentials/credentials.ts'
import { didsOf, until } from '../support/credentials/dids.ts'
import { type Names, openNames } from '../support/frame/names.ts'
import { openProcesses, type Processes } from '../support/parts/processes.ts'
import { type Ask, send, type World } from '../support/world.ts'

let names: Names
let platform: Processes
let world: Pick<World, 'ask' | 'token'>
let dids: ReturnType<typeof didsOf>
/** As the superuser. */
let asked: <Row extends object>(text: string, ...values: unknown[]) => Promise<Row[]>
const undo: (() => Promise<unknown>)[] = []

test.before(async () => {
  names = await openNames()
  platform = await openProcesses({ ...names.env, LOG_LEVEL: 'warn' })
  const ask = (path: string, question: Ask = {}) => send(`${platform.url}${path}`, question)
  const { clientId, clientSecret } = platform.first
  const body = { clientId, clientSecret, grantType: 'client_credentials' }
  world = { ask, token: (await ask('/v1/auth/token', { body })).json<{ access_token: string }>().access_token }
  dids = didsOf(world, world.token)
  const superuser = await connect(platform.superuserUrl, 2)
  undo.push(() => superuser.close())
  const sql = await sqlOf(superuser)
  asked = async <Row extends object>(text: string, ...values: unknown[]) =>
    (await sql.query<Row>({ text, values })).rows
})
test.after.always(async () => {
  for (const last of undo.reverse()) await last()
  await platform?.close()
  await names?.close()
})

/** All that is under way is old enough to be looked at. */
const age = () =>
  asked(`
    update dids set created_at = created_at - interval '2 minutes', deleted_at = deleted_at - interval '2 minutes';
    update credential_revocations set created_at = created_at - interval '2 minutes';
    update credential_notifications set created_at = created_at - interval '2 minutes';
    update credential_batches set created_at = created_at - interval '2 minutes',
      resumed_at = resumed_at - interval '2 minutes', ended_at = ended_at - interval '2 minutes'`)

/** Starts what is committed, in place of a worker that is dead. */
async function relayAll(): Promise<void> {
  const { systemSql: sql, temporal, outbox, log } = platform.dependencies
  const relay = createRelay({ sql, temporal, outbox, log })
  await until('the outbox to be empty', async () => {
    await relay.runOnce()
    return (await asked('select 1 from outbox where started_at is null')).length === 0
  })
}

const batchOf = async (count: number, issuer: string): Promise<Batch> =>
  create(world, lines(count), { proofType: 'eddsa-rdfc-2022', revocable: 'true', issuer, context: COURSE })

const reaches = (id: string, so: (batch: Batch) => boolean, limitMs = 120_000) =>
  until(
    `batch ${id}`,
    async () => {
      const batch = await read(world, id)
      return so(batch) && batch
    },
    limitMs,
  )

const completed = ({ status }: Batch) => status === 'COMPLETED'

/** Executions that Temporal knows of, by workflow type. */
async function executions(query: string): Promise<string[]> {
  const found: string[] = []
  for await (const { type, status } of platform.dependencies.temporal.client.workflow.list({ query }))
    found.push(`${type} ${status.name}`)
  return found.toSorted()
}

/** A holder who takes messages. */
function holderElsewhere(): string {
  const did = `did:web:elsewhere.test%3A${names.port}:holder`
  const serviceEndpoint = `https://elsewhere.test:${names.port}/inbox`
  const service = [{ id: `${did}#m`, type: 'DIDCommMessaging', serviceEndpoint }]
  names.elsewhere.set('/holder/did.json', JSON.stringify({ id: did, service }))
  names.elsewhere.set('/inbox', '{}')
  return did
}

const AREA = '/v1/credentials/web-semantic'

test.serial(
  'Temporal’s database is lost in the middle of a batch, a registration, a cascade, a notification and a deletion: all end',
  async (t) => {
    const [issuer, leaver, holder] = [await createDid(world), await createDid(world), holderElsewhere()]
    const { id: credential } = await sign(world, issuer, {
      revocable: true,
      more: { credentialSubject: { id: holder, course: 'CS-101' } },
    })
    names.platform.apiPort = 0 // nobody sees the document yet
    const { did, id: didId } = await dids.createWeb(`${names.origin}/lost`)
    const batch = await batchOf(3_000, issuer)
    await reaches(batch.id, ({ signed }) => signed >= 200)
    await platform.worker.kill()

    const { token } = world
    const cascade = await world.ask(`${AREA}/revocations`, {
      token,
      body: { by: 'issuer', id: issuer, is_revoked: true },
    })
    t.is(cascade.status, 202, cascade.text)
    t.is((await world.ask(`${AREA}/${credential}/revocation-status/notification`, { token, body: {} })).status, 200)
    t.is((await dids.remove(leaver)).status, 204)
    await relayAll()
    t.true((await read(world, batch.id)).pending > 0, 'in the middle')

    await platform.temporal.lose()
    await age()
    names.platform.apiPort = platform.port
    await platform.worker.start()

    t.like(await reaches(batch.id, completed), { signed: 3_000, failed: 0 })
    await dids.reaches(did, 'COMPLETED', 60_000)
    const states = () =>
      asked(
        `select (select state from credential_revocations) as revocation,
      (select state from credential_notifications) as notification,
      (select count(*)::int from dids where did = $1) as leaver`,
        leaver,
      )
    const ended = [{ revocation: 'REVOKED', notification: 'SENT', leaver: 0 }]
    await until('the rest', async () => JSON.stringify(await states()) === JSON.stringify(ended)).catch(() => undefined)
    t.deepEqual(await states(), ended)
    const signed = await results(world, batch.id)
    const entries = signed.map((row) => (row.credential.credentialStatus as { id: string }).id)
    t.deepEqual([signed.length, new Set(entries).size], [3_000, 3_000], 'no row and no status entry twice')
    t.is((await asked('select 1 from keys where did_id = $1 and public_key is not null', didId)).length, 5)
    t.deepEqual(await executions(`ObjectId = '${batch.id}'`), ['signBatch COMPLETED'])
  },
)

test.serial(
  'a worker that runs on while Temporal loses its database: schedules come back, and a batch ends',
  async (t) => {
    const issuer = await createDid(world)
    const batch = await batchOf(3_000, issuer)
    await reaches(batch.id, ({ signed }) => signed >= 200)
    await platform.temporal.lose()
    await age()
    t.like(await reaches(batch.id, completed), { signed: 3_000, failed: 0 })
    t.false(platform.worker.gone(), 'it was the same worker')
    const { schedule } = platform.dependencies.temporal.client
    t.is((await schedule.getHandle('publish-status-lists').describe()).scheduleId, 'publish-status-lists')
  },
)

test.serial(
  'resume starts the workflow of a batch that Temporal does not know, and cancel has its rows erased',
  async (t) => {
    const issuer = await createDid(world)
    const [resumed, cancelled] = [await batchOf(1_000, issuer), await batchOf(1_000, issuer)]
    for (const { id } of [resumed, cancelled]) t.is((await steer(world, id, 'pause')).status, 200)
    await platform.temporal.lose()
    t.is((await steer(world, resumed.id, 'resume')).status, 200)
    t.is((await steer(world, cancelled.id, 'cancel')).status, 200)
    // long before a reconciliation looks at rows so young
    t.like(await reaches(resumed.id, completed, 40_000), { failed: 0 })
    const inputs = () =>
      asked('select 1 from credential_batch_rows where batch_id = $1 and input is not null', cancelled.id)
    await until('the rows to be erased', async () => (await inputs()).length === 0, 20_000)
    t.deepEqual(
      await asked('select discarded_at is not null as erased from credential_batches where id = $1', cancelled.id),
      [{ erased: true }],
    )
  },
)

test.serial('what an operator ended stays ended, and says so, until its owner resumes it (D-189)', async (t) => {
  const issuer = await createDid(world)
  const batch = await batchOf(3_000, issuer)
  await reaches(batch.id, ({ signed }) => signed >= 1)
  const { workflow, schedule } = platform.dependencies.temporal.client
  const handle = workflow.getHandle(`${platform.first.tenantId}/semantic-credentials/batches/${batch.id}`)
  await handle.terminate('the wrong batch')
  await age()
  const lines = () => executions(`WorkflowType = 'reconcileWork' and ExecutionStatus = 'Completed'`)
  const before = (await lines()).length
  await schedule.getHandle('reconcile-work').trigger()
  await until('a reconciliation', async () => (await lines()).length > before)
  t.is((await handle.describe()).status.name, 'TERMINATED')
  const summaries: unknown[] = []
  for await (const { typedSearchAttributes } of workflow.list({ query: `WorkflowType = 'reconcileWork'` }))
    summaries.push(...typedSearchAttributes.getAll().map(({ value }) => value))
  t.true(
    summaries.some((line) => /1 ended by an operator/.test(String(line))),
    JSON.stringify(summaries),
  )
  t.is((await steer(world, batch.id, 'pause')).status, 200)
  t.is((await steer(world, batch.id, 'resume')).status, 200)
  t.like(await reaches(batch.id, completed, 60_000), { signed: 3_000 })
})

test.serial(
  'a registration goes on from rows that are older than its workflow: keys and document are made again',
  async (t) => {
    names.platform.apiPort = 0
    const { did, id } = await dids.createWeb(`${names.origin}/older`)
    const methods = () => asked(`select 1 from dids where id = $1 and document::jsonb ? 'verificationMethod'`, id)
    await until('the document', async () => (await methods()).length === 1)
    // as a backup from before the first step has them
    await asked(`update dids set document = json_build_object('id', did) where id = $1`, id)
    await asked('delete from key_envelopes where key_id in (select id from keys where did_id = $1)', id)
    await asked('update keys set public_key = null, custody = null, did_url = null where did_id = $1', id)
    names.platform.apiPort = platform.port
    const { didDocument } = await dids.reaches(did, 'COMPLETED', 60_000)
    t.true((didDocument.verificationMethod ?? []).length >= 4)
    t.is((await asked('select 1 from keys where did_id = $1 and public_key is not null', id)).length, 5)
  },
)
