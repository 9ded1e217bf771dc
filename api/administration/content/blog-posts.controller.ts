import {
  Body,
  Controller,
  Delete,
  Example,
  Get,
  OperationId,
  Path,
  Post,
  Put,
  Queries,
  Request,
  Response,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime'
import type { Request as HttpRequest } from 'express'
import type { Platform } from '../../../activities/index.ts'
import type { Called } from '../../frame/authentication.ts'
import { type PageQuery, snakeTotals, toPage } from '../../frame/pagination.ts'
import type { Problem } from '../../frame/problem.ts'
import { BLOG_POST } from './examples.ts'
import { publish, readerOf } from './published.ts'
import {
  type BlogPostIn,
  type BlogPostOut,
  type BlogPostPageOut,
  type BlogPostUpdateIn,
  postLineToWire,
  postToWire,
  toPost,
} from './wire.ts'

interface PostQuery extends PageQuery {
  /** Slug of a category: returns only its posts. */
  category?: string
}

@Route('v1/blog/posts')
@Tags('Content')
export class BlogPostsController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the published posts of the blog, newest first, without their text. Public; with a token that has
   * platform:read also those that are not published.
   * @summary List blog posts
   */
  @Get()
  @OperationId('listBlogPosts')
  @Response(304, 'unchanged')
  @Response<Problem>(404, 'there is no such category')
  async list(@Request() request: HttpRequest, @Queries() query: PostQuery): Promise<BlogPostPageOut | undefined> {
    const page = toPage(query.limit, query.page)
    const { posts, total } = await this.platform.blogPosts.listBlogPosts(readerOf(request), page, query.category)
    return publish(this, request, { data: posts.map(postLineToWire), ...snakeTotals(total, page.limit) })
  }

  /**
   * Creates a post of the blog. Its Markdown is shown as HTML of an allow-list: scripts, styles, forms, SVG and unknown
   * tags are left out.
   * @summary Create a blog post
   */
  @Post()
  @OperationId('createBlogPost')
  @Security('bearerAuth', ['platform:write'])
  @SuccessResponse(201)
  @Example<BlogPostOut>(BLOG_POST)
  @Response<Problem>(404, 'there is no such category')
  @Response<Problem>(409, 'the slug is taken')
  async create(@Request() called: Called, @Body() body: BlogPostIn): Promise<BlogPostOut> {
    const created = await this.platform.blogPosts.createBlogPost(called.user, { slug: body.slug, ...toPost(body) })
    this.setStatus(201)
    this.setHeader('Location', `/v1/blog/posts/${created.id}`)
    return postToWire(created)
  }

  /**
   * Returns a post by its id or slug. Public; one that is not published needs a token with platform:read.
   * @summary Read a blog post
   */
  @Get('{id}')
  @OperationId('getBlogPost')
  @Example<BlogPostOut>(BLOG_POST)
  @Response(304, 'unchanged')
  async read(@Request() request: HttpRequest, @Path() id: string): Promise<BlogPostOut | undefined> {
    return publish(this, request, postToWire(await this.platform.blogPosts.readBlogPost(readerOf(request), id)))
  }

  /**
   * Replaces a post but for its slug, by id or slug.
   * @summary Update a blog post
   */
  @Put('{id}')
  @OperationId('updateBlogPost')
  @Security('bearerAuth', ['platform:write'])
  @Example<BlogPostOut>(BLOG_POST)
  async update(@Request() called: Called, @Path() id: string, @Body() body: BlogPostUpdateIn): Promise<BlogPostOut> {
    return postToWire(await this.platform.blogPosts.updateBlogPost(called.user, id, toPost(body)))
  }

  /**
   * Deletes a post, by id or slug.
   * @summary Delete a blog post
   */
  @Delete('{id}')
  @OperationId('deleteBlogPost')
  @Security('bearerAuth', ['platform:write'])
  @SuccessResponse(204)
  async remove(@Request() called: Called, @Path() id: string): Promise<void> {
    await this.platform.blogPosts.deleteBlogPost(called.user, id)
  }
}
