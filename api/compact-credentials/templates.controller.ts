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
  type CompactTemplateIn,
  type CompactTemplateOut,
  type CompactTemplatePageOut,
  type CompactTemplateQuery,
  type CompactTemplateSignIn,
  type CompactTemplateSignOut,
  signedToWire,
  templatesToWire,
  templateToWire,
  toClaims,
  toDefinition,
  toFilter,
} from './templates.wire.ts'

@Route('v1/credentials/compact/configurations')
@Tags('Compact credentials')
export class CompactTemplatesController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the tenant's templates of compact credentials, newest first.
   * @summary List compact templates
   */
  @Get()
  @OperationId('getCompactSchemas')
  @Security('bearerAuth', ['compact-credentials:read'])
  async list(@Request() called: Called, @Queries() query: CompactTemplateQuery): Promise<CompactTemplatePageOut> {
    const filter = toFilter(query)
    const found = await this.platform.compactTemplates.compact.listTemplates(called.user.tenantId, filter)
    return templatesToWire(found, filter)
  }

  /**
   * Creates a template for many credentials: their type, their lifetime, and the source of each claim.
   * @summary Create a compact template
   */
  @Post()
  @OperationId('createCompactCredentialTemplate')
  @Security('bearerAuth', ['compact-credentials:write'])
  @SuccessResponse(200)
  @Response<Problem>(409, 'another compact or compact-semantic template has the type')
  async create(@Request() called: Called, @Body() body: CompactTemplateIn): Promise<CompactTemplateOut> {
    return templateToWire(await this.platform.compactTemplates.compact.createTemplate(called.user, toDefinition(body)))
  }

  /**
   * Returns a template in its current version.
   * @summary Read a compact template
   */
  @Get('{id}')
  @OperationId('getCompactCredentialTemplate')
  @Security('bearerAuth', ['compact-credentials:read'])
  async read(@Request() called: Called, @Path() id: Uuid): Promise<CompactTemplateOut> {
    return templateToWire(await this.platform.compactTemplates.compact.readTemplate(called.user.tenantId, id))
  }

  /**
   * Replaces a template by its next version. Credentials issued from it do not change.
   * @summary Update a compact template
   */
  @Put('{id}')
  @OperationId('updateCompactCredentialTemplate')
  @Security('bearerAuth', ['compact-credentials:write'])
  @Response<Problem>(409, 'another compact or compact-semantic template has the type')
  async update(
    @Request() called: Called,
    @Path() id: Uuid,
    @Body() body: CompactTemplateIn,
  ): Promise<CompactTemplateOut> {
    return templateToWire(
      await this.platform.compactTemplates.compact.updateTemplate(called.user, id, toDefinition(body)),
    )
  }

  /**
   * Signs a credential from the template's current version, and stores which. A claim that no mapping takes is refused.
   * @summary Sign from a compact template
   */
  @Post('{id}/sign')
  @OperationId('signCompactCredentialFromTemplate')
  @Security('bearerAuth', ['compact-credentials:write'])
  @SuccessResponse(200)
  @Response<Problem>(409, 'no issuer is named, and the tenant has several DIDs that fit and no default issuer')
  @Response<Problem>(503, 'the key store is not available; see Retry-After')
  async sign(
    @Request() called: Called,
    @Path() id: Uuid,
    @Body() body: CompactTemplateSignIn,
  ): Promise<CompactTemplateSignOut> {
    const signed = await this.platform.compactCredentials.signFromTemplate(called.user, 'compact', id, toClaims(body))
    return signedToWire(signed, 'compact')
  }
}
