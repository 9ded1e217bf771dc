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
  Query,
  Request,
  Response,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from 'tsoa'
import type { Platform } from '../../activities/index.ts'
import { Refusal } from '../../protocol/errors.ts'
import type { Called } from '../frame/authentication.ts'
import { type PageQuery, snakeTotals, toPage } from '../frame/pagination.ts'
import type { Problem } from '../frame/problem.ts'
import type { Uuid } from '../frame/wire.ts'
import { inWireNames } from './templates.names.ts'
import {
  TEMPLATE_EXAMPLE,
  type TemplateIn,
  type TemplateOut,
  type TemplatePageOut,
  type TemplateSignIn,
  type TemplateSignOut,
  type TemplateUpdateIn,
  templateToWire,
  toDefinition,
} from './templates.wire.ts'

interface TemplateQuery extends PageQuery {
  /** Only those of this credential type. */
  type?: string
}

@Route('v1/credentials/web-semantic/configurations')
@Tags('Web semantic credentials')
export class CredentialTemplatesController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * The tenant's templates as they are now, newest first.
   * @summary List credential templates
   */
  @Get()
  @OperationId('getWebSemanticCredentialTemplateLists')
  @Security('bearerAuth', ['semantic-credentials:read'])
  async list(@Request() called: Called, @Queries() query: TemplateQuery): Promise<TemplatePageOut> {
    const page = toPage(query.limit, query.page)
    const filter = { type: query.type, ...page }
    const { templates, total } = await this.platform.credentialTemplates.listTemplates(called.user.tenantId, filter)
    return { data: templates.map(templateToWire), ...snakeTotals(total, page.limit) }
  }

  /**
   * What an issuer settles once for many credentials: types, contexts, issuer, branding, lifetime, where claims come from.
   * @summary Create a credential template
   */
  @Post()
  @OperationId('createWebSemanticCredentialTemplate')
  @Security('bearerAuth', ['semantic-credentials:write'])
  @SuccessResponse(200)
  @Example<TemplateOut>(TEMPLATE_EXAMPLE)
  async create(@Request() called: Called, @Body() body: TemplateIn): Promise<TemplateOut> {
    const created = this.platform.credentialTemplates.createTemplate(called.user, toDefinition(body))
    return templateToWire(await created.catch(renamed))
  }

  /**
   * A template as it is, or as it was at a version.
   * @summary Read a credential template
   * @isInt version must be a whole number
   * @minimum version 1
   * @maximum version 2147483647
   */
  @Get('{id}')
  @OperationId('getWebSemanticCredentialTemplate')
  @Security('bearerAuth', ['semantic-credentials:read'])
  async read(@Request() called: Called, @Path() id: Uuid, @Query() version?: number): Promise<TemplateOut> {
    return templateToWire(await this.platform.credentialTemplates.readTemplate(called.user.tenantId, id, version))
  }

  /**
   * Replaces a template by its next version. Nothing that was issued from it changes.
   * @summary Update a credential template
   */
  @Put('{id}')
  @OperationId('updateWebSemanticCredentialTemplate')
  @Security('bearerAuth', ['semantic-credentials:write'])
  @Response<Problem>(409, 'the template has another version by now')
  async update(@Request() called: Called, @Path() id: Uuid, @Body() body: TemplateUpdateIn): Promise<TemplateOut> {
    if (typeof body.id === 'string' && body.id !== id)
      throw new Refusal('credential_template.id_differs', 'The id of the body is not that of the path.', [
        { path: 'id', code: 'id_differs', message: 'expected the id of the path, or none' },
      ])
    const { credentialTemplates } = this.platform
    const updated = credentialTemplates.updateTemplate(called.user, id, toDefinition(body), body.version ?? undefined)
    return templateToWire(await updated.catch(renamed))
  }

  /**
   * Deletes a template. What was issued from it stays as it is.
   * @summary Delete a credential template
   */
  @Delete('{id}')
  @OperationId('deleteWebSemanticCredentialTemplate')
  @Security('bearerAuth', ['semantic-credentials:write'])
  @SuccessResponse(204)
  async remove(@Request() called: Called, @Path() id: Uuid): Promise<void> {
    await this.platform.credentialTemplates.deleteTemplate(called.user, id)
  }

  /**
   * Signs a credential by the template's current version, which it remembers. Errors name places in the credential.
   * @summary Sign from a credential template
   */
  @Post('{id}/sign')
  @OperationId('signWebSemanticCredentialFromTemplate')
  @Security('bearerAuth', ['semantic-credentials:write'])
  @SuccessResponse(200)
  @Response<Problem>(503, 'the key store is away; see Retry-After')
  async sign(@Request() called: Called, @Path() id: Uuid, @Body() body: TemplateSignIn): Promise<TemplateSignOut> {
    const { claims, issuer_did: issuerDid, suspendable, tag: label } = body
    const given = { claims, issuerDid, suspendable, tag: label }
    const signed = await this.platform.templateSigning.signFromTemplate(called.user, id, given)
    const { credential, tag, template } = signed
    const made = { template_id: template.id, template_version: template.version }
    return { credential, id: signed.id, ...(tag === null ? {} : { tag }), ...made }
  }
}

const renamed = (error: unknown): never => {
  throw inWireNames(error)
}
