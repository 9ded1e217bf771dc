import { randomUUID } from 'node:crypto'
import type { Reply, World } from './world.ts'

export const newSlug = (): string => `page-${randomUUID().slice(0, 8)}`

export const helpArticle = (more: object = {}) => ({
  slug: newSlug(),
  title: 'A page',
  content: 'Some *text*.',
  is_published: 1,
  ...more,
})

export const category = (more: object = {}) => ({ slug: newSlug(), name: 'News', description: 'What is new.', ...more })

export const post = (categoryId: string, more: object = {}) => ({
  ...helpArticle(),
  author_id: randomUUID(),
  category_id: categoryId,
  excerpt: 'In short.',
  image: null,
  ...more,
})

export const policy = (more: object = {}) => ({
  slug: newSlug(),
  name: 'Terms',
  title: 'Terms of use',
  content: 'Be kind.',
  ...more,
})

export interface Entry {
  id: string
  slug: string
  html: string
  content: string
}

/** What operators write, through the API. */
export const contentOf = (world: World, token: string) => {
  const create = (path: string, body: object): Promise<Reply> => world.ask(path, { token, body })
  const created = async (path: string, body: object): Promise<Entry> => {
    const reply = await create(path, body)
    if (reply.status !== 201) throw new Error(`not created: ${reply.text}`)
    return reply.json<Entry & Record<string, unknown>>()
  }
  return {
    create,
    created,
    read: (path: string, headers: Record<string, string> = {}) => world.ask(path, { headers }),
    seen: (path: string) => world.ask(path, { token }),
    update: (path: string, body: object) => world.ask(path, { token, method: 'PUT', body }),
    remove: (path: string) => world.ask(path, { token, method: 'DELETE' }),
  }
}

/** For the examples of operations; the spare ones are for what deletes them. */
export interface ContentSample {
  helpArticleId: string
  spareHelpArticleId: string
  categoryId: string
  categorySlug: string
  spareCategorySlug: string
  postId: string
  sparePostId: string
  policySlug: string
  sparePolicySlug: string
}

export async function makeContentSample(world: World, token: string): Promise<ContentSample> {
  const { created } = contentOf(world, token)
  const { id: categoryId, slug: categorySlug } = await created('/v1/blog/categories', category())
  return {
    helpArticleId: (await created('/v1/help/articles', helpArticle())).id,
    spareHelpArticleId: (await created('/v1/help/articles', helpArticle())).id,
    categoryId,
    categorySlug,
    spareCategorySlug: (await created('/v1/blog/categories', category())).slug,
    postId: (await created('/v1/blog/posts', post(categoryId))).id,
    sparePostId: (await created('/v1/blog/posts', post(categoryId))).id,
    policySlug: (await created('/v1/legal/policies', policy())).slug,
    sparePolicySlug: (await created('/v1/legal/policies', policy())).slug,
  }
}
