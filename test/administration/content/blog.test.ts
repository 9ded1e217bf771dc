import { randomUUID } from 'node:crypto'
import test from 'ava'
import { OPERATOR_SCOPES, type Scope } from '../../../protocol/tokens-logs/index.ts'
import { category, contentOf, post } from '../../support/content.ts'
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

const typeOf = (reply: Reply) => reply.json<{ type?: string }>().type?.replace('/problems#', '')

const CATEGORIES = '/v1/blog/categories'
const POSTS = '/v1/blog/posts'

test.serial(
  'a category is created, renamed, and deleted when no post is in it (specification, Other records)',
  async (t) => {
    const { id, slug } = await operators.created(CATEGORIES, category())
    const renamed = await operators.update(`${CATEGORIES}/${slug}`, { name: 'Other', description: 'Others.' })
    t.like(renamed.json(), { id, slug, name: 'Other', description: 'Others.' })
    const { id: postId } = await operators.created(POSTS, post(id))
    const used = await operators.remove(`${CATEGORIES}/${slug}`)
    t.deepEqual([used.status, typeOf(used)], [409, 'blog_category.in_use'])
    t.is((await operators.remove(`${POSTS}/${postId}`)).status, 204)
    t.is((await operators.remove(`${CATEGORIES}/${slug}`)).status, 204)
    for (const gone of [
      await operators.read(`${CATEGORIES}/${slug}`),
      await operators.update(`${CATEGORIES}/${slug}`, { name: 'N', description: 'D' }),
      await operators.create(POSTS, post(id)),
      await operators.read(`${POSTS}?category=${slug}`),
    ])
      t.deepEqual([gone.status, typeOf(gone)], [404, 'blog_category.not_found'])
  },
)

test.serial('a category is not deleted under a post that comes at the same time', async (t) => {
  for (let round = 0; round < 10; round++) {
    const { id, slug } = await operators.created(CATEGORIES, category())
    const [added, removed] = await Promise.all([
      operators.create(POSTS, post(id)),
      operators.remove(`${CATEGORIES}/${slug}`),
    ])
    t.true(
      (added.status === 201 && removed.status === 409) || (added.status === 404 && removed.status === 204),
      `${added.text} ${removed.text}`,
    )
  }
})

test.serial(
  'a post is changed by its id or slug, and keeps when it was published first (specification, Other records)',
  async (t) => {
    const { id: categoryId } = await operators.created(CATEGORIES, category())
    const draft = post(categoryId, { is_published: 0, image: 'https://cdn.example/a.png' })
    const { id, slug } = await operators.created(POSTS, draft)
    const { slug: _, ...body } = { ...draft, is_published: 1, image: undefined, title: 'New' }
    const shown = (await operators.update(`${POSTS}/${slug}`, body)).json<Record<string, unknown>>()
    t.like(shown, { id, slug, title: 'New', image: null, is_published: 1 })
    t.truthy(shown.published_at)
    const hidden = await operators.update(`${POSTS}/${id}`, { ...body, is_published: 0 })
    t.is(hidden.json().published_at, shown.published_at)
    const again = await operators.update(`${POSTS}/${id}`, { ...body, is_published: 1 })
    t.is(again.json().published_at, shown.published_at, 'the first time counts')
    t.is(typeOf(await operators.update(`${POSTS}/${id}`, { ...body, slug })), 'request.invalid', 'the slug stays')
    const elsewhere = await operators.update(`${POSTS}/${id}`, { ...body, category_id: randomUUID() })
    t.deepEqual([elsewhere.status, typeOf(elsewhere)], [404, 'blog_category.not_found'])
  },
)
