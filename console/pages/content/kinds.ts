import { textOf } from '../../frame/form.tsx'
import { api } from '../../frame/session.ts'

export const KINDS = ['articles', 'posts', 'categories', 'policies'] as const
export type KindName = (typeof KINDS)[number]
export const isKind = (name: string): name is KindName => KINDS.some((kind) => kind === name)

/** Members of an entry that people write, by their names in the API. */
export type FieldName =
  | 'slug'
  | 'name'
  | 'title'
  | 'description'
  | 'excerpt'
  | 'content'
  | 'image'
  | 'author_id'
  | 'category_id'
  | 'is_published'

export interface Row {
  /** Names the entry in addresses. */
  key: string
  slug: string
  title: string
  isPublished?: boolean
  changed: string
}

export interface Listed {
  rows: Row[]
  total: number
  pages: number
}

export type Entry = Partial<Record<FieldName, string | number | null>>

/** A kind of content: what an entry has, and the operations on it. */
export interface Kind {
  path: string
  /** Of a new entry, and of one that is there: a slug stays, because links lead to it. */
  fields: { create: readonly FieldName[]; edit: readonly FieldName[] }
  list(page: number, limit: number): Promise<Listed>
  read(key: string): Promise<Entry>
  /** The key of what was made. */
  create(form: FormData): Promise<string>
  update(key: string, form: FormData): Promise<void>
  remove?(key: string): Promise<void>
}

const text = (form: FormData, name: FieldName) => textOf(form, name) ?? ''
const published = (form: FormData): 0 | 1 => (form.has('is_published') ? 1 : 0)
const idOf = (id: string) => ({ params: { path: { id } } })
const slugOf = (slug: string) => ({ params: { path: { slug } } })

const articleOf = (form: FormData) => ({
  title: text(form, 'title'),
  content: text(form, 'content'),
  is_published: published(form),
})

const postOf = (form: FormData) => ({
  ...articleOf(form),
  excerpt: text(form, 'excerpt'),
  author_id: text(form, 'author_id'),
  category_id: text(form, 'category_id'),
  image: textOf(form, 'image') ?? null,
})

const categoryOf = (form: FormData) => ({ name: text(form, 'name'), description: text(form, 'description') })
const policyOf = (form: FormData) => ({ title: text(form, 'title'), content: text(form, 'content') })

const articles: Kind = {
  path: '/v1/help/articles',
  fields: { create: ['slug', 'title', 'content', 'is_published'], edit: ['title', 'content', 'is_published'] },
  async list(page, limit) {
    const answer = await api.get('/v1/help/articles', { params: { query: { page, limit } } })
    const rows = answer.data.map(({ id, slug, title, is_published, updated_at }) => ({
      ...{ key: id, slug, title, isPublished: is_published === 1, changed: updated_at },
    }))
    return { rows, total: answer.total_count, pages: answer.total_pages }
  },
  read: (id) => api.get('/v1/help/articles/{id}', idOf(id)),
  create: async (form) =>
    (await api.post('/v1/help/articles', { body: { ...articleOf(form), slug: text(form, 'slug') } })).id,
  async update(id, form) {
    await api.put('/v1/help/articles/{id}', { ...idOf(id), body: articleOf(form) })
  },
  async remove(id) {
    await api.delete('/v1/help/articles/{id}', idOf(id))
  },
}

const POST_FIELDS = ['title', 'excerpt', 'content', 'image', 'category_id', 'author_id', 'is_published'] as const

const posts: Kind = {
  path: '/v1/blog/posts',
  fields: { create: ['slug', ...POST_FIELDS], edit: POST_FIELDS },
  async list(page, limit) {
    const answer = await api.get('/v1/blog/posts', { params: { query: { page, limit } } })
    const rows = answer.data.map(({ id, slug, title, is_published, updated_at }) => ({
      ...{ key: id, slug, title, isPublished: is_published === 1, changed: updated_at },
    }))
    return { rows, total: answer.total_count, pages: answer.total_pages }
  },
  read: (id) => api.get('/v1/blog/posts/{id}', idOf(id)),
  create: async (form) =>
    (await api.post('/v1/blog/posts', { body: { ...postOf(form), slug: text(form, 'slug') } })).id,
  async update(id, form) {
    await api.put('/v1/blog/posts/{id}', { ...idOf(id), body: postOf(form) })
  },
  async remove(id) {
    await api.delete('/v1/blog/posts/{id}', idOf(id))
  },
}

const categories: Kind = {
  path: '/v1/blog/categories',
  fields: { create: ['slug', 'name', 'description'], edit: ['name', 'description'] },
  async list(page, limit) {
    const answer = await api.get('/v1/blog/categories', { params: { query: { page, limit } } })
    const rows = answer.data.map(({ slug, name, updated_at }) => ({
      ...{ key: slug, slug, title: name, changed: updated_at },
    }))
    return { rows, total: answer.total_count, pages: answer.total_pages }
  },
  read: (slug) => api.get('/v1/blog/categories/{slug}', slugOf(slug)),
  create: async (form) =>
    (await api.post('/v1/blog/categories', { body: { ...categoryOf(form), slug: text(form, 'slug') } })).slug,
  async update(slug, form) {
    await api.put('/v1/blog/categories/{slug}', { ...slugOf(slug), body: categoryOf(form) })
  },
  async remove(slug) {
    await api.delete('/v1/blog/categories/{slug}', slugOf(slug))
  },
}

/** A change is another version, and nothing of a policy is deleted: people accepted it as they read it. */
const policies: Kind = {
  path: '/v1/legal/policies',
  fields: { create: ['slug', 'name', 'title', 'content'], edit: ['title', 'content'] },
  async list(page, limit) {
    const answer = await api.get('/v1/legal/policies', { params: { query: { page, limit } } })
    const rows = answer.data.map(({ slug, name, version, created_at }) => ({
      ...{ key: slug, slug, title: `${name} (${version})`, changed: created_at },
    }))
    return { rows, total: answer.total_count, pages: answer.total_pages }
  },
  read: (slug) => api.get('/v1/legal/policies/{slug}', slugOf(slug)),
  create: async (form) => {
    const body = { ...policyOf(form), name: text(form, 'name'), slug: text(form, 'slug') }
    return (await api.post('/v1/legal/policies', { body })).slug
  },
  async update(slug, form) {
    await api.post('/v1/legal/policies/{slug}/versions', { ...slugOf(slug), body: policyOf(form) })
  },
}

export const CONTENT: Record<KindName, Kind> = { articles, posts, categories, policies }
