import {
  Body,
  Controller,
  Delete,
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
import type { Called } from '../frame/authentication.ts'
import type { Problem } from '../frame/problem.ts'
import type { Uuid } from '../frame/wire.ts'
import {
  type SdJwtTemplateIn,
  type SdJwtTemplateOut,
  type SdJwtTemplatePageOut,
  type SdJwtTemplateQuery,
  templatesToWire,
  templateToWire,
  toClaims,
  toFilter,
  toTemplate,
} from './templates.wire.ts'
import type { SdJwtTemplateSignIn, SdJwtTemplateSignOut } from './wire.ts'

@Route('v1/credentials/sd-jwt-vc/configurations')
@Tags('SD-JWT VC credentials')
export class SdJwtTemplatesController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the tenant's templates of SD-JWT VC credentials, newest first.
   * @summary List SD-JWT VC templates
   */
  @Get()
  @OperationId('listSdJwtCredentialTemplates')
  @Security('bearerAuth', ['sd-jwt-credentials:read'])
  async list(@Request() called: Called, @Queries() query: SdJwtTemplateQuery): Promise<SdJwtTemplatePageOut> {
    const filter = toFilter(query)
    return templatesToWire(await this.platform.sdJwtTemplates.listTemplates(called.user.tenantId, filter), filter)
  }

  /**
   * Creates a template: the type, the source and the disclosure of each claim, and what wallets show of them.
   * @summary Create an SD-JWT VC template
   */
  @Post()
  @OperationId('createSdJwtCredentialTemplate')
  @Security('bearerAuth', ['sd-jwt-credentials:write'])
  @SuccessResponse(201)
  async create(@Request() called: Called, @Body() body: SdJwtTemplateIn): Promise<SdJwtTemplateOut> {
    const template = await this.platform.sdJwtTemplates.createTemplate(called.user, toTemplate(body))
    this.setStatus(201)
    this.setHeader('Location', `/v1/credentials/sd-jwt-vc/configurations/${template.id}`)
    return templateToWire(template)
  }

  /**
   * Returns a template in its current version.
   * @summary Read an SD-JWT VC template
   */
  @Get('{id}')
  @OperationId('getSdJwtCredentialTemplate')
  @Security('bearerAuth', ['sd-jwt-credentials:read'])
  async read(@Request() called: Called, @Path() id: Uuid): Promise<SdJwtTemplateOut> {
    return templateToWire(await this.platform.sdJwtTemplates.readTemplate(called.user.tenantId, id))
  }

  /**
   * Replaces a template by its next version. Credentials issued from it do not change, nor does the metadata of their type:
   * where it is other metadata, the type gets another URL.
   * @summary Update an SD-JWT VC template
   */
  @Put('{id}')
  @OperationId('updateSdJwtCredentialTemplate')
  @Security('bearerAuth', ['sd-jwt-credentials:write'])
  async update(@Request() called: Called, @Path() id: Uuid, @Body() body: SdJwtTemplateIn): Promise<SdJwtTemplateOut> {
    return templateToWire(await this.platform.sdJwtTemplates.updateTemplate(called.user, id, toTemplate(body)))
  }

  /**
   * Deletes a template. Credentials issued from it stay valid, and the metadata of their types stays public.
   * @summary Delete an SD-JWT VC template
   */
  @Delete('{id}')
  @OperationId('deleteSdJwtCredentialTemplate')
  @Security('bearerAuth', ['sd-jwt-credentials:write'])
  @SuccessResponse(204)
  async remove(@Request() called: Called, @Path() id: Uuid): Promise<void> {
    await this.platform.sdJwtTemplates.deleteTemplate(called.user, id)
  }

  /**
   * Signs claims with the current version of a template.
   * @summary Sign an SD-JWT VC from a template
   */
  @Post('{id}/sign')
  @OperationId('signSdJwtCredentialFromTemplate')
  @Security('bearerAuth', ['sd-jwt-credentials:write'])
  @SuccessResponse(200)
  @Response<Problem>(409, 'no issuer is named and none is the default, or the document signer cannot sign')
  @Response<Problem>(503, 'the key store is not available; see Retry-After')
  async sign(
    @Request() called: Called,
    @Path() id: Uuid,
    @Body() body: SdJwtTemplateSignIn,
  ): Promise<SdJwtTemplateSignOut> {
    const { template, ...signed } = await this.platform.sdJwtCredentials.signFromTemplate(
      called.user,
      id,
      toClaims(body),
    )
    return { ...signed, template_id: template.id, template_version: template.version }
  }
}
