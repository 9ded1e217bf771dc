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
import type { Profile } from '../../protocol/compact-credentials/text.ts'
import type { Called } from '../frame/authentication.ts'
import type { Problem } from '../frame/problem.ts'
import type { Uuid } from '../frame/wire.ts'
import {
  type CompactSemanticTemplateSignOut,
  type CompactTemplateIn,
  type CompactTemplateOut,
  type CompactTemplatePageOut,
  type CompactTemplateQuery,
  type CompactTemplateSignIn,
  signedToWire,
  templatesToWire,
  templateToWire,
  toClaims,
  toDefinition,
  toFilter,
} from './templates.wire.ts'

const PROFILE: Profile = 'compact-semantic'

@Route('v1/credentials/compact-semantic/configurations')
@Tags('Compact credentials')
export class CompactSemanticTemplatesController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the tenant's templates of compact-semantic credentials, newest first.
   * @summary List compact-semantic templates
   */
  @Get()
  @OperationId('getCompactSemanticCredentialTemplates')
  @Security('bearerAuth', ['compact-credentials:read'])
  async list(@Request() called: Called, @Queries() query: CompactTemplateQuery): Promise<CompactTemplatePageOut> {
    const filter = toFilter(query)
    const found = await this.platform.compactTemplates[PROFILE].listTemplates(called.user.tenantId, filter)
    return templatesToWire(found, filter)
  }

  /**
   * Creates a template for many credentials: their type, their lifetime, and the source of each claim of the subject.
   * @summary Create a compact-semantic template
   */
  @Post()
  @OperationId('createCompactSemanticCredentialTemplate')
  @Security('bearerAuth', ['compact-credentials:write'])
  @SuccessResponse(200)
  @Response<Problem>(409, 'another compact or compact-semantic template has the type')
  async create(@Request() called: Called, @Body() body: CompactTemplateIn): Promise<CompactTemplateOut> {
    return templateToWire(await this.platform.compactTemplates[PROFILE].createTemplate(called.user, toDefinition(body)))
  }

  /**
   * Returns a template in its current version.
   * @summary Read a compact-semantic template
   */
  @Get('{id}')
  @OperationId('getCompactSemanticCredentialTemplate')
  @Security('bearerAuth', ['compact-credentials:read'])
  async read(@Request() called: Called, @Path() id: Uuid): Promise<CompactTemplateOut> {
    return templateToWire(await this.platform.compactTemplates[PROFILE].readTemplate(called.user.tenantId, id))
  }

  /**
   * Replaces a template by its next version. Credentials issued from it do not change.
   * @summary Update a compact-semantic template
   */
  @Put('{id}')
  @OperationId('updateCompactSemanticCredentialTemplate')
  @Security('bearerAuth', ['compact-credentials:write'])
  @Response<Problem>(409, 'another compact or compact-semantic template has the type')
  async update(
    @Request() called: Called,
    @Path() id: Uuid,
    @Body() body: CompactTemplateIn,
  ): Promise<CompactTemplateOut> {
    return templateToWire(
      await this.platform.compactTemplates[PROFILE].updateTemplate(called.user, id, toDefinition(body)),
    )
  }

  /**
   * Signs a credential from the template's current version, and stores which. A claim that no mapping takes is refused.
   * @summary Sign from a compact-semantic template
   */
  @Post('{id}/sign')
  @OperationId('signCompactSemanticCredentialFromTemplate')
  @Security('bearerAuth', ['compact-credentials:write'])
  @SuccessResponse(200)
  @Response<Problem>(409, 'no issuer is named, and the tenant has several DIDs that fit and no default issuer')
  @Response<Problem>(503, 'the key store is not available; see Retry-After')
  async sign(
    @Request() called: Called,
    @Path() id: Uuid,
    @Body() body: CompactTemplateSignIn,
  ): Promise<CompactSemanticTemplateSignOut> {
    const signed = await this.platform.compactCredentials.signFromTemplate(called.user, PROFILE, id, toClaims(body))
    return signedToWire(signed, PROFILE)
  }
}
