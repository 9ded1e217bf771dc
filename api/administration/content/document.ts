import { MAX_MARKDOWN, MAX_SLUG, MAX_TEXT, SLUG_PATTERN } from '../../../protocol/administration/content/fields.ts'
import type { CONTENT_OPERATIONS } from '../../../protocol/administration/content/operations.ts'
import type { AreaDocument, ProblemTable } from '../../frame/openapi/document.ts'
import { LABEL_PATTERN } from '../../frame/openapi/patterns.ts'
import type { Schema } from '../../frame/openapi/schemas.ts'
import { pictureUrlWithFragment } from '../../frame/openapi/urls.ts'
import { ACCEPTOR, BLOG_CATEGORY, BLOG_POST, HELP_ARTICLE, LEGAL_POLICY } from './examples.ts'

type Public =
  | 'getHelpArticles'
  | 'getHelpArticle'
  | `listBlog${'Categories' | 'Posts'}`
  | `getBlog${'Category' | 'Post'}`
  | 'listLegalPolicies'
  | 'getLegalPolicy'
  | 'listLegalPolicyVersions'
  | 'getLegalPolicyVersion'

type ContentOperation = keyof typeof CONTENT_OPERATIONS | Public

const page = <Row extends object>(row: Row) => ({ data: [row], limit: 20, total_count: 1, total_pages: 1 })

const without = <Row extends object, Name extends keyof Row>(row: Row, ...names: Name[]): Omit<Row, Name> =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name as Name))) as Omit<Row, Name>

const { slug: _help, ...helpUpdate } = { ...without(HELP_ARTICLE, 'id', 'html', 'created_at', 'updated_at') }
const post = without(BLOG_POST, 'id', 'html', 'published_at', 'created_at', 'updated_at')
const category = without(BLOG_CATEGORY, 'id', 'created_at', 'updated_at')
const policy = without(LEGAL_POLICY, 'id', 'html', 'version', 'created_at')

const text = (description: string, example: string, more: Schema): Schema => ({
  type: 'string',
  description,
  minLength: 1,
  example,
  ...more,
})

const NOT_BLANK = '^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$'

const PROBLEMS: ProblemTable = {
  400: {
    'content.invalid': {
      meaning: 'A field of the content breaks a rule; errors names the fields.',
      remedy: 'Send what errors expects of each field.',
    },
    'content.too_nested': {
      meaning: 'The Markdown has lists, quotes or tags that are too deep within each other.',
      remedy: 'Nest at most 40 of them.',
    },
    'content.too_complex': {
      meaning: 'The Markdown takes too long to process, or makes more HTML than a page may have.',
      remedy: 'Send shorter or simpler Markdown, or split it.',
    },
  },
  404: {
    'help_article.not_found': {
      meaning: 'There is no help article with this id or slug, or it is not published.',
      remedy:
        'Take the id or slug from getHelpArticles; for one that is not published send a token with platform:read.',
    },
    'blog_category.not_found': {
      meaning: 'The blog has no such category.',
      remedy: 'Take the slug or id from listBlogCategories.',
    },
    'blog_post.not_found': {
      meaning: 'The blog has no post with this id or slug, or it is not published.',
      remedy: 'Take the id or slug from listBlogPosts; for one that is not published send a token with platform:read.',
    },
    'legal_policy.not_found': {
      meaning: 'There is no such legal policy, or it has no such version.',
      remedy: 'Take the slug from listLegalPolicies, and the version from listLegalPolicyVersions.',
    },
  },
  409: {
    'content.slug_taken': {
      meaning: 'Another entry of this kind has the slug.',
      remedy: 'Choose another slug, or update the entry that has it.',
    },
    'blog_category.in_use': {
      meaning: 'Posts are in the category, published or not.',
      remedy: 'Move the posts to another category with updateBlogPost, or delete them, then delete the category.',
    },
    'legal_policy.version_replaced': {
      meaning: 'A newer version of the policy is in force.',
      remedy: 'Show the person the newest version, and send its number.',
    },
  },
}

