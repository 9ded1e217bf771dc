import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { addLogEntry } from '../../../activities/frame/log-entries.ts'
import { inTenant } from '../../../entities/orm.ts'
import { createDid, sign } from '../../support/credentials/credentials.ts'
import { isKept, typeDocument } from '../../support/frame/docs.ts'
import { type Logs, logsOf } from '../../support/log-chain.ts'
import { backupsOf } from '../../support/stack/backup.ts'
import { script } from '../../support/stack/stack.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let logs: Logs
let directory: string
test.before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'countersign-logs-'))
  world = await openWorld({ env: { EPOCH_DIRECTORY: join(directory, 'epoch') } })
  logs = logsOf(world)
})
test.after.always(async () => {
  await world?.close()
  if (directory) await rm(directory, { recursive: true, force: true })
})

const ALL = {
  ...{ categories: [], types: [], ids: [], requestIds: [] },
  ...{ dateFrom: '2020-01-01T00:00:00Z', dateTo: '2999-01-01T00:00:00Z' },
}

const keepFor = (token: string, logRetentionDays: unknown) =>
  world.ask('/v1/settings', { method: 'PUT', token, body: { logRetentionDays } })

/** Entries up to a place become so much older, as if the platform had written them then. */
const age = (tenantId: string, position: number, days: number) =>
  logs.attack(
    `update log_chain set chained_at = chained_at - make_interval(days => $3) where tenant_id = $1 and position <= $2`,
    [tenantId, position, days],
  )

const remove = (at = new Date()) => logs.activitiesAt(at).removeOldLogEntries({ keyId: world.dependencies.uuid() })

test.serial('old entries go by schedule, and the chain is whole from the checkpoint on (issue 12, Logs)', async (t) => {
  const { tenantId, token } = await logs.tenantWith(30)
  await logs.settle()
  await logs.sign()
  const { head } = (await world.ask('/v1/analytics/head', { token })).json<{ head: { jws: string } }>()
  t.is((await keepFor(token, 90)).json<{ logRetentionDays: number }>().logRetentionDays, 90)
  await age(tenantId, 12, 100)
  t.deepEqual(await remove(), { removed: 12, broken: 0 })
  t.deepEqual(await remove(), { removed: 0, broken: 0 })
  const verdict = await logs.verify(token, { head: head.jws })
  t.like(verdict, { intact: true, keptHead: 'matches', checked: { from: 13 } })
  const rows = await logs.ask<{ entries: number }>(
    `select count(*)::int as entries from logs l where tenant_id = $1
       and not exists (select from log_chain c where c.entry_id = l.id)
       and not exists (select from log_pending p where p.entry_id = l.id)`,
    [tenantId],
  )
  t.is(rows[0]?.entries, 0, 'nothing of what was removed is left')
  const { checkpoint } = (await world.ask('/v1/analytics/head', { token })).json<{
    checkpoint: { position: number; hash: string; jws: string }
  }>()
  t.is(checkpoint.position, 12)
  const [kept] = await logs.ask<{ id: string }>(
    'select entry_id as id from log_chain where tenant_id = $1 and position = 13',
    [tenantId],
  )
  const exported = await world.ask('/v1/analytics/events/export', { token, body: { ...ALL, ids: [kept?.id] } })
  t.like(JSON.parse(exported.text), { position: 13, previousHash: checkpoint.hash }, 'the export continues it')
  const asHead = await world.ask('/v1/analytics/verify', { token, body: { head: checkpoint.jws } })
  t.is(asHead.json<{ type: string }>().type, '/problems#log.head_invalid', 'it is no head')
  for (const text of [
    'delete from logs where id in (select entry_id from log_chain where tenant_id = $1 and position = 13)',
    'delete from log_chain where tenant_id = $1 and position = 13',
  ])
    t.like(
      await t.throwsAsync(logs.ask(text, [tenantId])),
      { code: '42501' },
      'what stands behind it stays, also below a head',
    )
  await age(tenantId, 31, 100)
  await remove()
  t.like(await logs.verify(token, { head: head.jws }), { intact: true, keptHead: 'removed' })
  t.like(await logs.verify(token, { from: 1 }), { intact: true })
})

test.serial('all entries may go: the next one continues the chain', async (t) => {
  const { tenantId, token } = await logs.tenantWith(5)
  await logs.settle()
  await logs.attack('update tenants set log_retention_days = 1 where id = $1', [tenantId])
  t.like(await remove(new Date(Date.now() + 2 * 86_400_000)), { removed: 5 })
  await logs.write(tenantId, 2)
  t.like(await logs.verify(token), { intact: true, checked: { from: 6, to: 7 } })
  await logs.sign()
  t.like(await logs.verify(token), { intact: true })
})

