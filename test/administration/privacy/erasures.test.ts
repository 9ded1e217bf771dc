import { randomUUID } from 'node:crypto'
import test from 'ava'
import { eraseCredentials } from '../../../activities/credentials/erase.ts'
import { eventIdOf } from '../../../activities/openid/sessions/issue.ts'
import { inTenant } from '../../../entities/orm.ts'
import { createDid, payload } from '../../support/credentials/credentials.ts'
import { loggedAbout, until } from '../../support/credentials/dids.ts'
import { type Database, ERASURES, ended, erase, erased, openDatabase, typeOf } from '../../support/privacy/erasures.ts'
import { type Issuing, newHolder, openIssuing, SEMANTIC } from '../../support/privacy/issuing.ts'
import { createWebhook } from '../../support/webhooks.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let database: Database
let issuing: Issuing
test.before(async () => {
  world = await openWorld({ workflows: true })
  database = await openDatabase(world)
  issuing = await openIssuing(world)
})
test.after.always(async () => {
  await database?.close()
  await world?.close()
})

const rowOf = async (id: string) => {
  const [row] = await database.rows<{ text: string; revoked: boolean; suspended: boolean }>(
    'select c::text as text, revoked, suspended from credentials c where id = $1',
    id,
  )
  return row
}

test('the credentials of a subject are erased, and nothing in the database names it any more', async (t) => {
  const holder = newHolder()
  const [one, two, others] = [
    await issuing.about(holder),
    await issuing.about(holder),
    await issuing.about(newHolder()),
  ]
  const notified = await world.ask(`${SEMANTIC}/${one}/revocation-status/notification`, {
    token: world.token,
    body: { from: issuing.issuer, to: [holder] },
  })
  t.is(notified.status, 200, notified.text)
  t.deepEqual(await database.placesOf(holder), [
    'credential_notifications.message',
    'credential_notifications.recipient',
    'credentials.document',
  ])
  const done = await erased(world, { subjectDid: holder })
  t.like(done, { by: 'subject', credentialStatus: 'keep', mentioned: 0, step: null, round: 1 })
  t.like(done.erased, { credentials: 2, revoked: 0, suspended: 0, notifications: 1 })
  const digests = 'select id from credentials where id = any ($1::uuid[]) and subjects is not null'
  const kept = (ids: string[]) => world.dependencies.systemSql.query({ text: digests, values: [ids] })
  t.is((await kept([one, two])).rows.length, 0, 'no digest of the subject is left')
  t.is((await kept([others])).rows.length, 1)
  for (const id of [one, two]) {
    t.deepEqual([(await issuing.read(id)).status, typeOf(await issuing.read(id))], [404, 'credential.not_found'])
    t.false((await rowOf(id))?.text.includes('secret-tag'))
    t.false((await rowOf(id))?.text.includes('CS-101'))
    for (const path of [`/v1/credentials/${id}`, `/v1/credentials/${id}/timeline`, `${SEMANTIC}/${id}/notifications`])
      t.is((await world.ask(path, { token: world.token })).status, 404, path)
  }
  t.is((await issuing.read(others)).status, 200)
  t.deepEqual(await database.placesOf(holder), [])
  for (const path of [
    `${SEMANTIC}?limit=1000`,
    '/v1/credentials?limit=1000',
    `${SEMANTIC}?tag=secret-tag&limit=1000`,
  ]) {
    const list = (await world.ask(path, { token: world.token })).text
    t.deepEqual(
      [one, two, others].map((id) => list.includes(id)),
      [false, false, true],
      path,
    )
  }
  t.true(done.stays.length > 5)
  for (const { what, why } of done.stays) t.true(what.length > 3 && why.length > 10)
  t.is((await loggedAbout(world, world.token, 'PRIVACY_ERASURE_CREATE_SUCCESS', done.id)).length, 1)
  const [entry] = await loggedAbout(world, world.token, 'PRIVACY_ERASURE_COMPLETE_SUCCESS', done.id)
  t.like(entry, { by: 'subject', credentials: 2, notifications: 1 })
})

test('one credential is erased by its id, and its status is what the caller chose', async (t) => {
  for (const [credentialStatus, expected] of [
    ['keep', { revoked: false, suspended: false }],
    ['revoke', { revoked: true, suspended: false }],
    ['suspend', { revoked: false, suspended: true }],
  ] as const) {
    const holder = newHolder()
    const [id, other] = [await issuing.about(holder), await issuing.about(holder)]
    const done = await erased(world, { credentialId: id, credentialStatus })
    t.like(done.erased, { credentials: 1, revoked: Number(expected.revoked), suspended: Number(expected.suspended) })
    t.like(await rowOf(id), expected, credentialStatus)
    t.is((await issuing.read(id)).status, 404)
    t.is((await issuing.read(other)).status, 200, 'another one of the same holder')
  }
})

