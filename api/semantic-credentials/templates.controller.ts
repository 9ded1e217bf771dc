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
} from '@tsoa/runtime'
import type { Platform } from '../../activities/index.ts'
import type { PublicJwk } from '../../protocol/dids/jwk.ts'
import { Refusal } from '../../protocol/errors.ts'
import type { Called } from '../frame/authentication.ts'
import { ofMember } from '../frame/members.ts'
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
import { signedToWire } from './wire.ts'

interface TemplateQuery extends PageQuery {
  /** Returns only templates of this credential type. */
  type?: string
}

@Route('v1/credentials/web-semantic/configurations')
@Tags('Web semantic credentials')
export class CredentialTemplatesController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the current version of each of the tenant's templates, newest first.
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
   * Creates a template for many credentials: types, contexts, issuer, branding, lifetime, and the source of each claim.
   * The checks of signing are applied to an example; a template from which no credential can be signed is refused.
   * @summary Create a credential template
   */
  @Post()
  @OperationId('createWebSemanticCredentialTemplate')
  @Security('bearerAuth', ['semantic-credentials:write'])
  @SuccessResponse(200)
  @Example<TemplateOut>(TEMPLATE_EXAMPLE)
  async create(@Request() called: Called, @Body() body: TemplateIn): Promise<TemplateOut> {
    const template = this.platform.credentialTemplates.createTemplate(called.user, toDefinition(body))
    return templateToWire(await template.catch(throwInWireNames))
  }

  /**
   * Returns a template, in its current or in an older version.
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
   * Replaces a template by its next version. Credentials issued from it do not change.
   * @summary Update a credential template
   */
  @Put('{id}')
  @OperationId('updateWebSemanticCredentialTemplate')
  @Security('bearerAuth', ['semantic-credentials:write'])
  @Response<Problem>(409, 'the template has a newer version')
  async update(@Request() called: Called, @Path() id: Uuid, @Body() body: TemplateUpdateIn): Promise<TemplateOut> {
    if (typeof body.id === 'string' && body.id !== id)
      throw new Refusal(
        'credential_template.id_differs',
        'The id in the body differs from the id in the path. Send the same id, or none.',
        [{ path: 'id', code: 'id_differs', message: 'expected the id in the path, or none' }],
      )
    const { credentialTemplates } = this.platform
    const template = credentialTemplates.updateTemplate(called.user, id, toDefinition(body), body.version ?? undefined)
    return templateToWire(await template.catch(throwInWireNames))
  }

  /**
   * Deletes a template. Credentials issued from it do not change.
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
   * Signs a credential from the template's current version, and stores the number of that version. A claim that no
   * mapping takes is refused, except in a template with ignore_unmapped. A path in errors that begins with credential
   * leads into the credential that the template makes.
   * @summary Sign from a credential template
   */
  @Post('{id}/sign')
  @OperationId('signWebSemanticCredentialFromTemplate')
  @Security('bearerAuth', ['semantic-credentials:write'])
  @SuccessResponse(200)
  @Response<Problem>(409, 'no issuer is named, and the tenant has several DIDs that fit and no default issuer')
  @Response<Problem>(503, 'the key store is not available; see Retry-After')
  async sign(@Request() called: Called, @Path() id: Uuid, @Body() body: TemplateSignIn): Promise<TemplateSignOut> {
    const { claims, issuer_did: issuerDid, suspendable, tag: label } = body
    const holderKey = body.holder_key as PublicJwk | null | undefined
    const request = { claims, issuerDid, suspendable, tag: label, ...(holderKey && { holderKey }) }
    const issued = await ofMember(
      'credential',
      this.platform.templateSigning.signFromTemplate(called.user, id, request),
    )
    const { template } = issued
    return { ...signedToWire(issued), template_id: template.id, template_version: template.version }
  }
}

const throwInWireNames = (error: unknown): never => {
  throw inWireNames(error)
}
