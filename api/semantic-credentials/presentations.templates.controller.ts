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
import type { Platform } from '../../activities/index.ts'
import type { PresentationTemplateRecord } from '../../activities/semantic-credentials/presentations/templates.ts'
import type { Called } from '../frame/authentication.ts'
import { type PageQuery, snakeTotals, toPage } from '../frame/pagination.ts'
import type { Problem } from '../frame/problem.ts'
import type { Uuid } from '../frame/wire.ts'
import {
  type PresentationTemplateIn,
  type PresentationTemplateOut,
  type PresentationTemplatePageOut,
  type PresentationTemplateUpdateIn,
  queryToWire,
  TEMPLATE_EXAMPLE,
} from './presentations.wire.ts'

const toWire = (record: PresentationTemplateRecord): PresentationTemplateOut => ({
  ...record,
  query: queryToWire(record.query),
})

@Route('v1/credentials/web-semantic/presentations/templates')
@Tags('Web semantic credentials')
export class PresentationTemplatesController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the tenant's presentation templates, newest first.
   * @summary List presentation templates
   */
  @Get()
  @OperationId('getWebSemanticPresentationTemplatesLists')
  @Security('bearerAuth', ['semantic-credentials:read'])
  async list(@Request() called: Called, @Queries() query: PageQuery): Promise<PresentationTemplatePageOut> {
    const page = toPage(query.limit, query.page)
    const { templates, total } = await this.platform.presentationTemplates.listTemplates(called.user.tenantId, page)
    return { data: templates.map(toWire), ...snakeTotals(total, page.limit) }
  }

  /**
   * Creates a template of what to request from holders. No request is sent: create a presentation request for that.
   * @summary Create a presentation template
   */
  @Post()
  @OperationId('createWebSemanticPresentationTemplate')
  @Security('bearerAuth', ['semantic-credentials:write'])
  @SuccessResponse(200)
  @Example<PresentationTemplateOut>(TEMPLATE_EXAMPLE)
  async create(@Request() called: Called, @Body() body: PresentationTemplateIn): Promise<PresentationTemplateOut> {
    return toWire(await this.platform.presentationTemplates.createTemplate(called.user, body))
  }

  /**
   * Returns a presentation template.
   * @summary Read a presentation template
   */
  @Get('{id}')
  @OperationId('getWebSemanticPresentationTemplate')
  @Security('bearerAuth', ['semantic-credentials:read'])
  async read(@Request() called: Called, @Path() id: Uuid): Promise<PresentationTemplateOut> {
    return toWire(await this.platform.presentationTemplates.readTemplate(called.user.tenantId, id))
  }

  /**
   * Changes a template. Requests created from it stay as they are.
   * @summary Update a presentation template
   */
  @Put('{id}')
  @OperationId('updateWebSemanticPresentationTemplate')
  @Security('bearerAuth', ['semantic-credentials:write'])
  async update(
    @Request() called: Called,
    @Path() id: Uuid,
    @Body() body: PresentationTemplateUpdateIn,
  ): Promise<PresentationTemplateOut> {
    return toWire(await this.platform.presentationTemplates.updateTemplate(called.user, id, body))
  }

  /**
   * Deletes a template. Requests created from it stay open.
   * @summary Delete a presentation template
   */
  @Delete('{id}')
  @OperationId('deleteWebSemanticPresentationTemplate')
  @Security('bearerAuth', ['semantic-credentials:write'])
  @SuccessResponse(204)
  @Response<Problem>(409, 'a verifier signs people in with the template')
  async remove(@Request() called: Called, @Path() id: Uuid): Promise<void> {
    await this.platform.presentationTemplates.deleteTemplate(called.user, id)
  }
}