test('what receivers answered to the events of an erased credential is erased with it, and nothing else', async (t) => {
  const holder = newHolder()
  const [id, other] = [await issuing.about(holder), await issuing.about(newHolder())]
  const { tenantId } = world.first
  const webhook = await createWebhook(world, world.token)
  const { systemSql } = world.dependencies
  const eventIds = [id, other].map((each) => eventIdOf(tenantId, each))
  for (const eventId of eventIds)
    await systemSql.query({
      text: `with event as (
          insert into webhook_events (id, tenant_id, type) values ($1, $2, 'OpenIdCredentialIssued') returning id)
        insert into webhook_deliveries (id, tenant_id, webhook_id, event_id, event_type, state, attempts, exchanges, ended_at)
        select gen_random_uuid(), $2, $3, id, 'OpenIdCredentialIssued', 'DELIVERED', '[]', '{"1":"sealed"}', now() from event`,
      values: [eventId, tenantId, webhook.id],
    })
  await erased(world, { subjectDid: holder })
  const kept = await database.rows<{ event: string; exchanges: unknown }>(
    'select event_id as event, exchanges from webhook_deliveries where webhook_id = $1',
    webhook.id,
  )
  const answers = Object.fromEntries(kept.map(({ event, exchanges }) => [event, exchanges]))
  t.deepEqual(answers, { [String(eventIds[0])]: null, [String(eventIds[1])]: { 1: 'sealed' } })
})

test('what has no status entry is erased, and stays valid', async (t) => {
  const holder = newHolder()
  const body = { payload: { ...payload(issuing.issuer), credentialSubject: { id: holder, course: 'C' } } }
  const { id } = await issuing.sign(`${SEMANTIC}/sign`, { ...body, proofType: 'eddsa-rdfc-2022', revocable: false })
  t.like((await erased(world, { subjectDid: holder, credentialStatus: 'revoke' })).erased, {
    credentials: 1,
    revoked: 0,
  })
  t.is((await issuing.read(id)).status, 404)
})

test('an erased credential that is revoked stands in the published list, and its holder’s copy fails', async (t) => {
  const holder = newHolder()
  const body = { payload: { ...payload(issuing.issuer), credentialSubject: { id: holder, course: 'C' } } }
  const { text } = await issuing.sign(`${SEMANTIC}/sign`, { ...body, proofType: 'eddsa-rdfc-2022', revocable: true })
  const { credential } = JSON.parse(text) as { credential: object }
  const verdict = async () =>
    (await world.ask(`${SEMANTIC}/verify`, { token: world.token, body: { payload: credential } })).json<{
      verified: boolean
      reason: { type: string }[]
    }>()
  t.is((await verdict()).verified, true)
  await erased(world, { subjectDid: holder })
  t.is((await verdict()).verified, true, 'kept')
  // the subject has something new, and is erased again
  const again = await issuing.about(holder)
  t.like(await erased(world, { subjectDid: holder, credentialStatus: 'revoke' }), {
    round: 2,
    erased: { credentials: 2, revoked: 1 },
  })
  t.true((await rowOf(again))?.revoked)
  const [row] = await database.rows<{ list: string; index: number }>(
    'select status_list_id as list, status_index as index from credentials where id = $1',
    again,
  )
  const published = async () => {
    const list = (await world.ask(`/v1/revocation-lists/${row?.list}`)).json<{
      credentialSubject: { encodedList: string }
    }>()
    const { gunzipSync } = await import('node:zlib')
    const bits = gunzipSync(Buffer.from(list.credentialSubject.encodedList.slice(1), 'base64url'))
    const at = row?.index ?? 0
    return ((bits[at >> 3] ?? 0) & (0x80 >> (at & 7))) > 0
  }
  await until('the published list', published, 30_000)
  t.is((await verdict()).verified, true, 'the first one was erased with its status kept')
})

test('a message that was asked for beside an erasure is not written behind it', async (t) => {
  const holder = newHolder()
  const id = await issuing.about(holder)
  const { tenants } = world.dependencies.database
  const reply = await inTenant(tenants, world.first.tenantId, async (em) => {
    await eraseCredentials(em, world.first.tenantId, [id])
    const asked = world.ask(`${SEMANTIC}/${id}/revocation-status/notification`, {
      token: world.token,
      body: { from: issuing.issuer, to: [holder] },
    })
    // the request reads the credential as it was, because nothing is committed yet
    await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, 1_000))])
    return { asked }
  })
  t.is((await reply.asked).status, 404)
  t.deepEqual(await database.placesOf(holder), [])
})

test('a credential that names the subject elsewhere stays, and the answer says how many do', async (t) => {
  const holder = newHolder()
  const mine = await issuing.about(holder)
  const theirs = await issuing.about(newHolder(), { course: `with ${holder}.` })
  const done = await erased(world, { subjectDid: holder })
  t.is(done.erased.credentials, 1)
  t.deepEqual([done.mentioned, done.mentionedIds], [1, [theirs]])
  t.deepEqual([(await issuing.read(mine)).status, (await issuing.read(theirs)).status], [404, 200])
})

