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
import { HELP_ARTICLE } from './examples.ts'
import { publish, readerOf } from './published.ts'
import {
  type HelpArticleIn,
  type HelpArticleOut,
  type HelpArticlePageOut,
  type HelpArticleUpdateIn,
  helpLineToWire,
  helpToWire,
  toHelp,
} from './wire.ts'

@Route('v1/help/articles')
@Tags('Content')
export class HelpController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the published help articles, newest first, without their text. Public; with a token that has platform:read
   * also those that are not published.
   * @summary List help articles
   */
  @Get()
  @OperationId('getHelpArticles')
  @Response(304, 'unchanged')
  async list(@Request() request: HttpRequest, @Queries() query: PageQuery): Promise<HelpArticlePageOut | undefined> {
    const page = toPage(query.limit, query.page)
    const { articles, total } = await this.platform.help.listHelpArticles(readerOf(request), page)
    return publish(this, request, { data: articles.map(helpLineToWire), ...snakeTotals(total, page.limit) })
  }

  /**
   * Creates a help article. Its Markdown is shown as HTML of an allow-list: scripts, styles, forms, SVG and unknown tags
   * are left out.
   * @summary Create a help article
   */
  @Post()
  @OperationId('createHelpArticle')
  @Security('bearerAuth', ['platform:write'])
  @SuccessResponse(201)
  @Example<HelpArticleOut>(HELP_ARTICLE)
  @Response<Problem>(409, 'the slug is taken')
  async create(@Request() called: Called, @Body() body: HelpArticleIn): Promise<HelpArticleOut> {
    const created = await this.platform.help.createHelpArticle(called.user, { slug: body.slug, ...toHelp(body) })
    this.setStatus(201)
    this.setHeader('Location', `/v1/help/articles/${created.id}`)
    return helpToWire(created)
  }

  /**
   * Returns a help article by its id or slug. Public; one that is not published needs a token with platform:read.
   * @summary Read a help article
   */
  @Get('{id}')
  @OperationId('getHelpArticle')
  @Example<HelpArticleOut>(HELP_ARTICLE)
  @Response(304, 'unchanged')
  async read(@Request() request: HttpRequest, @Path() id: string): Promise<HelpArticleOut | undefined> {
    return publish(this, request, helpToWire(await this.platform.help.readHelpArticle(readerOf(request), id)))
  }

  /**
   * Replaces title, content and whether it is published, by id or slug. The slug stays: links lead to it.
   * @summary Update a help article
   */
  @Put('{id}')
  @OperationId('updateHelpArticle')
  @Security('bearerAuth', ['platform:write'])
  @Example<HelpArticleOut>(HELP_ARTICLE)
  async update(
    @Request() called: Called,
    @Path() id: string,
    @Body() body: HelpArticleUpdateIn,
  ): Promise<HelpArticleOut> {
    return helpToWire(await this.platform.help.updateHelpArticle(called.user, id, toHelp(body)))
  }

  /**
   * Deletes a help article, by id or slug.
   * @summary Delete a help article
   */
  @Delete('{id}')
  @OperationId('deleteHelpArticle')
  @Security('bearerAuth', ['platform:write'])
  @SuccessResponse(204)
  async remove(@Request() called: Called, @Path() id: string): Promise<void> {
    await this.platform.help.deleteHelpArticle(called.user, id)
  }
}
