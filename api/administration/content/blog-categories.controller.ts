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
import { BLOG_CATEGORY } from './examples.ts'
import { publish } from './published.ts'
import {
  type BlogCategoryIn,
  type BlogCategoryOut,
  type BlogCategoryPageOut,
  type BlogCategoryUpdateIn,
  categoryToWire,
} from './wire.ts'

@Route('v1/blog/categories')
@Tags('Content')
export class BlogCategoriesController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the categories of the blog by name. Public.
   * @summary List blog categories
   */
  @Get()
  @OperationId('listBlogCategories')
  @Response(304, 'unchanged')
  async list(@Request() request: HttpRequest, @Queries() query: PageQuery): Promise<BlogCategoryPageOut | undefined> {
    const page = toPage(query.limit, query.page)
    const { categories, total } = await this.platform.blogCategories.listBlogCategories(page)
    return publish(this, request, { data: categories.map(categoryToWire), ...snakeTotals(total, page.limit) })
  }

  /**
   * Creates a category of the blog.
   * @summary Create a blog category
   */
  @Post()
  @OperationId('createBlogCategory')
  @Security('bearerAuth', ['platform:write'])
  @SuccessResponse(201)
  @Example<BlogCategoryOut>(BLOG_CATEGORY)
  @Response<Problem>(409, 'the slug is taken')
  async create(@Request() called: Called, @Body() body: BlogCategoryIn): Promise<BlogCategoryOut> {
    const created = await this.platform.blogCategories.createBlogCategory(called.user, body)
    this.setStatus(201)
    this.setHeader('Location', `/v1/blog/categories/${created.slug}`)
    return categoryToWire(created)
  }

  /**
   * Returns a category of the blog by its slug. Public.
   * @summary Read a blog category
   */
  @Get('{slug}')
  @OperationId('getBlogCategory')
  @Example<BlogCategoryOut>(BLOG_CATEGORY)
  @Response(304, 'unchanged')
  @Response<Problem>(404, 'there is no such category')
  async read(@Request() request: HttpRequest, @Path() slug: string): Promise<BlogCategoryOut | undefined> {
    return publish(this, request, categoryToWire(await this.platform.blogCategories.readBlogCategory(slug)))
  }

  /**
   * Replaces name and description. The slug stays: links lead to it.
   * @summary Update a blog category
   */
  @Put('{slug}')
  @OperationId('updateBlogCategory')
  @Security('bearerAuth', ['platform:write'])
  @Example<BlogCategoryOut>(BLOG_CATEGORY)
  @Response<Problem>(404, 'there is no such category')
  async update(
    @Request() called: Called,
    @Path() slug: string,
    @Body() body: BlogCategoryUpdateIn,
  ): Promise<BlogCategoryOut> {
    return categoryToWire(await this.platform.blogCategories.updateBlogCategory(called.user, slug, body))
  }

  /**
   * Deletes a category that no post is in.
   * @summary Delete a blog category
   */
  @Delete('{slug}')
  @OperationId('deleteBlogCategory')
  @Security('bearerAuth', ['platform:write'])
  @SuccessResponse(204)
  @Response<Problem>(404, 'there is no such category')
  @Response<Problem>(409, 'posts are in this category')
  async remove(@Request() called: Called, @Path() slug: string): Promise<void> {
    await this.platform.blogCategories.deleteBlogCategory(called.user, slug)
  }
}
