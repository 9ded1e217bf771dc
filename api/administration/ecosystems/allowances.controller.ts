import {
  Body,
  Controller,
  Delete,
  OperationId,
  Path,
  Post,
  Request,
  Response,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime'
import type { Platform } from '../../../activities/index.ts'
import type { Called } from '../../frame/authentication.ts'
import type { Problem } from '../../frame/problem.ts'
import { inLowerCase, type Uuid } from '../../frame/wire.ts'
import { type AllowanceIn, credentialToWire, type EcosystemCredentialOut } from './wire.ts'

@Route('v1/ecosystems/{ecosystemId}/participants/{participantId}')
@Tags('Ecosystems')
export class EcosystemAllowancesController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Allows an issuer to issue a credential of the ecosystem, and returns the credential. It has effect within a second.
   * Safe to repeat.
   * @summary Allow an issuer a credential
   */
  @Post('issuer/credentials')
  @OperationId('createEcosystemIssuer')
  @Security('bearerAuth', ['platform:write'])
  @SuccessResponse(201)
  @Response<Problem>(409, 'the participant is no issuer')
  async allowIssuer(
    @Request() called: Called,
    @Path() ecosystemId: Uuid,
    @Path() participantId: Uuid,
    @Body() body: AllowanceIn,
  ): Promise<EcosystemCredentialOut> {
    const allowance = { ecosystemId, participantId, credentialId: inLowerCase(body.credentialId) }
    const allowed = await this.platform.ecosystemAllowances.allowCredential(called.user, 'issuer', allowance)
    this.setStatus(201)
    return credentialToWire(allowed)
  }

  /**
   * Takes a credential from an issuer. It has effect within a second; what was issued stays.
   * @summary Take a credential from an issuer
   */
  @Delete('issuer/credentials/{credentialId}')
  @OperationId('deleteEcosystemIssuer')
  @Security('bearerAuth', ['platform:write'])
  @SuccessResponse(204)
  async takeIssuer(
    @Request() called: Called,
    @Path() ecosystemId: Uuid,
    @Path() participantId: Uuid,
    @Path() credentialId: Uuid,
  ): Promise<void> {
    const allowance = { ecosystemId, participantId, credentialId }
    await this.platform.ecosystemAllowances.takeCredential(called.user, 'issuer', allowance)
  }

  /**
   * Allows a verifier to verify a credential of the ecosystem, and returns the credential. Safe to repeat.
   * @summary Allow a verifier a credential
   */
  @Post('verifier/credentials')
  @OperationId('createEcosystemVerifier')
  @Security('bearerAuth', ['platform:write'])
  @SuccessResponse(201)
  @Response<Problem>(409, 'the participant is no verifier')
  async allowVerifier(
    @Request() called: Called,
    @Path() ecosystemId: Uuid,
    @Path() participantId: Uuid,
    @Body() body: AllowanceIn,
  ): Promise<EcosystemCredentialOut> {
    const allowance = { ecosystemId, participantId, credentialId: inLowerCase(body.credentialId) }
    const allowed = await this.platform.ecosystemAllowances.allowCredential(called.user, 'verifier', allowance)
    this.setStatus(201)
    return credentialToWire(allowed)
  }

  /**
   * Takes a credential from a verifier. It has effect within a second.
   * @summary Take a credential from a verifier
   */
  @Delete('verifier/credentials/{credentialId}')
  @OperationId('deleteEcosystemVerifier')
  @Security('bearerAuth', ['platform:write'])
  @SuccessResponse(204)
  async takeVerifier(
    @Request() called: Called,
    @Path() ecosystemId: Uuid,
    @Path() participantId: Uuid,
    @Path() credentialId: Uuid,
  ): Promise<void> {
    const allowance = { ecosystemId, participantId, credentialId }
    await this.platform.ecosystemAllowances.takeCredential(called.user, 'verifier', allowance)
  }
}
