import { randomUUID } from 'node:crypto'
import test from 'ava'
import { KIND_NAMES } from '../../../protocol/administration/transfers/kinds.ts'
import { OPERATIONS } from '../../../protocol/operations.ts'
import { OPERATOR_SCOPES } from '../../../protocol/tokens-logs/index.ts'
import { tenantsOf } from '../../support/administration.ts'
import { payload, type Signed, sign } from '../../support/credentials/credentials.ts'
import { TEMPLATES } from '../../support/credentials/templates.ts'
import { makeSample, type Sample } from '../../support/frame/examples/sample.ts'
import { addClient } from '../../support/frame/tenants.ts'
import { openProcesses, type Processes } from '../../support/parts/processes.ts'
import {
  asWorld,
  CLAIM_SOURCE_KEY,
  enrich,
  type Platform,
  rows,
  WEBHOOK_SECRET,
} from '../../support/transfers/platforms.ts'
import {
  type ExportAnswer,
  type ImportAnswer,
  linesOf,
  rowsOf,
  transfersOf,
} from '../../support/transfers/transfers.ts'
import { openWorld, type World } from '../../support/world.ts'

// two platforms, each with a database, keys and workflows of its own
let here: World
let platform: Processes
let there: Platform
let sample: Sample
let operators: { here: string; there: string }
let exported: ExportAnswer
/** A credential without a status. */
let plain: Signed
let enveloped: Signed
let file: Buffer<ArrayBuffer>

const operatorOf = async (world: Platform) =>
  world.tokenOf(
    await addClient(world.dependencies.systemSql, { tenantId: world.first.tenantId, scopes: OPERATOR_SCOPES }),
  )

test.before(async () => {
  const env = { RATE_LIMIT_PER_MINUTE: '100000' }
  here = await openWorld({ workflows: true, env })
  platform = await openProcesses(env)
  there = asWorld(platform)
  operators = { here: await operatorOf(here), there: await operatorOf(there) }
  sample = await makeSample(here, await here.addTenant())
  await enrich(here, sample)
  plain = await sign(here, sample.did, { token: sample.token })
  enveloped = await sign(here, sample.did, { token: sample.token, proofType: 'vc+jwt' })
  const { id } = await sign(here, sample.did, { token: sample.token, revocable: true })
  const revoked = await here.ask(`/v1/credentials/web-semantic/${id}/revocation-status`, {
    ...{ token: sample.token, body: { is_revoked: true } },
  })
  if (revoked.status !== 200) throw new Error(revoked.text)
  const transfers = transfersOf(here, operators.here)
  exported = await transfers.exported(sample.client.tenantId)
  file = await transfers.content(sample.client.tenantId, exported.id)
})
test.after.always(async () => {
  await here?.close()
  await platform?.close()
})

test.serial('the file of a tenant has a header, a line for each row, and an end that counts them', async (t) => {
  t.is(exported.state, 'DONE')
  const lines = linesOf(file)
  t.is(lines.length, exported.lines)
  t.is(file.length, exported.size)
  const [header, end] = [lines[0], lines.at(-1)].map((line) => JSON.parse(line ?? '') as Record<string, unknown>)
  t.like(header, { kind: 'header', format: 'countersign-tenant', formatVersion: 1 })
  t.like(header?.tenant, { id: sample.client.tenantId })
  t.like(end, { kind: 'end', lines: lines.length - 1 })
  const counted = new Map<string, number>()
  for (const line of lines.slice(1, -1)) {
    const { kind } = JSON.parse(line) as { kind: string }
    counted.set(kind, (counted.get(kind) ?? 0) + 1)
  }
  t.deepEqual(
    new Map(exported.counts.filter(({ rows: each }) => each > 0).map(({ kind, rows: each }) => [kind, each])),
    counted,
  )
  t.deepEqual(
    KIND_NAMES.filter((kind) => !counted.has(kind)),
    [],
    'the sample has something of everything',
  )
})

