import {
  Body,
  Controller,
  Get,
  OperationId,
  Path,
  Post,
  Put,
  Queries,
  Request,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime'
import type { Platform } from '../../activities/index.ts'
import type { Called } from '../frame/authentication.ts'
import type { Uuid } from '../frame/wire.ts'
import {
  type MobileTemplateIn,
  type MobileTemplateOut,
  type MobileTemplatePageOut,
  type MobileTemplateQuery,
  mobileTemplatesToWire,
  mobileTemplateToWire,
  toMobileTemplate,
  toTemplateFilter,
} from './templates.wire.ts'

@Route('v1/credentials/mobile/configurations')
@Tags('Mobile credentials')
export class MobileTemplatesController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the tenant's templates of mobile credentials, newest first.
   * @summary List mobile templates
   */
  @Get()
  @OperationId('listMobileCredentialTemplates')
  @Security('bearerAuth', ['mobile-credentials:read'])
  async list(@Request() called: Called, @Queries() query: MobileTemplateQuery): Promise<MobileTemplatePageOut> {
    const filter = toTemplateFilter(query)
    return mobileTemplatesToWire(
      await this.platform.mobileTemplates.listTemplates(called.user.tenantId, filter),
      filter,
    )
  }

  /**
   * Creates a template from which wallets get mobile credentials: the docType, and the source of each element.
   * @summary Create a mobile template
   */
  @Post()
  @OperationId('createMobileCredentialTemplate')
  @Security('bearerAuth', ['mobile-credentials:write'])
  @SuccessResponse(201)
  async create(@Request() called: Called, @Body() body: MobileTemplateIn): Promise<MobileTemplateOut> {
    const template = await this.platform.mobileTemplates.createTemplate(called.user, toMobileTemplate(body))
    this.setStatus(201)
    this.setHeader('Location', `/v1/credentials/mobile/configurations/${template.id}`)
    return mobileTemplateToWire(template)
  }

  /**
   * Returns a template in its current version.
   * @summary Read a mobile template
   */
  @Get('{id}')
  @OperationId('getMobileCredentialTemplate')
  @Security('bearerAuth', ['mobile-credentials:read'])
  async read(@Request() called: Called, @Path() id: Uuid): Promise<MobileTemplateOut> {
    return mobileTemplateToWire(await this.platform.mobileTemplates.readTemplate(called.user.tenantId, id))
  }

  /**
   * Replaces a template by its next version. Credentials issued from it do not change.
   * @summary Update a mobile template
   */
  @Put('{id}')
  @OperationId('updateMobileCredentialTemplate')
  @Security('bearerAuth', ['mobile-credentials:write'])
  async update(
    @Request() called: Called,
    @Path() id: Uuid,
    @Body() body: MobileTemplateIn,
  ): Promise<MobileTemplateOut> {
    return mobileTemplateToWire(
      await this.platform.mobileTemplates.updateTemplate(called.user, id, toMobileTemplate(body)),
    )
  }
}