test.serial('what retention was stopped at goes at the next pass, and what has a fault does not go', async (t) => {
  await logs.attack('update tenants set log_retention_days = null')
  const [one, two] = [await logs.tenantWith(8), await logs.tenantWith(8)]
  await logs.settle()
  for (const { tenantId } of [one, two]) {
    await logs.attack('update tenants set log_retention_days = 10 where id = $1', [tenantId])
    await age(tenantId, 6, 11)
  }
  const [first, second] = [one, two].toSorted((a, b) => (a.tenantId < b.tenantId ? -1 : 1))
  if (!first || !second) throw new Error('there are two')
  await logs.attack(
    `update logs set type = 'x' where id = (select entry_id from log_chain where tenant_id = $1 and position = 2)`,
    [second.tenantId],
  )
  // between the checkpoint and the removal
  await logs.attack(
    `create function stop_removal() returns trigger language plpgsql as $$ begin raise 'a crash'; end $$`,
  )
  await logs.attack(`create trigger stop_removal before delete on logs for each row
    when (old.tenant_id = '${first.tenantId}') execute function stop_removal()`)
  const stopped = await t.throwsAsync(remove(), { instanceOf: AggregateError })
  t.regex(stopped.message, new RegExp(first.tenantId))
  t.regex(String(stopped.errors), /a crash/)
  await logs.attack('drop function stop_removal cascade')
  const left = async (tenantId: string) =>
    (await logs.ask<{ count: number }>('select count(*)::int from log_chain where tenant_id = $1', [tenantId]))[0]
      ?.count
  t.is(await left(first.tenantId), 8)
  t.like(await logs.verify(first.token), { intact: true, checked: { from: 7 } })
  t.deepEqual(await remove(), { removed: 0, broken: 1 })
  t.true(((await left(first.tenantId)) ?? 0) <= 3, 'two, and the verification')
  t.true(((await left(second.tenantId)) ?? 0) >= 8)
  t.deepEqual((await logs.verify(second.token)).fault?.position, 2)
})

test.serial('an entry that was written without the trigger is chained when retention comes by', async (t) => {
  const { tenantId, token } = await logs.tenantWith(3)
  await logs.settle()
  await logs.attack(
    `insert into logs (id, tenant_id, category, type, timestamp, request_id, data, metadata)
     values (gen_random_uuid(), $1, 'did', 'DID_DELETE_SUCCESS', now(), gen_random_uuid(), '{}', '{}')`,
    [tenantId],
  )
  t.is((await logs.verify(token)).fault?.kind, 'unchained')
  await remove()
  t.like(await logs.verify(token), { intact: true, waiting: 0 })
})

test.serial('a time that no log can be kept for is refused, and null keeps all', async (t) => {
  const { token } = await logs.tenantWith(1)
  for (const days of [0, -1, 1.5, '30', 36_501, true]) t.is((await keepFor(token, days)).status, 400, `${days}`)
  t.is((await keepFor(token, 30)).status, 200)
  t.is((await keepFor(token, undefined)).json<{ logRetentionDays: number }>().logRetentionDays, 30)
  t.is((await keepFor(token, null)).json<{ logRetentionDays: null }>().logRetentionDays, null)
})

test.serial(
  'erasing a subject leaves the chain whole, and no entry says anything of it (issue 12, Logs)',
  async (t) => {
    const { tenantId, token } = await logs.tenantWith(1)
    const did = await createDid(world, 'ed25519', token)
    const { id, credential } = await sign(world, did, { token, revocable: true })
    await world.ask('/v1/credentials/web-semantic/verify', { token, body: { payload: credential } })
    const before = await logs.verify(token)
    t.true(before.intact)
    // docs/personal-data.md, Erase a credential
    await logs.attack(
      `update credentials set tag = null, document = (select json_object_agg(key, value) from json_each(document)
       where key in ('@context', 'id', 'type', 'issuer', 'validFrom', 'credentialStatus')) where id = $1`,
      [id],
    )
    t.like(await logs.verify(token), { intact: true })
    const entries = await logs.ask<{ text: string }>('select l::text as text from logs l where tenant_id = $1', [
      tenantId,
    ])
    const { credentialSubject } = credential as { credentialSubject: Record<string, unknown> }
    for (const claim of Object.values(credentialSubject).filter((value) => typeof value === 'string'))
      t.false(
        entries.some(({ text }) => text.includes(claim)),
        claim,
      )
  },
)

const settings = (url: string) => ({
  DATABASE_URL: url,
  KEY_STORE_MASTER_KEY: Buffer.from(world.config.masterKey).toString('base64'),
  EPOCH_DIRECTORY: join(directory, 'epoch'),
})

const command = async (url: string, ...args: string[]) => {
  const run = script(['stack/logs/command.ts', ...args, '--local', directory], settings(url))
  const { code } = await run.ended
  return { code, text: run.lines.join('\n') }
}