/** Facts of the operations of help, blog and legal policies. */
export const CONTENT_DOCUMENT: AreaDocument<ContentOperation> = {
  examples: {
    createHelpArticle: { slug: HELP_ARTICLE.slug, ...helpUpdate },
    updateHelpArticle: helpUpdate,
    createBlogCategory: category,
    updateBlogCategory: without(category, 'slug'),
    createBlogPost: post,
    updateBlogPost: without(post, 'slug'),
    createLegalPolicy: policy,
    createLegalPolicyVersion: without(policy, 'name', 'slug'),
    acceptLegalPolicy: { version: 1 },
  },
  answers: {
    getHelpArticles: page(without(HELP_ARTICLE, 'content', 'html')),
    listBlogCategories: page(BLOG_CATEGORY),
    listBlogPosts: page(without(BLOG_POST, 'content', 'html')),
    listLegalPolicies: page(without(LEGAL_POLICY, 'content', 'html')),
    listLegalPolicyVersions: page(without(LEGAL_POLICY, 'content', 'html')),
    listLegalAcceptances: page(ACCEPTOR),
  },
  notFound: {
    '/v1/help/articles/{id}': 'help_article.not_found',
    '/v1/blog/posts/{id}': 'blog_post.not_found',
  },
  located: [
    'createHelpArticle',
    'createBlogCategory',
    'createBlogPost',
    'createLegalPolicy',
    'createLegalPolicyVersion',
  ],
  refusals: {
    createHelpArticle: { 400: 'content.invalid', 409: 'content.slug_taken' },
    updateHelpArticle: { 400: 'content.too_nested' },
    createBlogCategory: { 400: 'content.invalid', 409: 'content.slug_taken' },
    getBlogCategory: { 404: 'blog_category.not_found' },
    updateBlogCategory: { 400: 'content.invalid', 404: 'blog_category.not_found' },
    deleteBlogCategory: { 404: 'blog_category.not_found', 409: 'blog_category.in_use' },
    listBlogPosts: { 404: 'blog_category.not_found' },
    createBlogPost: { 400: 'content.invalid', 404: 'blog_category.not_found', 409: 'content.slug_taken' },
    updateBlogPost: { 400: 'content.too_complex' },
    createLegalPolicy: { 400: 'content.invalid', 409: 'content.slug_taken' },
    ...Object.fromEntries(
      ['getLegalPolicy', 'listLegalPolicyVersions', 'getLegalPolicyVersion', 'listLegalPolicyAcceptances'].map((id) => [
        id,
        { 404: 'legal_policy.not_found' },
      ]),
    ),
    listLegalAcceptances: { 404: 'legal_policy.not_found' },
    createLegalPolicyVersion: { 404: 'legal_policy.not_found' },
    acceptLegalPolicy: { 404: 'legal_policy.not_found', 409: 'legal_policy.version_replaced' },
  },
  schemas: {
    Slug: text('Words of a-z and 0-9 with hyphens between; unique, and it stays. Some words are reserved.', 'my-page', {
      pattern: SLUG_PATTERN,
      maxLength: MAX_SLUG,
    }),
    ContentTitle: text('One line, for people; something of it can be seen.', 'My page', {
      pattern: LABEL_PATTERN,
      maxLength: 255,
    }),
    ContentText: text('A short text without markup.', 'What this is about.', {
      pattern: NOT_BLANK,
      maxLength: MAX_TEXT,
    }),
    Markdown: text('Markdown (GFM). Lists, quotes and tags are at most 40 deep.', 'Some **text**.', {
      pattern: NOT_BLANK,
      maxLength: MAX_MARKDOWN,
    }),
    PublishedFlag: {
      type: 'integer',
      format: 'int8',
      description: '1: anybody may read it. 0: only operators.',
      enum: [0, 1],
      example: 1,
    },
    PictureUrl: pictureUrlWithFragment('An https URL.', 'https://cdn.example/picture.png'),
  },
  problems: [PROBLEMS],
}