test('a DID that is only the beginning of another one erases nothing of the other, which does not name it', async (t) => {
  const longer = newHolder()
  const id = await issuing.about(longer)
  const done = await erased(world, { subjectDid: longer.slice(0, -2) })
  t.deepEqual([done.erased.credentials, done.mentioned], [0, 0])
  t.is((await issuing.read(id)).status, 200)
})

test('registrations with an inbox go with their subject, and those of the tenant’s own DIDs stay', async (t) => {
  const [holder, own, inboxId] = [newHolder(), await createDid(world, 'ed25519'), randomUUID()]
  const { tenantId } = world.first
  await database.rows(`insert into inboxes (id, tenant_id, name) values ($1, $2, 'x')`, inboxId, tenantId)
  await database.rows(
    `insert into inbox_dids (id, tenant_id, inbox_id, did, did_id)
     select gen_random_uuid(), $1, $2, did, (select id from dids where dids.did = x.did) from unnest($3::text[]) as x(did)`,
    ...[tenantId, inboxId, [holder, own]],
  )
  const left = () => database.rows('select did from inbox_dids where inbox_id = $1 order by did', inboxId)
  t.is((await erased(world, { subjectDid: holder })).erased.registrations, 1)
  t.deepEqual(await left(), [{ did: own }])
  t.is((await erased(world, { subjectDid: own })).erased.registrations, 0)
  t.deepEqual(await left(), [{ did: own }], 'it goes with deleteDID')
})

test('the same again is the first erasure; a subject with something new is erased again under the same id', async (t) => {
  const holder = newHolder()
  await issuing.about(holder)
  const first = await erased(world, { subjectDid: holder })
  await issuing.about(holder)
  const replies = await Promise.all(Array.from({ length: 5 }, () => erase(world, { subjectDid: holder })))
  t.deepEqual(
    new Set(replies.map((reply) => `${reply.status} ${reply.json<{ id: string }>().id}`)),
    new Set([`202 ${first.id}`]),
  )
  const second = await ended(world, first.id)
  t.true(second.round >= 2)
  t.is(second.erased.credentials, 2)
  const id = await issuing.about(newHolder())
  const [one, again] = [
    await erased(world, { credentialId: id }),
    await erased(world, { credentialId: id.toUpperCase() }),
  ]
  t.deepEqual(again, one)
  const other = await erase(world, { credentialId: id, credentialStatus: 'revoke' })
  t.deepEqual([other.status, typeOf(other)], [409, 'erasure.other_status'])
  t.false((await rowOf(id))?.revoked)
})

test('of many requests at once for one credential, by id and by subject, one erases it', async (t) => {
  const holder = newHolder()
  const id = await issuing.about(holder)
  const replies = await Promise.all(
    Array.from({ length: 12 }, (_, at) => erase(world, at % 2 ? { credentialId: id } : { subjectDid: holder })),
  )
  const ids = new Set(replies.filter(({ status }) => status === 202).map((reply) => reply.json<{ id: string }>().id))
  // who comes after the erasure by subject finds no such credential
  for (const { status } of replies) t.true([202, 404].includes(status))
  t.true(ids.size >= 1 && ids.size <= 2)
  const all = await Promise.all([...ids].map((one) => ended(world, one)))
  t.is(
    all.reduce((sum, { erased: counts }) => sum + (counts.credentials ?? 0), 0),
    1,
  )
})

test('an Idempotency-Key repeats the answer, and its kept effect names nobody', async (t) => {
  const holder = newHolder()
  await issuing.about(holder)
  const headers = { 'idempotency-key': randomUUID() }
  const ask = () => world.ask(ERASURES, { token: world.token, body: { subjectDid: holder }, headers })
  const [first, again] = [await ask(), await ask()]
  t.is(first.status, 202)
  t.is(again.text, first.text)
  await ended(world, first.json<{ id: string }>().id)
  t.deepEqual(await database.placesOf(holder), [])
})

test.serial('a row of an erasure says nobody’s name, neither while it waits nor later', async (t) => {
  const holder = newHolder()
  await issuing.about(holder)
  await world.stopWorker()
  try {
    const reply = await erase(world, { subjectDid: holder })
    t.is(reply.headers.get('location'), `${ERASURES}/${reply.json<{ id: string }>().id}`)
    t.like((await world.ask(reply.headers.get('location') ?? '', { token: world.token })).json(), {
      state: 'ERASING',
      step: 'batches',
    })
    t.deepEqual(await database.placesOf(holder), ['credentials.document'])
  } finally {
    await world.startWorker()
  }
  const done = await erased(world, { subjectDid: holder })
  t.is(done.erased.credentials, 1)
  t.deepEqual(await database.placesOf(holder), [])
})