test.serial(
  'a restored log is verified by the command, and one that was altered fails it with its position',
  async (t) => {
    const { tenantId, subdomain, token } = await logs.tenantWith(20)
    await logs.settle()
    await logs.sign()
    const { head } = (await world.ask('/v1/analytics/head', { token })).json<{ head: { jws: string } }>()
    await world.dependencies.logs.flush()
    const masterKey = Buffer.from(world.config.masterKey)
    const { url, superuserUrl } = { url: world.config.database.url, superuserUrl: world.superuserUrl }
    const backups = backupsOf({ database: { url, superuserUrl }, masterKey })
    const text = await backups.backupText()
    const kept = join(directory, 'head.jws')
    await writeFile(kept, `${head.jws}\n`)
    const restored = await backups.emptyDatabase()
    await backups.restoreText(restored.url, text)
    const whole = await command(restored.url, 'verify', subdomain, '--head', kept)
    t.is(whole.code, 0, whole.text)
    t.like(JSON.parse(whole.text.split('\n').at(-1) ?? ''), {
      tenant: subdomain,
      intact: true,
      keptHead: 'matches',
      fault: null,
    })
    await logs.attack(
      `update logs set type = 'x' where id = (select entry_id from log_chain where tenant_id = $1 and position = 7)`,
      [tenantId],
    )
    const altered = await command(url, 'verify')
    t.is(altered.code, 1, altered.text)
    const lines = altered.text.split('\n').map((line) => JSON.parse(line))
    t.like(
      lines.find(({ tenant }) => tenant === subdomain),
      { intact: false, fault: { kind: 'altered', position: 7 } },
    )
    t.true(lines.filter(({ intact }) => intact).length >= 1, 'the other tenants are looked at too')
    t.like(await command(url, 'verify', 'nobody'), { code: 1, text: 'There is no tenant with the subdomain nobody.' })
    t.is((await command(url, 'look')).code, 1)
  },
)

test.serial('docs/logs.md works word for word', async (t) => {
  const kept = (await typeDocument(world, 'docs/logs.md')).filter(({ promised }) => promised !== undefined)
  for (const promise of kept) t.true(isKept(promise), `${promise.code}\n${promise.printed}`)
  t.is(kept.length, 5)
})

test.serial('the verdict of a verification is in its entry', async (t) => {
  const { tenantId, token } = await logs.tenantWith(5)
  await logs.settle()
  await logs.attack(
    `update logs set type = 'x' where id in (select entry_id from log_chain where tenant_id = $1 and position = 2)`,
    [tenantId],
  )
  await logs.verify(token)
  const { data } = (
    await world.ask('/v1/analytics/events?limit=1', {
      token,
      body: {
        ...ALL,
        types: ['ANALYTICS_EVENT_VERIFY_SUCCESS'],
      },
    })
  ).json<{ data: { metadata: string }[] }>()
  t.like(JSON.parse(data[0]?.metadata ?? '{}'), { verified: false, reason: 'altered' })
})

test.serial('the catalogue of types has every type that the log has (issue 12, Logs)', async (t) => {
  const { data } = (await world.ask('/v1/analytics/event-types', { token: world.token })).json<{
    data: { type: string; category: string; outcome: string; operationId?: string }[]
  }>()
  const known = new Set(data.map(({ type, category }) => `${category} ${type}`))
  t.true(data.length > 100)
  t.true(data.some((each) => each.type === 'CREDENTIAL_COMPACT_BATCH_COMPLETE_SUCCESS' && !each.operationId))
  for (const work of ['WEBHOOK_DELIVERY', 'MESSAGING_INBOX_MESSAGE_RECEIVE', 'CONFIG_CUSTOM_DOMAIN_STATUS'])
    t.true(known.has(`${data.find(({ type }) => type === `${work}_FAIL`)?.category} ${work}_SUCCESS`), work)
  t.deepEqual(
    data.filter(({ operationId }) => operationId === 'createDID'),
    ['FAIL', 'SUCCESS'].map((outcome) => ({
      ...{ type: `DID_CREATE_${outcome}`, category: 'did' },
      ...{ outcome, operationId: 'createDID' },
    })),
  )
  const { database, now, uuid } = world.dependencies
  const entry = { tenantId: world.first.tenantId, requestId: uuid(), clientId: uuid(), category: 'did', metadata: {} }
  const unknown = inTenant(database.tenants, world.first.tenantId, async (em) =>
    addLogEntry(em, { now, uuid }, { ...entry, name: 'CREDENTIAL_NO_SUCH', outcome: 'SUCCESS' }),
  )
  await t.throwsAsync(
    unknown,
    { message: /CREDENTIAL_NO_SUCH/ },
    'an entry without a place in the catalogue is not written',
  )
  const written = await logs.ask<{ type: string; category: string }>(
    `select distinct type, category from logs where type <> 'x' and data::text = '{}' and metadata::text like '{"clientId"%'`,
  )
  t.deepEqual(
    written.filter(({ type, category }) => !known.has(`${category} ${type}`)),
    [],
  )
})
