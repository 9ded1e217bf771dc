import test from 'ava'
import { OPERATOR_SCOPES, type Scope } from '../../../protocol/tokens-logs/index.ts'
import { addAccount, tokenOfPerson } from '../../support/accounts.ts'
import { contentOf, newSlug, policy } from '../../support/content.ts'
import { loggedAbout } from '../../support/credentials/dids.ts'
import { addClient } from '../../support/frame/tenants.ts'
import { openWorld, type Reply, type World } from '../../support/world.ts'

let world: World
let operators: ReturnType<typeof contentOf>
test.before(async () => {
  world = await openWorld()
  operators = contentOf(world, await tokenWith(OPERATOR_SCOPES))
})
test.after.always(() => world?.close())

async function tokenWith(scopes: readonly Scope[]): Promise<string> {
  const { tenantId } = world.first
  return world.tokenOf(await addClient(world.dependencies.systemSql, { tenantId, scopes }))
}

const newPerson = async () => tokenOfPerson(world, await addAccount(world))

const typeOf = (reply: Reply) => reply.json<{ type?: string }>().type?.replace('/problems#', '')

const POLICIES = '/v1/legal/policies'

test.serial('a policy has versions that never change; people accept the newest one, each once', async (t) => {
  const { slug, id } = await operators.created(POLICIES, policy({ content: 'First.' }))
  const [ada, bob] = [await newPerson(), await newPerson()]
  const accept = (token: string, version: unknown) =>
    world.ask(`${POLICIES}/${slug}/acceptances`, { token, body: { version } })
  const accepted = async (token: string) =>
    (await world.ask(`${POLICIES}/${slug}/acceptances`, { token })).json<{ data: { version: number }[] }>().data
  const replies = await Promise.all(Array.from({ length: 10 }, () => accept(ada, 1)))
  t.deepEqual(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size, 1)
  t.is(replies[0]?.status, 200)
  const second = await operators.create(`${POLICIES}/${slug}/versions`, { title: 'Two', content: 'Second.' })
  t.is(second.status, 201)
  t.is(second.headers.get('location'), `${POLICIES}/${slug}/versions/2`)
  t.like(second.json(), { id, slug, name: 'Terms', version: 2, title: 'Two', html: '<p>Second.</p>\n' })
  const old = await accept(bob, 1)
  t.deepEqual([old.status, typeOf(old)], [409, 'legal_policy.version_replaced'])
  t.is(typeOf(await accept(bob, 3)), 'legal_policy.not_found')
  for (const version of [0, -1, 1.5, '1', null, 2 ** 31]) t.is(typeOf(await accept(bob, version)), 'request.invalid')
  t.is((await accept(ada, 2)).status, 200)
  t.deepEqual(
    (await accepted(ada)).map(({ version }) => version),
    [2, 1],
  )
  t.deepEqual(await accepted(bob), [], 'each sees their own')
  t.is((await operators.read(`${POLICIES}/${slug}`)).json().version, 2)
  t.is((await operators.read(`${POLICIES}/${slug}/versions/1`)).json().content, 'First.')
  const versions = (await operators.read(`${POLICIES}/${slug}/versions`)).json<{ data: { version: number }[] }>()
  t.deepEqual(
    versions.data.map(({ version }) => version),
    [2, 1],
  )
  for (const path of [`${slug}/versions/3`, `${newSlug()}/versions`, newSlug()])
    t.is(typeOf(await operators.read(`${POLICIES}/${path}`)), 'legal_policy.not_found')
  t.is(typeOf(await accept(world.token, 2)), 'token.insufficient_scope')
  for (const scopes of [OPERATOR_SCOPES, ['accounts:read', 'accounts:write'] as const]) {
    const token = await tokenWith(scopes)
    t.is(typeOf(await accept(token, 2)), 'account.session_required', 'a program accepts nothing')
    const listed = await world.ask(`${POLICIES}/${slug}/acceptances`, { token })
    t.is(typeOf(listed), 'account.session_required')
  }
  t.is((await loggedAbout(world, world.token, 'LEGAL_POLICY_ACCEPT_SUCCESS', id)).length, 11)
})

test.serial('versions that are added at once get numbers of their own', async (t) => {
  const { slug } = await operators.created(POLICIES, policy())
  const add = () => operators.create(`${POLICIES}/${slug}/versions`, { title: 'T', content: 'c' })
  const made = await Promise.all(Array.from({ length: 8 }, add))
  const numbers = made.map((reply) => reply.json<{ version: number }>().version).sort()
  t.deepEqual(numbers, [2, 3, 4, 5, 6, 7, 8, 9])
})
