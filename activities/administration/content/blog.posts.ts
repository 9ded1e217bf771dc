import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { BlogCategory, BlogPost } from '../../../entities/administration/content.ts'
import { asSystem } from '../../../entities/orm.ts'
import { checkContent } from '../../../protocol/administration/content/fields.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { Call, Metadata } from '../../frame/operations.ts'
import { categoryNotFound } from './blog.categories.ts'
import { type ContentParts, flushNew, named, type Page, type Reader, visible } from './entries.ts'

export interface BlogPostInput {
  authorId: string
  categoryId: string
  title: string
  excerpt: string
  content: string
  image: string | null
  isPublished: boolean
}

/** In a list, without the text. */
export interface BlogPostLine extends Omit<BlogPostInput, 'content'> {
  id: string
  slug: string
  publishedAt: string | null
  createdAt: string
  updatedAt: string
}

export interface BlogPostRecord extends BlogPostLine {
  content: string
  html: string
}

function lineOf(row: BlogPost): BlogPostLine {
  const { id, slug, authorId, categoryId, title, excerpt, image = null, isPublished } = row
  return {
    ...{ id, slug, authorId, categoryId, title, excerpt, image, isPublished },
    publishedAt: row.publishedAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

const recordOf = (row: BlogPost): BlogPostRecord => ({ ...lineOf(row), content: row.content, html: row.html })

const notFound = () => new Refusal('blog_post.not_found', 'There is no such post.')

async function findForChange(em: SqlEntityManager, name: string): Promise<BlogPost> {
  const row = await em.findOne(BlogPost, named(name), { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!row) throw notFound()
  return row
}

/** The category stays until the change is done. */
async function assertCategory(em: SqlEntityManager, id: string): Promise<void> {
  const row = await em.findOne(BlogCategory, { id }, { lockMode: LockMode.PESSIMISTIC_READ })
  if (!row) throw categoryNotFound()
}

/** Posts of the blog: operators write them, anybody reads what is published (specification, Other records). */
export const createBlogPosts = ({ database, now, uuid, operations, rendering }: ContentParts) => ({
  /** Newest first. Throws `blog_category.not_found` for the slug of no category. */
  listBlogPosts: (reader: Reader, page: Page, category?: string): Promise<{ posts: BlogPostLine[]; total: number }> =>
    asSystem(database.system, async (em) => {
      const of = category === undefined ? undefined : await em.findOne(BlogCategory, { slug: category })
      if (of === null) throw categoryNotFound()
      const where = { ...visible(reader), ...(of && { categoryId: of.id }) }
      const orderBy = { createdAt: 'desc', id: 'asc' } as const
      const exclude = ['content', 'html'] as const
      const [rows, total] = await em.findAndCount(BlogPost, where, { orderBy, exclude, ...page })
      return { posts: rows.map((row) => lineOf(row as BlogPost)), total }
    }),

  /** Throws `blog_post.not_found`, also for one that is not published where the reader is no operator. */
  async readBlogPost(reader: Reader, name: string): Promise<BlogPostRecord> {
    const where = { ...named(name), ...visible(reader) }
    const row = await asSystem(database.system, (em) => em.findOne(BlogPost, where))
    if (!row) throw notFound()
    return { ...recordOf(row), html: await rendering.htmlOf(row) }
  },

  /**
   * Throws `content.invalid`, `content.too_nested`, `content.too_complex`, `content.slug_taken`,
   * `blog_category.not_found`.
   */
  async createBlogPost(call: Call, { slug, ...input }: BlogPostInput & { slug: string }): Promise<BlogPostRecord> {
    checkContent({ slug, ...input })
    const rendered = await rendering.render(input.content, call.tenantId)
    const id = uuid()
    return operations.changePlatform(call, 'createBlogPost', { id }, async (em) => {
      await assertCategory(em, input.categoryId)
      const at = now()
      const times = { createdAt: at, updatedAt: at, publishedAt: input.isPublished ? at : null }
      const row = em.create(BlogPost, { id, slug, ...input, ...rendered, ...times })
      await flushNew(em)
      return recordOf(row)
    })
  },

  /** Replaces all but the slug. Throws as `createBlogPost`, and `blog_post.not_found`. */
  async updateBlogPost(call: Call, name: string, input: BlogPostInput): Promise<BlogPostRecord> {
    checkContent(input)
    const rendered = await rendering.render(input.content, call.tenantId)
    const metadata: Metadata = {}
    return operations.changePlatform(call, 'updateBlogPost', metadata, async (em) => {
      const row = await findForChange(em, name)
      metadata.id = row.id
      await assertCategory(em, input.categoryId)
      const at = now()
      const publishedAt = row.publishedAt ?? (input.isPublished ? at : null)
      Object.assign(row, { ...input, ...rendered, publishedAt, updatedAt: at })
      await em.flush()
      return recordOf(row)
    })
  },

  async deleteBlogPost(call: Call, name: string): Promise<void> {
    const metadata: Metadata = {}
    await operations.changePlatform(call, 'deleteBlogPost', metadata, async (em) => {
      const row = await findForChange(em, name)
      metadata.id = row.id
      em.remove(row)
      await em.flush()
    })
  },
})
