import { defineEntity, p } from '@mikro-orm/core'
import { EVERYTHING, type Rights } from '../base.ts'

/** Content belongs to the platform, and to no tenant: the system role alone reads and writes it. */
const entry = {
  id: p.uuid().primary(),
  createdAt: p.datetime().onCreate(() => new Date()),
}

/** Markdown as it was written, and the HTML that was made of it by the rules of this version (protocol/). */
const rendered = {
  content: p.text(),
  html: p.text(),
  rendering: p.integer(),
}

const HelpArticleSchema = defineEntity({
  name: 'HelpArticle',
  tableName: 'help_articles',
  properties: {
    ...entry,
    ...rendered,
    slug: p.text(),
    title: p.text(),
    isPublished: p.boolean(),
    updatedAt: p.datetime().onCreate(() => new Date()),
  },
})
export class HelpArticle extends HelpArticleSchema.class {}
HelpArticleSchema.setClass(HelpArticle)

const BlogCategorySchema = defineEntity({
  name: 'BlogCategory',
  tableName: 'blog_categories',
  properties: {
    ...entry,
    slug: p.text(),
    name: p.text(),
    description: p.text(),
    updatedAt: p.datetime().onCreate(() => new Date()),
  },
})
export class BlogCategory extends BlogCategorySchema.class {}
BlogCategorySchema.setClass(BlogCategory)

const BlogPostSchema = defineEntity({
  name: 'BlogPost',
  tableName: 'blog_posts',
  properties: {
    ...entry,
    ...rendered,
    slug: p.text(),
    categoryId: p.uuid(),
    /** Who wrote it, as the operator says; another system may hold the person. */
    authorId: p.uuid(),
    title: p.text(),
    excerpt: p.text(),
    image: p.text().nullable(),
    isPublished: p.boolean(),
    /** When it was published first. */
    publishedAt: p.datetime().nullable(),
    updatedAt: p.datetime().onCreate(() => new Date()),
  },
})
export class BlogPost extends BlogPostSchema.class {}
BlogPostSchema.setClass(BlogPost)

const LegalPolicySchema = defineEntity({
  name: 'LegalPolicy',
  tableName: 'legal_policies',
  properties: {
    ...entry,
    slug: p.text(),
    name: p.text(),
    /** The newest version, which is in force. */
    version: p.integer(),
  },
})
export class LegalPolicy extends LegalPolicySchema.class {}
LegalPolicySchema.setClass(LegalPolicy)

const LegalPolicyVersionSchema = defineEntity({
  name: 'LegalPolicyVersion',
  tableName: 'legal_policy_versions',
  properties: {
    ...entry,
    ...rendered,
    policyId: p.uuid(),
    version: p.integer(),
    title: p.text(),
  },
})
export class LegalPolicyVersion extends LegalPolicyVersionSchema.class {}
LegalPolicyVersionSchema.setClass(LegalPolicyVersion)

const LegalAcceptanceSchema = defineEntity({
  name: 'LegalAcceptance',
  tableName: 'legal_acceptances',
  properties: {
    id: p.uuid().primary(),
    policyId: p.uuid(),
    version: p.integer(),
    /** The `sub` of the person's token. */
    accountId: p.uuid(),
    acceptedAt: p.datetime(),
  },
})
export class LegalAcceptance extends LegalAcceptanceSchema.class {}
LegalAcceptanceSchema.setClass(LegalAcceptance)

export const RIGHTS = {
  help_articles: { system: EVERYTHING },
  blog_categories: { system: EVERYTHING },
  blog_posts: { system: EVERYTHING },
  // what people accepted stays as they read it
  legal_policies: { system: 'select, insert, update' },
  legal_policy_versions: { system: 'select, insert' },
  legal_acceptances: { system: EVERYTHING },
} satisfies Rights
