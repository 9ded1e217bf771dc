import type { BlogCategoryRecord } from '../../../activities/administration/content/blog.categories.ts'
import type {
  BlogPostInput,
  BlogPostLine,
  BlogPostRecord,
} from '../../../activities/administration/content/blog.posts.ts'
import type { HelpArticleLine, HelpArticleRecord } from '../../../activities/administration/content/help.ts'
import type { Count, DateTime, Uuid } from '../../frame/wire.ts'

/** Words of a-z and 0-9 with hyphens between; unique, not reserved, and it stays. */
export type Slug = string

/** One line of 1 to 255 characters, for people. */
export type ContentTitle = string

/** A short text without markup, of 1 to 1000 characters. */
export type ContentText = string

/** Markdown (GFM), of 1 to 100000 characters. Lists, quotes and tags are at most 40 deep. */
export type Markdown = string

/**
 * 1: anybody may read it. 0: only operators.
 * @isInt expected 0 or 1
 * @minimum 0 expected 0 or 1
 * @maximum 1 expected 0 or 1
 */
export type PublishedFlag = number

/** An https URL. */
export type PictureUrl = string

interface Dated {
  created_at: DateTime
  updated_at: DateTime
}

interface Paged {
  limit: Count
  total_count: Count
  total_pages: Count
}

export interface HelpArticleUpdateIn {
  title: ContentTitle
  content: Markdown
  /** Default: 0. */
  is_published?: PublishedFlag
}

export interface HelpArticleIn extends HelpArticleUpdateIn {
  slug: Slug
}

export interface HelpArticleLineOut extends Dated {
  id: Uuid
  slug: string
  title: string
  is_published: PublishedFlag
}

export interface HelpArticleOut extends HelpArticleLineOut {
  /** Markdown, as it was written. */
  content: string
  /** HTML of an allow-list, made of the content. */
  html: string
}

export interface HelpArticlePageOut extends Paged {
  data: HelpArticleLineOut[]
}

export interface BlogCategoryUpdateIn {
  name: ContentTitle
  description: ContentText
}

export interface BlogCategoryIn extends BlogCategoryUpdateIn {
  slug: Slug
}

export interface BlogCategoryOut extends Dated {
  id: Uuid
  slug: string
  name: string
  description: string
}

export interface BlogCategoryPageOut extends Paged {
  data: BlogCategoryOut[]
}

export interface BlogPostUpdateIn {
  /** Of the author, in whatever system has authors. */
  author_id: Uuid
  /** Of listBlogCategories. */
  category_id: Uuid
  title: ContentTitle
  excerpt: ContentText
  content: Markdown
  /** Absent or null: the post has none. */
  image?: PictureUrl | null
  is_published: PublishedFlag
}

export interface BlogPostIn extends BlogPostUpdateIn {
  slug: Slug
}

export interface BlogPostLineOut extends Dated {
  id: Uuid
  slug: string
  author_id: Uuid
  category_id: Uuid
  title: string
  excerpt: string
  image: string | null
  is_published: PublishedFlag
  published_at: DateTime | null
}

export interface BlogPostOut extends BlogPostLineOut {
  /** Markdown, as it was written. */
  content: string
  /** HTML of an allow-list, made of the content. */
  html: string
}

export interface BlogPostPageOut extends Paged {
  data: BlogPostLineOut[]
}

const dated = ({ createdAt, updatedAt }: { createdAt: string; updatedAt: string }): Dated => ({
  created_at: createdAt,
  updated_at: updatedAt,
})

export const helpLineToWire = (line: HelpArticleLine): HelpArticleLineOut => ({
  id: line.id,
  slug: line.slug,
  title: line.title,
  is_published: Number(line.isPublished),
  ...dated(line),
})

export const helpToWire = (article: HelpArticleRecord): HelpArticleOut => ({
  ...helpLineToWire(article),
  content: article.content,
  html: article.html,
})

export const toHelp = ({ is_published, ...body }: HelpArticleUpdateIn) => ({ ...body, isPublished: is_published === 1 })

export const categoryToWire = (category: BlogCategoryRecord): BlogCategoryOut => {
  const { id, slug, name, description } = category
  return { id, slug, name, description, ...dated(category) }
}

export const postLineToWire = (line: BlogPostLine): BlogPostLineOut => ({
  id: line.id,
  slug: line.slug,
  author_id: line.authorId,
  category_id: line.categoryId,
  title: line.title,
  excerpt: line.excerpt,
  image: line.image,
  is_published: Number(line.isPublished),
  published_at: line.publishedAt,
  ...dated(line),
})

export const postToWire = (post: BlogPostRecord): BlogPostOut => ({
  ...postLineToWire(post),
  content: post.content,
  html: post.html,
})

export const toPost = (body: BlogPostUpdateIn): BlogPostInput => ({
  authorId: body.author_id.toLowerCase(),
  categoryId: body.category_id.toLowerCase(),
  title: body.title,
  excerpt: body.excerpt,
  content: body.content,
  image: body.image ?? null,
  isPublished: body.is_published === 1,
})