test.serial('no secret, no private key and nothing that is encrypted here is in the file', async (t) => {
  const text = linesOf(file).join('\n')
  const { tenantId } = sample.client
  const planted = [sample.client.clientSecret, sample.token, WEBHOOK_SECRET, CLAIM_SOURCE_KEY]
  for (const secret of planted) t.false(text.includes(secret))
  const columns = await rows<{ table_name: string; column_name: string }>(
    here,
    `select table_name, column_name from information_schema.columns where table_schema = 'public' and data_type = 'bytea'
       and (table_name, column_name) in (('webhooks', 'secret'), ('claim_sources', 'secret'), ('authentication_providers',
       'client_secret'), ('openid_configurations', 'secret'), ('oidc_clients', 'secret_digest'), ('oauth2_clients', 'secret_hash'),
       ('key_envelopes', 'envelope'), ('openid_users', 'content'), ('openid_users', 'subject_index'), ('status_lists', 'permutation_key'))`,
  )
  t.is(columns.length, 10)
  for (const { table_name: table, column_name: column } of columns) {
    const found = await rows<{ value: Buffer }>(
      here,
      `select ${column} as value from ${table} where tenant_id = $1 and ${column} is not null`,
      tenantId,
    )
    for (const { value } of found)
      for (const form of ['base64', 'hex', 'base64url'] as const)
        t.false(text.includes(value.toString(form)), `${table}.${column}`)
  }
  const keys = await rows<{ id: string }>(here, 'select id from keys where tenant_id = $1', tenantId)
  t.true(keys.length > 0)
  for (const { id } of keys) t.false(text.includes(id), 'the name of a key')
})

let done: ImportAnswer

test.serial('another platform makes the tenant of the file, with the same ids and all rows', async (t) => {
  done = await transfersOf(there, operators.there).imported(file)
  t.is(done.failure, null)
  t.is(done.state, 'DONE')
  t.true(done.keepsIds)
  const counts = (answer: { counts: { kind: string; rows: number }[] }) =>
    new Map(answer.counts.filter((each) => each.rows > 0).map(({ kind, rows: each }) => [kind, each]))
  t.deepEqual(counts(done), counts(exported))
  t.deepEqual(await rows(there, 'select import_id from tenant_import_segments'), [], 'the file is not kept')
})

const tokenThere = () =>
  there.tokenOf({
    tenantId: done.tenantId,
    clientId: done.client.clientId,
    clientSecret: done.client.clientSecret ?? '',
  })

test.serial('a credential that came along verifies there, and its status and history are as they were', async (t) => {
  const token = await tokenThere()
  const { credential } = sample
  const read = await there.ask(`/v1/credentials/web-semantic/${sample.credentialId}`, { token })
  t.is(read.status, 200, read.text)
  t.deepEqual(read.json<{ credential: unknown }>().credential, credential)
  const { credential: inEnvelope } = (await there.ask(`/v1/credentials/web-semantic/${enveloped.id}`, { token })).json<{
    credential: unknown
  }>()
  t.deepEqual(inEnvelope, enveloped.credential)
  for (const payload of [plain.credential, inEnvelope]) {
    const verified = await there.ask('/v1/credentials/web-semantic/verify', { token, body: { payload } })
    t.is(verified.status, 200, verified.text)
    t.true(verified.json<{ verified: boolean }>().verified, verified.text)
  }
  const compare =
    'select id, revoked, suspended, status_index, status_list_id, template_id, tag, types from credentials where tenant_id = $1 order by id'
  t.deepEqual(await rows(there, compare, done.tenantId), await rows(here, compare, sample.client.tenantId))
  const changes = `select credential_id, purpose, value, changed_at from credential_status_changes where tenant_id = $1
    order by credential_id, changed_at`
  const history = await rows(here, changes, sample.client.tenantId)
  t.true(history.length > 0)
  t.deepEqual(await rows(there, changes, done.tenantId), history)
})

test.serial(
  'the report names each thing that needs a key or a secret, with the operation of the tenant that gives it',
  (t) => {
    for (const { operation } of done.needs) t.true(Object.hasOwn(OPERATIONS, operation), operation)
    const named = (kind: string) =>
      done.needs
        .filter((need) => need.kind === kind)
        .map(({ id }) => id)
        .sort()
    const ids = (kind: string) =>
      rowsOf(file, kind)
        .map(({ id }) => String(id))
        .sort()
    for (const kind of ['dids', 'domains', 'iacas', 'webhooks', 'interactionHooks', 'verifiers', 'clients'])
      t.deepEqual(named(kind), ids(kind), kind)
    t.true(named('documentSigners').length > 0)
    t.true(named('claimSources').length > 0)
    t.true(named('authenticationProviders').length > 0)
    t.true(named('verifierClients').length > 0)
  },
)

