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
import type { Request as HttpRequest } from 'express'
import type { Platform } from '../../../activities/index.ts'
import type { Called } from '../../frame/authentication.ts'
import { camelTotals, type PageQuery, toPage } from '../../frame/pagination.ts'
import type { Problem } from '../../frame/problem.ts'
import type { Uuid } from '../../frame/wire.ts'
import { readerOf } from './reader.ts'
import {
  credentialToWire,
  type EcosystemCredentialIn,
  type EcosystemCredentialOut,
  type EcosystemCredentialPageOut,
} from './wire.ts'

@Route('v1/ecosystems/{ecosystemId}/credentials')
@Tags('Ecosystems')
export class EcosystemCredentialsController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the credentials of an ecosystem, newest first, to an operator (`platform:read`) or to a tenant that is bound
   * to it (`administration:read`).
   * @summary List credentials of an ecosystem
   */
  @Get()
  @OperationId('getListOfEcosystemCredentials')
  @Security('bearerAuth')
  async list(
    @Request() request: HttpRequest,
    @Path() ecosystemId: Uuid,
    @Queries() query: PageQuery,
  ): Promise<EcosystemCredentialPageOut> {
    const page = toPage(query.limit, query.page)
    const { ecosystemCredentials } = this.platform
    const { credentials, total } = await ecosystemCredentials.listCredentials(readerOf(request), ecosystemId, page)
    return { data: credentials.map(credentialToWire), ...camelTotals(total, page.limit) }
  }

  /**
   * Creates a credential of the ecosystem: a type of credential in a profile, which participants are then allowed to
   * issue or to verify.
   * @summary Create a credential of an ecosystem
   */
  @Post()
  @OperationId('createEcosystemCredential')
  @Security('bearerAuth', ['platform:write'])
  @SuccessResponse(201)
  @Response<Problem>(409, 'the ecosystem has a credential of this profile and type')
  async create(
    @Request() called: Called,
    @Path() ecosystemId: Uuid,
    @Body() body: EcosystemCredentialIn,
  ): Promise<EcosystemCredentialOut> {
    const created = await this.platform.ecosystemCredentials.createCredential(called.user, ecosystemId, body)
    this.setStatus(201)
    this.setHeader('Location', `/v1/ecosystems/${ecosystemId}/credentials/${created.id}`)
    return credentialToWire(created)
  }

  /**
   * Returns a credential of the ecosystem.
   * @summary Read a credential of an ecosystem
   */
  @Get('{credentialId}')
  @OperationId('getEcosystemCredential')
  @Security('bearerAuth')
  async read(
    @Request() request: HttpRequest,
    @Path() ecosystemId: Uuid,
    @Path() credentialId: Uuid,
  ): Promise<EcosystemCredentialOut> {
    const { ecosystemCredentials } = this.platform
    return credentialToWire(await ecosystemCredentials.readCredential(readerOf(request), ecosystemId, credentialId))
  }

  /**
   * Replaces a credential of the ecosystem. Participants that are allowed it are allowed what it is now.
   * @summary Update a credential of an ecosystem
   */
  @Put('{credentialId}')
  @OperationId('updateEcosystemCredential')
  @Security('bearerAuth', ['platform:write'])
  @Response<Problem>(409, 'the ecosystem has another credential of this profile and type')
  async update(
    @Request() called: Called,
    @Path() ecosystemId: Uuid,
    @Path() credentialId: Uuid,
    @Body() body: EcosystemCredentialIn,
  ): Promise<EcosystemCredentialOut> {
    const { ecosystemCredentials } = this.platform
    return credentialToWire(await ecosystemCredentials.updateCredential(called.user, ecosystemId, credentialId, body))
  }

  /**
   * Deletes a credential of the ecosystem, unless a participant is allowed it.
   * @summary Delete a credential of an ecosystem
   */
  @Delete('{credentialId}')
  @OperationId('deleteEcosystemCredential')
  @Security('bearerAuth', ['platform:write'])
  @SuccessResponse(204)
  @Response<Problem>(409, 'a participant is allowed it')
  async remove(@Request() called: Called, @Path() ecosystemId: Uuid, @Path() credentialId: Uuid): Promise<void> {
    await this.platform.ecosystemCredentials.deleteCredential(called.user, ecosystemId, credentialId)
  }
}
