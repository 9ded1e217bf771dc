import { randomUUID } from 'node:crypto'
import test from 'ava'
import { privacyActivities } from '../../../activities/administration/privacy/index.ts'
import { createPlatform } from '../../../activities/index.ts'
import { type Database, ERASURES, type Erasure, erase, openDatabase } from '../../support/privacy/erasures.ts'
import { type Issuing, newHolder, openIssuing } from '../../support/privacy/issuing.ts'
import { openWorld, type World } from '../../support/world.ts'

// no worker: the slices are taken here
let world: World
let database: Database
let issuing: Issuing
test.before(async () => {
  world = await openWorld()
  database = await openDatabase(world)
  issuing = await openIssuing(world)
})
test.after.always(async () => {
  await database?.close()
  await world?.close()
})

const read = async (id: string) => (await world.ask(`${ERASURES}/${id}`, { token: world.token })).json<Erasure>()

test.serial('attempts at one slice at the same time count what they erase once', async (t) => {
  const { eraseSlice } = privacyActivities({ ...world.dependencies, ...createPlatform(world.dependencies) })
  const holder = newHolder()
  for (let nth = 0; nth < 3; nth++) await issuing.about(holder)
  const elsewhere = await issuing.about(newHolder(), { course: `with ${holder}` })
  const erasureId = (await erase(world, { subjectDid: holder })).json<Erasure>().id
  const slice = () => eraseSlice({ tenantId: world.first.tenantId, erasureId })
  for (let nth = 0; nth < 20 && (await read(erasureId)).state !== 'ERASED'; nth++)
    await Promise.all([slice(), slice(), slice()])
  const done = await read(erasureId)
  t.is(done.state, 'ERASED')
  t.is(done.erased.credentials, 3)
  t.deepEqual([done.mentioned, done.mentionedIds], [1, [elsewhere]])
  t.deepEqual(await slice(), { phase: 'done', credentials: 3 })
  const entries = await database.rows(
    `select 1 from logs where type = 'PRIVACY_ERASURE_COMPLETE_SUCCESS' and metadata ->> 'id' = $1`,
    erasureId,
  )
  t.is(entries.length, 1)
})

test.serial('what was told to a subject about another’s credential goes as well, sent or not', async (t) => {
  const { eraseSlice } = privacyActivities({ ...world.dependencies, ...createPlatform(world.dependencies) })
  const holder = newHolder()
  const credentialId = await issuing.about(newHolder())
  const { tenantId } = world.first
  for (const [state, ended] of [
    ['PENDING', null],
    ['SENT', new Date()],
  ])
    await database.rows(
      `insert into credential_notifications (id, tenant_id, credential_id, recipient, sender, message, state, request_id,
         client_id, ended_at) values ($1, $2, $3, $4, '', '{}', $5, $1, 'c', $6)`,
      ...[randomUUID(), tenantId, credentialId, holder, state, ended],
    )
  const { id: erasureId } = (await erase(world, { subjectDid: holder })).json<Erasure>()
  while ((await eraseSlice({ tenantId, erasureId })).phase === 'more');
  t.is((await read(erasureId)).erased.notifications, 2)
  t.deepEqual(await database.rows('select 1 from credential_notifications where recipient = $1', holder), [])
})
