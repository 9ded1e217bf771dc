import {
  Body,
  Controller,
  Get,
  OperationId,
  Path,
  Post,
  Produces,
  Request,
  Response,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime'
import type { Request as HttpRequest } from 'express'
import type { Platform } from '../../activities/index.ts'
import { TOKEN_TYPES } from '../../protocol/status-list/token.ts'
import { publisherOf, sendForm } from '../credentials/published.ts'
import type { Called } from '../frame/authentication.ts'
import type { Problem } from '../frame/problem.ts'
import type { EmptyOut, Uuid } from '../frame/wire.ts'

interface MobileRevocationOut {
  isRevoked: boolean
}

interface MobileRevocationIn {
  /** true: revokes. false: undoes the revocation. */
  isRevoked: boolean
}

@Route('v1/credentials/mobile')
@Tags('Mobile credentials')
export class MobileStatusController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns whether a mobile credential is revoked, as stored; the published list follows shortly after.
   * @summary Read the revocation status of a mobile credential
   */
  @Get('{id}/revocation-status')
  @OperationId('getMobileCredentialRevocationStatus')
  @Security('bearerAuth', ['mobile-credentials:read'])
  async readStatus(@Request() called: Called, @Path() id: Uuid): Promise<MobileRevocationOut> {
    const { isRevoked } = await this.platform.credentialStatus.readStatus(called.user.tenantId, id, 'mobile')
    return { isRevoked }
  }

  /**
   * Revokes a mobile credential that was signed with revocable true, or undoes its revocation.
   * @summary Set the revocation status of a mobile credential
   */
  @Post('{id}/revocation-status')
  @OperationId('setMobileCredentialRevocationStatus')
  @Security('bearerAuth', ['mobile-credentials:write'])
  @SuccessResponse(200)
  async setRevocationStatus(
    @Request() called: Called,
    @Path() id: Uuid,
    @Body() body: MobileRevocationIn,
  ): Promise<EmptyOut> {
    await this.platform.credentialStatus.setStatus(called.user, id, body.isRevoked, 'mobile')
    return {}
  }

  /**
   * Returns a Status List Token (draft-ietf-oauth-status-list) of mobile credentials, as a CWT or a JWT. A document
   * signer of the IACA that the credentials lead to signs it, with its certificate in x5chain or x5c. Public; the host
   * name selects the tenant.
   * @summary Read a status list of mobile credentials
   */
  @Get('status-lists/{id}')
  @OperationId('getMobileStatusList')
  @SuccessResponse(200, 'the list')
  @Produces('application/statuslist+cwt')
  @Response(304, 'unchanged')
  @Response<Problem>(410, 'the issuer was deleted, and the list can no longer be signed')
  @Response<Problem>(503, 'the list cannot be signed now; see Retry-After')
  async list(@Request() request: HttpRequest, @Path() id: Uuid): Promise<void> {
    const tenant = await publisherOf(this.platform, request)
    const { forms, etag } = await this.platform.mobileLists.readList(tenant.id, id)
    sendForm(request, etag, [
      [TOKEN_TYPES.cwt, Buffer.from(forms.tokenCwt, 'base64')],
      [TOKEN_TYPES.jwt, Buffer.from(forms.tokenJwt)],
    ])
  }
}
