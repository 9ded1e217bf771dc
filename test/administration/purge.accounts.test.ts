import { randomBytes, randomUUID } from 'node:crypto'
import test from 'ava'
import { createPurge } from '../../activities/administration/purge.ts'
import { addAccount, createOrganization, newEmail, tokenOfPerson } from '../support/accounts.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const purge = () => createPurge(world.dependencies).purgeExpiredRows()

async function ask<Row extends object>(text: string, ...values: unknown[]) {
  return (await world.dependencies.systemSql.query<Row>({ text, values })).rows
}

/** Adds a row for each time, and returns the times whose rows a purge leaves. */
async function leftOf(
  table: string,
  key: string,
  times: readonly string[],
  add: (id: string, time: string) => Promise<unknown>,
): Promise<string[]> {
  const ids = new Map<string, string>()
  for (const time of times) {
    const id = randomUUID()
    ids.set(id, time)
    await add(id, time)
  }
  await purge()
  const rows = await ask<{ id: string }>(`select ${key} as id from ${table}`)
  return rows.flatMap(({ id }) => ids.get(id) ?? []).sort()
}

/** Bytes that say which row it is. */
const digest = `decode(replace($1, '-', ''), 'hex')`
const uuidOf = (column: string) => `encode(${column}, 'hex')::uuid::text`

test.serial('attempts are forgotten a day after the last one, and not before', async (t) => {
  const left = await leftOf('account_attempts', uuidOf('key'), ['23 hours', '25 hours'], (id, age) =>
    ask(
      `insert into account_attempts (key, failures, next_at, last_at)
       values (${digest}, 9, now() - $2::interval, now() - $2::interval)`,
      id,
      age,
    ),
  )
  t.deepEqual(left, ['23 hours'])
})

test.serial('a mail goes a day after it was sent; one that waits stays, however old it is', async (t) => {
  const add = (id: string, [state, ended]: [string, string | null]) =>
    ask(
      `insert into account_mails (id, recipient_index, kind, content, state, next_attempt_at, request_id, created_at, ended_at)
       values ($1, 'x', 'VERIFY_EMAIL', case when $2 = 'PENDING' then 'x'::bytea end, $2, now(), $1, now() - interval '30 days',
         now() - $3::interval)`,
      id,
      state,
      ended,
    )
  const cases: Record<string, [string, string | null]> = {
    'sent lately': ['SENT', '23 hours'],
    'sent long ago': ['SENT', '25 hours'],
    'failed long ago': ['FAILED', '25 hours'],
    waits: ['PENDING', null],
  }
  const left = await leftOf('account_mails', 'id', Object.keys(cases), (id, name) =>
    add(id, cases[name] ?? ['PENDING', null]),
  )
  t.deepEqual(left, ['sent lately', 'waits'])
})

test.serial('registrations, links and invitations go when their time is over, and not before', async (t) => {
  const { id: accountId } = await addAccount(world)
  const times = ['-1 second', '1 minute']
  const registered = await leftOf('account_registrations', 'id', times, (id, end) =>
    ask(
      `insert into account_registrations (id, email_index, content, password_hash, token_digest, is_mailed, expires_at)
       values ($1, 'x', 'x', 'x', $3, true, now() + $2::interval)`,
      id,
      end,
      randomBytes(32),
    ),
  )
  t.deepEqual(registered, ['1 minute'])
  const links = await leftOf('account_tokens', uuidOf('digest'), times, (id, end) =>
    ask(
      `insert into account_tokens (digest, account_id, expires_at) values (${digest}, $3, now() + $2::interval)`,
      id,
      end,
      accountId,
    ),
  )
  t.deepEqual(links, ['1 minute'])
  const organizationId = await createOrganization(world, await tokenOfPerson(world, await addAccount(world)))
  const invitations = await leftOf('organization_invitations', 'id', times, (id, end) =>
    ask(
      `insert into organization_invitations (id, organization_id, email_index, content, role, token_digest, expires_at)
       values ($1, $3, $4, 'x', 'issuer', $5, now() + $2::interval)`,
      id,
      end,
      organizationId,
      Buffer.from(newEmail()),
      randomBytes(32),
    ),
  )
  t.deepEqual(invitations, ['1 minute'])
})

test.serial('a session goes when its time is over, or a day after it ended', async (t) => {
  const { id: accountId } = await addAccount(world)
  const cases: Record<string, [end: string, ended: string | null]> = {
    'in force': ['1 minute', null],
    'its time is over': ['-1 second', null],
    'ended lately': ['10 days', '23 hours'],
    'ended long ago': ['10 days', '25 hours'],
  }
  const left = await leftOf('account_sessions', 'id', Object.keys(cases), (id, name) =>
    ask(
      `insert into account_sessions (id, account_id, expires_at, ended_at)
       values ($1, $2, now() + $3::interval, now() - $4::interval)`,
      id,
      accountId,
      ...(cases[name] ?? []),
    ),
  )
  t.deepEqual(left, ['ended lately', 'in force'])
})

test.serial('a deleted client of a tenant goes after 30 days; one that works stays', async (t) => {
  const { tenantId } = world.first
  const left = await leftOf('oauth2_clients', 'id', ['29 days', '31 days', 'works'], (id, deleted) =>
    ask(
      `insert into oauth2_clients (id, tenant_id, name, description, secret_hash, scopes, created_at, updated_at, deleted_at)
       values ($1, $2, 'A client', '', 'x', '{}', now() - interval '1 year', now(), now() - $3::interval)`,
      id,
      tenantId,
      deleted === 'works' ? null : deleted,
    ),
  )
  t.deepEqual(left, ['29 days', 'works'])
})
