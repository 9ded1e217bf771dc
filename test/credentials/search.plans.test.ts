import { randomBytes, randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import test from 'ava'
import {
  countStatement,
  pageStatement,
  type SearchFilter,
  type Statement,
} from '../../activities/credentials/search.statement.ts'
import { BY_ENTRY, BY_GIVEN_ID } from '../../activities/semantic-credentials/vc-api.ts'
import { inTenant } from '../../entities/orm.ts'
import { FORMAT_NAMES } from '../../protocol/credentials/formats.ts'
import { insertion } from '../support/frame/fence.ts'
import { openDatabase, type TestDatabase } from '../support/parts/database.ts'
import { connected } from '../support/stack/backup.ts'

const ROWS = 40_000
const SUBJECT = Buffer.of(1)
const [TENANT, OTHER, TEMPLATE, BATCH, DID] = [randomUUID(), randomUUID(), randomUUID(), randomUUID(), randomUUID()]

/** Of each filter a hundredth of the rows, so that an index is worth reading. */
const SEED = `insert into credentials (id, tenant_id, did_id, format, document, proof_type, tag, types, issuance_date,
  expiration_date, revoked, suspended, template_id, template_version, batch_id, batch_row, created_at, subjects)
select gen_random_uuid(), case when n % 4 = 0 then $2::uuid else $1::uuid end,
  case when n % 100 = 1 then $3::uuid else gen_random_uuid() end,
  case when n % 100 = 2 then 'compact' else 'semantic' end,
  json_build_object('text', repeat(md5(n::text), 20)), '', case when n % 100 = 3 then 'spring' end,
  case n % 100 when 5 then '{Rare}'::text[] when 6 then '{Course,Rare}' when 7 then '{A,B,C,D,Rare}' else '{Course}' end,
  now(), case when n % 100 = 9 then now() - interval '1 day' end, n % 100 = 10, n % 100 = 11,
  case when n % 100 = 13 then $4::uuid end, case when n % 100 = 13 then 1 end,
  case when n % 100 = 14 then $5::uuid end, case when n % 100 = 14 then n end, now() - n * interval '1 second',
  case n % 100 when 15 then array['\\x01'::bytea] when 16 then array['\\x02'::bytea, '\\x01', '\\x01']
    when 17 then array['\\x02'::bytea, '\\x03', '\\x04', '\\x05', '\\x01'] else '{}' end
from generate_series(1, ${ROWS}) as n`

let database: TestDatabase
test.before(async () => {
  database = await openDatabase(randomBytes(32))
  const { systemSql, superuserUrl } = database
  const environment = { id: randomUUID(), name: '', domain: '', authorization_server_domain: '', region: '{}' }
  await systemSql.query(insertion('environments', { ...environment, deployment_model: 'private' }))
  for (const id of [TENANT, OTHER])
    await systemSql.query(insertion('tenants', { id, environment_id: environment.id, name: '', subdomain: id }))
  await systemSql.query({
    text: `with template as (insert into semantic_templates (id, tenant_id, type, version_id) values ($1, $2, '', $3))
      insert into semantic_template_versions (id, tenant_id, template_id, version, definition) values ($3, $2, $1, 1, '{}')`,
    values: [TEMPLATE, TENANT, randomUUID()],
  })
  // without the time limit of the platform's own statements
  await connected(superuserUrl, async (client) => {
    await client.query(SEED, [TENANT, OTHER, DID, TEMPLATE, BATCH])
    await client.query('analyze credentials')
  })
})
test.after.always(() => database?.close())

interface Plan {
  'Node Type': string
  'Index Name'?: string
  Plans?: Plan[]
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

const indexesIn = (nodes: Plan[]) => nodes.flatMap((node) => node['Index Name'] ?? [])

/** As the application's role, below row-level security. */
const planOf = ({ text, values }: Statement) =>
  inTenant(database.tenants, TENANT, async (em) => {
    const [row] = await em.execute<{ 'QUERY PLAN': [{ Plan: Plan }] }[]>(`explain (format json) ${text}`, values)
    if (!row) throw new Error('no plan')
    return nodesOf(row['QUERY PLAN'][0].Plan)
  })

const PAGE = { limit: 20, offset: 0 }

const FILTERS: [name: string, filter: Partial<SearchFilter>, indexes: string[]][] = [
  ['no filter', {}, ['credentials_format']],
  ['a format', { formats: ['compact'] }, ['credentials_format']],
  ['a tag', { tag: 'spring' }, ['credentials_tag']],
  ['a type', { type: 'Rare' }, [1, 2, 3, 4, 5].map((place) => `credentials_type_${place}`)],
  ['a subject', { subject: SUBJECT }, [1, 2, 3, 4, 5].map((place) => `credentials_subject_${place}`)],
  ['a template', { templateId: TEMPLATE }, ['credentials_template']],
  ['a batch', { batchId: BATCH }, ['credentials_batch']],
  ['an issuer', { didIds: [DID] }, ['credentials_did']],
  ['revoked', { state: 'revoked' }, ['credentials_all_revoked']],
  ['suspended', { state: 'suspended' }, ['credentials_all_suspended']],
  ['expired', { state: 'expired' }, ['credentials_expiration']],
  ['active', { state: 'active' }, ['credentials_format']],
]

for (const [name, filter, indexes] of FILTERS)
  test(`a page of ${name} is read from an index, for the tenant's rows alone (D-307)`, async (t) => {
    const whole = { formats: FORMAT_NAMES, ...filter }
    const nodes = await planOf(pageStatement(whole, PAGE, new Date()))
    t.deepEqual(
      nodes.filter((node) => node['Node Type'] === 'Seq Scan'),
      [],
    )
    const used = [...new Set(indexesIn(nodes))].toSorted()
    t.deepEqual(used, indexes)
    const counted = await planOf(countStatement(whole, new Date()))
    if (filter.state !== 'active' && name !== 'no filter')
      t.deepEqual(
        counted.filter((node) => node['Node Type'] === 'Seq Scan'),
        [],
      )
  })

test('the VC API finds a credential by an id of its caller and by a status entry in an index (D-1037)', async (t) => {
  const { systemSql } = database
  const indexesOf = async (text: string, values: unknown[]) => {
    const { rows } = await systemSql.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>({
      text: `explain (format json) ${text}`,
      values,
    })
    return indexesIn(rows.flatMap((row) => nodesOf(row['QUERY PLAN'][0].Plan)))
  }
  t.deepEqual(await indexesOf(BY_GIVEN_ID, [TENANT, 'https://example.edu/credentials/1']), ['credentials_chosen_id'])
  t.deepEqual(await indexesOf(BY_ENTRY.revocation, [TENANT, randomUUID(), 7]), ['credentials_status_entry'])
  t.deepEqual(await indexesOf(BY_ENTRY.suspension, [TENANT, randomUUID(), 7]), ['credentials_suspension'])
})

test('a page of a common type sorts only rows of one moment', async (t) => {
  const nodes = await planOf(pageStatement({ formats: FORMAT_NAMES, type: 'Course' }, PAGE, new Date()))
  const sorted = nodes.find((node) => node['Node Type'] === 'Incremental Sort')
  t.is(sorted?.Plans?.[0]?.['Index Name'], 'credentials_type_1')
})

test('each row of a type is found once, at whatever place it has the type', async (t) => {
  const found = await inTenant(database.tenants, TENANT, async (em) => {
    const { text, values } = pageStatement(
      { formats: FORMAT_NAMES, type: 'Rare' },
      { limit: 5_000, offset: 0 },
      new Date(),
    )
    const rows = await em.execute<{ id: string }[]>(text, values)
    const expected = await em.execute<{ id: string }[]>(
      "select id from credentials where 'Rare' = any (types) order by created_at desc, id",
    )
    return [rows, expected].map((each) => each.map(({ id }) => id))
  })
  t.true(isDeepStrictEqual(found[0], found[1]))
  t.is(found[0]?.length, 1_200)
})

test('each row of a subject is found once, at whatever place it has it, also together with a type', async (t) => {
  const found = async (more: Partial<SearchFilter>, condition: string) => {
    const { text, values } = pageStatement(
      { formats: FORMAT_NAMES, subject: SUBJECT, ...more },
      { limit: 5_000, offset: 0 },
      new Date(),
    )
    const expected = `select id from credentials where '\\x01'::bytea = any (subjects) and ${condition} order by created_at desc, id`
    return inTenant(database.tenants, TENANT, async (em) => {
      const [rows, others] = [
        await em.execute<{ id: string }[]>(text, values),
        await em.execute<{ id: string }[]>(expected),
      ]
      t.deepEqual(
        rows.map(({ id }) => id),
        others.map(({ id }) => id),
      )
      return rows.length
    })
  }
  t.is(await found({}, 'true'), 800)
  t.is(await found({ type: 'Course' }, "'Course' = any (types)"), 800)
  t.is(await found({ type: 'Rare' }, "'Rare' = any (types)"), 0)
})