test.serial(
  'a DID whose keys stayed behind resolves, and is refused as a signer until there is one with keys',
  async (t) => {
    const token = await tokenThere()
    const resolved = await there.ask(`/v1/dids/${encodeURIComponent(sample.did)}`, { token })
    t.is(resolved.status, 200, resolved.text)
    const bodyOf = (issuer: string) => ({ payload: payload(issuer), proofType: 'eddsa-rdfc-2022', revocable: true })
    const refused = await there.ask('/v1/credentials/web-semantic/sign', { token, body: bodyOf(sample.did) })
    t.like(refused.json(), { status: 409, type: '/problems#did.keys_absent' })
    t.is(resolved.json<{ warning?: { code: string } }>().warning?.code, 'did.keys_absent')
    const made = await there.ask('/v1/dids', {
      token,
      body: { method: 'KEY', options: { keyType: 'ed25519' } },
    })
    t.is(made.status, 201, made.text)
    const { did } = made.json<{ did: string }>()
    const issued = await there.ask('/v1/credentials/web-semantic/sign', { token, body: bodyOf(did) })
    t.is(issued.status, 200, issued.text)
    const from = await there.ask(`${TEMPLATES}/${sample.templateId}/sign`, {
      token,
      body: { claims: { id: 'did:example:holder', course: 'CS-101' }, issuer_did: did },
    })
    t.is(from.status, 200, from.text)
  },
)

test.serial('users are found by their claims there, which are encrypted again', async (t) => {
  const [user] = rowsOf(file, 'users')
  t.truthy(user)
  const token = await tokenThere()
  const found = await there.ask('/v1/users/search', {
    token,
    body: { authenticationProvider: {}, claims: user?.claims as object },
  })
  t.is(found.json<{ data: { id: string }[] }>().data[0]?.id, String(user?.id), found.text)
  const listed = await rows<{ content: Buffer }>(
    there,
    'select content from openid_users where tenant_id = $1',
    done.tenantId,
  )
  t.is(listed.length, rowsOf(file, 'users').length)
  for (const { content } of listed) t.false(content.toString('utf8').includes(String(user?.subjectId)))
})

test.serial('webhooks come disabled, and clients with secrets that nobody has', async (t) => {
  const hooks = await rows<{ disabled: boolean }>(
    there,
    'select disabled, secret from webhooks where tenant_id = $1',
    done.tenantId,
  )
  t.true(hooks.length > 0)
  for (const hook of hooks) t.like(hook, { disabled: true, secret: null })
  await t.throwsAsync(there.tokenOf(sample.client))
})

test.serial('the same file into the same platform makes a tenant with new ids, and of each thing one', async (t) => {
  const again = await transfersOf(here, operators.here).imported(file)
  t.is(again.failure, null)
  t.is(again.state, 'DONE')
  t.false(again.keepsIds)
  const own = (table: string, tenantId: string) =>
    rows<{ id: string }>(here, `select id from ${table} where tenant_id = $1`, tenantId)
  for (const table of ['credentials', 'dids', 'semantic_templates', 'webhooks', 'claim_sources']) {
    const [before, after] = [await own(table, sample.client.tenantId), await own(table, again.tenantId)]
    t.true(after.length > 0 && after.length <= before.length, table)
    t.deepEqual(
      after.filter(({ id }) => before.some((each) => each.id === id)),
      [],
    )
  }
  await tenantsOf(here, operators.here).remove(again.tenantId)
})

test.serial('a repeated upload makes no second tenant, and the secret is shown once', async (t) => {
  const transfers = transfersOf(there, operators.there)
  const subdomain = `again-${randomUUID().slice(0, 8)}`
  const first = await transfers.imported(file, { subdomain })
  t.is(first.state, 'DONE')
  t.truthy(first.client.clientSecret)
  const second = await transfers.import(file, { subdomain })
  t.is(second.status, 202)
  t.like(second.json<ImportAnswer>(), { id: first.id, tenantId: first.tenantId, client: { clientSecret: null } })
})
