import { ForeignKeyConstraintViolationException, LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { BlogCategory } from '../../../entities/administration/content.ts'
import { asSystem } from '../../../entities/orm.ts'
import { checkContent } from '../../../protocol/administration/content/fields.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { Call, Metadata } from '../../frame/operations.ts'
import { type ContentParts, flushNew, type Page } from './entries.ts'

export interface BlogCategoryInput {
  name: string
  description: string
}

export interface BlogCategoryRecord extends BlogCategoryInput {
  id: string
  slug: string
  createdAt: string
  updatedAt: string
}

const recordOf = ({ id, slug, name, description, createdAt, updatedAt }: BlogCategory): BlogCategoryRecord => ({
  ...{ id, slug, name, description },
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})

export const categoryNotFound = () => new Refusal('blog_category.not_found', 'There is no such category.')

async function findForChange(em: SqlEntityManager, slug: string): Promise<BlogCategory> {
  const row = await em.findOne(BlogCategory, { slug }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!row) throw categoryNotFound()
  return row
}

/** Categories of the blog, by their slug (specification, Other records). */
export const createBlogCategories = ({ database, now, uuid, operations }: Omit<ContentParts, 'rendering'>) => ({
  /** By name. */
  listBlogCategories: (page: Page): Promise<{ categories: BlogCategoryRecord[]; total: number }> =>
    asSystem(database.system, async (em) => {
      const orderBy = { name: 'asc', id: 'asc' } as const
      const [rows, total] = await em.findAndCount(BlogCategory, {}, { orderBy, ...page })
      return { categories: rows.map(recordOf), total }
    }),

  async readBlogCategory(slug: string): Promise<BlogCategoryRecord> {
    const row = await asSystem(database.system, (em) => em.findOne(BlogCategory, { slug }))
    if (!row) throw categoryNotFound()
    return recordOf(row)
  },

  /** Throws `content.invalid`, `content.slug_taken`. */
  async createBlogCategory(call: Call, input: BlogCategoryInput & { slug: string }): Promise<BlogCategoryRecord> {
    checkContent(input)
    const id = uuid()
    return operations.changePlatform(call, 'createBlogCategory', { id }, async (em) => {
      const { slug, name, description } = input
      const at = now()
      const row = em.create(BlogCategory, { id, slug, name, description, createdAt: at, updatedAt: at })
      await flushNew(em)
      return recordOf(row)
    })
  },

  /** Replaces name and description; the slug stays. Throws `content.invalid`, `blog_category.not_found`. */
  async updateBlogCategory(call: Call, slug: string, input: BlogCategoryInput): Promise<BlogCategoryRecord> {
    checkContent(input)
    const metadata: Metadata = {}
    return operations.changePlatform(call, 'updateBlogCategory', metadata, async (em) => {
      const row = await findForChange(em, slug)
      metadata.id = row.id
      Object.assign(row, { name: input.name, description: input.description, updatedAt: now() })
      await em.flush()
      return recordOf(row)
    })
  },

  /** Throws `blog_category.not_found`, `blog_category.in_use`. */
  async deleteBlogCategory(call: Call, slug: string): Promise<void> {
    const metadata: Metadata = {}
    await operations.changePlatform(call, 'deleteBlogCategory', metadata, async (em) => {
      const row = await findForChange(em, slug)
      metadata.id = row.id
      try {
        await em.nativeDelete(BlogCategory, { id: row.id })
      } catch (error) {
        if (!(error instanceof ForeignKeyConstraintViolationException)) throw error
        throw new Refusal('blog_category.in_use', 'Posts of the blog are in this category.')
      }
    })
  },
})
