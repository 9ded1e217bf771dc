import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { HelpArticle } from '../../../entities/administration/content.ts'
import { asSystem } from '../../../entities/orm.ts'
import { checkContent } from '../../../protocol/administration/content/fields.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { Call, Metadata } from '../../frame/operations.ts'
import { type ContentParts, flushNew, named, type Page, type Reader, visible } from './entries.ts'

export interface HelpArticleInput {
  title: string
  content: string
  isPublished: boolean
}

/** In a list, without the text. */
export interface HelpArticleLine {
  id: string
  slug: string
  title: string
  isPublished: boolean
  createdAt: string
  updatedAt: string
}

export interface HelpArticleRecord extends HelpArticleLine {
  content: string
  html: string
}

const lineOf = ({ id, slug, title, isPublished, createdAt, updatedAt }: HelpArticle): HelpArticleLine => ({
  ...{ id, slug, title, isPublished },
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})

const recordOf = (row: HelpArticle): HelpArticleRecord => ({ ...lineOf(row), content: row.content, html: row.html })

const notFound = () => new Refusal('help_article.not_found', 'There is no such help article.')

async function findForChange(em: SqlEntityManager, name: string): Promise<HelpArticle> {
  const row = await em.findOne(HelpArticle, named(name), { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!row) throw notFound()
  return row
}

/** Help articles: operators write them, anybody reads what is published (specification, What the service does 10). */
export const createHelp = ({ database, now, uuid, operations, rendering }: ContentParts) => ({
  /** Newest first. */
  listHelpArticles: (reader: Reader, page: Page): Promise<{ articles: HelpArticleLine[]; total: number }> =>
    asSystem(database.system, async (em) => {
      const orderBy = { createdAt: 'desc', id: 'asc' } as const
      const exclude = ['content', 'html'] as const
      const [rows, total] = await em.findAndCount(HelpArticle, visible(reader), { orderBy, exclude, ...page })
      return { articles: rows.map((row) => lineOf(row as HelpArticle)), total }
    }),

  /** Throws `help_article.not_found`, also for one that is not published where the reader is no operator. */
  async readHelpArticle(reader: Reader, name: string): Promise<HelpArticleRecord> {
    const where = { ...named(name), ...visible(reader) }
    const row = await asSystem(database.system, (em) => em.findOne(HelpArticle, where))
    if (!row) throw notFound()
    return { ...recordOf(row), html: await rendering.htmlOf(row) }
  },

  /** Throws `content.invalid`, `content.too_nested`, `content.too_complex`, `content.slug_taken`. */
  async createHelpArticle(call: Call, input: HelpArticleInput & { slug: string }): Promise<HelpArticleRecord> {
    checkContent(input)
    const rendered = await rendering.render(input.content, call.tenantId)
    const id = uuid()
    return operations.changePlatform(call, 'createHelpArticle', { id }, async (em) => {
      const { slug, title, isPublished } = input
      const at = now()
      const row = em.create(HelpArticle, { id, slug, title, isPublished, ...rendered, createdAt: at, updatedAt: at })
      await flushNew(em)
      return recordOf(row)
    })
  },

  /**
   * Replaces title, content and whether it is published; the slug stays. Throws as `createHelpArticle`, and
   * `help_article.not_found`.
   */
  async updateHelpArticle(call: Call, name: string, input: HelpArticleInput): Promise<HelpArticleRecord> {
    checkContent(input)
    const rendered = await rendering.render(input.content, call.tenantId)
    const metadata: Metadata = {}
    return operations.changePlatform(call, 'updateHelpArticle', metadata, async (em) => {
      const row = await findForChange(em, name)
      metadata.id = row.id
      Object.assign(row, { title: input.title, isPublished: input.isPublished, ...rendered, updatedAt: now() })
      await em.flush()
      return recordOf(row)
    })
  },

  async deleteHelpArticle(call: Call, name: string): Promise<void> {
    const metadata: Metadata = {}
    await operations.changePlatform(call, 'deleteHelpArticle', metadata, async (em) => {
      const row = await findForChange(em, name)
      metadata.id = row.id
      em.remove(row)
      await em.flush()
    })
  },
})
