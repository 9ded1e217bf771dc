import { randomUUID } from 'node:crypto'
import test from 'ava'
import { OPERATOR_SCOPES, type Scope } from '../../../protocol/tokens-logs/index.ts'
import { type Account, addAccount, createOrganization, ORGANIZATIONS, tokenOfPerson } from '../../support/accounts.ts'
import { contentOf, newSlug, policy } from '../../support/content.ts'
import { until } from '../../support/credentials/dids.ts'
import { addClient } from '../../support/frame/tenants.ts'
import { openWorld, type Reply, type World } from '../../support/world.ts'

const ACCEPTANCES = '/v1/legal/acceptances'
const POLICIES = '/v1/legal/policies'

interface Acceptor {
  account_id: string
  email: string | null
  slug: string
  version: number
  accepted_at: string
}

let world: World
let operator: string
test.before(async () => {
  world = await openWorld()
  operator = await tokenWith(OPERATOR_SCOPES)
})
test.after.always(() => world?.close())

async function tokenWith(scopes: readonly Scope[]): Promise<string> {
  const { tenantId } = world.first
  return world.tokenOf(await addClient(world.dependencies.systemSql, { tenantId, scopes }))
}

const typeOf = (reply: Reply) => reply.json<{ type?: string }>().type?.replace('/problems#', '')
const newPolicy = async () => (await contentOf(world, operator).created(POLICIES, policy())).slug
const addVersion = (slug: string) =>
  world.ask(`${POLICIES}/${slug}/versions`, { token: operator, body: { title: 'Two', content: 'c' } })

async function accept(account: Account, slug: string, version: number): Promise<void> {
  const token = await tokenOfPerson(world, account)
  const reply = await world.ask(`${POLICIES}/${slug}/acceptances`, { token, body: { version } })
  if (reply.status !== 200) throw new Error(reply.text)
}

const listed = async (path: string, token: string) => {
  const reply = await world.ask(path, { token })
  if (reply.status !== 200) throw new Error(reply.text)
  return reply.json<{ data: Acceptor[]; limit: number; total_count: number; total_pages: number }>()
}

test('operators see who accepted which version, newest first, in pages; of an erased account the id stays', async (t) => {
  const [slug, other] = [await newPolicy(), await newPolicy()]
  const [ada, bob] = [await addAccount(world), await addAccount(world)]
  await accept(ada, slug, 1)
  await accept(bob, slug, 1)
  await accept(bob, other, 1)
  await addVersion(slug)
  await accept(ada, slug, 2)
  const path = `${ACCEPTANCES}?policy=${slug}`
  const { data, total_count } = await listed(path, operator)
  t.is(total_count, 3)
  t.deepEqual(
    data.map(({ account_id, email, slug: of, version }) => [account_id, email, of, version]),
    [
      [ada.id, ada.email, slug, 2],
      [bob.id, bob.email, slug, 1],
      [ada.id, ada.email, slug, 1],
    ],
  )
  const second = await listed(`${path}&limit=2&page=2`, operator)
  t.deepEqual([second.data, second.total_pages], [data.slice(2), 2])
  t.true((await listed(`${ACCEPTANCES}?limit=1000`, operator)).data.some((each) => each.slug === other))
  t.is(typeOf(await world.ask(`${ACCEPTANCES}?policy=${newSlug()}`, { token: operator })), 'legal_policy.not_found')
  const erased = await world.ask('/v1/account/erasure', {
    ...{ token: await tokenOfPerson(world, bob), body: { password: bob.password } },
  })
  t.is(erased.status, 204, erased.text)
  t.like((await listed(path, operator)).data[1], { account_id: bob.id, email: null })
})

test('administrators see what their members accepted, and nobody else’s; members and strangers do not', async (t) => {
  const slug = await newPolicy()
  const [admin, member, stranger] = [await addAccount(world), await addAccount(world), await addAccount(world)]
  const token = await tokenOfPerson(world, admin)
  const id = await createOrganization(world, token)
  await world.dependencies.systemSql.query({
    text: `insert into organization_members (organization_id, account_id, role) values ($1, $2, 'auditor')`,
    values: [id, member.id],
  })
  for (const each of [admin, member, stranger]) await accept(each, slug, 1)
  const path = `${ORGANIZATIONS}/${id}/legal-acceptances`
  for (const asker of [token, operator]) {
    const { data, total_count } = await listed(`${path}?policy=${slug}`, asker)
    t.deepEqual([data.map(({ email }) => email), total_count], [[member.email, admin.email], 2])
  }
  t.is((await listed(path, token)).total_count, 2, 'of every policy')
  t.is((await listed(`${path}?limit=0`, token)).total_count, 2)
  t.is(typeOf(await world.ask(path, { token: await tokenOfPerson(world, member) })), 'organization.admin_required')
  const foreign = await tokenOfPerson(world, stranger)
  t.is(typeOf(await world.ask(path, { token: foreign })), 'organization.not_found')
  t.is(
    typeOf(await world.ask(`${ORGANIZATIONS}/${randomUUID()}/legal-acceptances`, { token: operator })),
    'organization.not_found',
  )
  t.is(typeOf(await world.ask(`${path}?policy=${newSlug()}`, { token })), 'legal_policy.not_found')
  for (const other of [token, world.token, await tokenWith(['accounts:read', 'platform:write'])])
    t.is(typeOf(await world.ask(ACCEPTANCES, { token: other })), 'token.insufficient_scope')
  await world.ask(`${ORGANIZATIONS}/${id}/members/${member.id}`, { method: 'DELETE', token })
  t.deepEqual(
    (await listed(path, token)).data.map(({ email }) => email),
    [admin.email],
    'of members of today',
  )
})

test('a list has its entry in the log, without an address', async (t) => {
  const slug = await newPolicy()
  const account = await addAccount(world)
  await accept(account, slug, 1)
  const requestId = randomUUID()
  await world.ask(ACCEPTANCES, { token: operator, headers: { 'x-request-id': requestId } })
  const rows = await until('the entry', async () => {
    const found = await world.dependencies.systemSql.query<{ type: string; metadata: object }>({
      text: 'select type, metadata from logs where request_id = $1',
      values: [requestId],
    })
    return found.rows.length > 0 && found.rows
  })
  t.deepEqual(
    rows.map(({ type }) => type),
    ['LEGAL_ACCEPTANCE_RETRIEVE_LIST_SUCCESS'],
  )
  t.false(JSON.stringify(rows).includes('@'))
})
