import {
  Body,
  Controller,
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
import type { Platform } from '../../activities/index.ts'
import type { Called } from '../frame/authentication.ts'
import { ofMember } from '../frame/members.ts'
import type { Problem } from '../frame/problem.ts'
import type { ProofType } from '../frame/wire.ts'
import { notingVerdict, presented } from './noted.ts'
import {
  type VcApiCredentialOut,
  type VcApiDerivedOut,
  type VcApiDeriveIn,
  type VcApiEmptyOut,
  type VcApiIssueIn,
  type VcApiPresentationOut,
  type VcApiProveIn,
  type VcApiStatusIn,
  type VcApiVerifiedOut,
  type VcApiVerifyIn,
  type VcApiVerifyPresentationIn,
  verified,
} from './vc-api.wire.ts'

/** W3C VC API 0.3, the interface that the public test suites use. */
@Route('vc-api')
@Tags('W3C VC API')
@Response<Problem>(400, 'the request is not valid, or the credential or presentation does not verify; errors says why')
@Response<Problem>(403, 'the access token does not have the scope, or the VC API is off for the tenant')
export class VcApiController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Signs a credential as it is: the issuer is never set or replaced.
   * @summary Issue a credential (VC API)
   */
  @Post('credentials/issue')
  @OperationId('vcApiIssueCredential')
  @Security('vcApi', ['semantic-credentials:write'])
  @SuccessResponse(201)
  async issue(@Request() called: Called, @Body() body: VcApiIssueIn): Promise<VcApiCredentialOut> {
    this.setStatus(201)
    const issued = this.platform.vcApi.issue(called.user, body.credential, body.options)
    return { verifiableCredential: await ofMember('credential', issued) }
  }

  /**
   * Signs a credential with the proof type in the path, such as eddsa-rdfc-2022 or bbs-2023, for callers that cannot
   * set it in options.
   * @summary Issue a credential with a proof type (VC API)
   */
  @Post('{proofType}/credentials/issue')
  @OperationId('vcApiIssueCredentialWithProofType')
  @Security('vcApi', ['semantic-credentials:write'])
  @SuccessResponse(201)
  async issueWith(
    @Request() called: Called,
    @Path() proofType: ProofType,
    @Body() body: VcApiIssueIn,
  ): Promise<VcApiCredentialOut> {
    this.setStatus(201)
    const { credential, options } = body
    const issued = this.platform.vcApi.issue(called.user, credential, options, proofType)
    return { verifiableCredential: await ofMember('credential', issued) }
  }

  /**
   * Returns 200 if every check passes, and 400 with the failed checks otherwise. options.checks selects the checks.
   * @summary Verify a credential (VC API)
   */
  @Post('credentials/verify')
  @OperationId('vcApiVerifyCredential')
  @Security('vcApi', ['semantic-credentials:read'])
  @SuccessResponse(200)
  async verify(@Request() called: Called, @Body() body: VcApiVerifyIn): Promise<VcApiVerifiedOut> {
    const { verifiableCredential, options } = body
    called.noted = presented(verifiableCredential)
    const verifying = this.platform.vcApi.verify(called.user.tenantId, verifiableCredential, options)
    const { checks, warnings } = await notingVerdict(called, ofMember('verifiableCredential', verifying))
    return verified(warnings, checks)
  }

  /**
   * Returns a credential that discloses the members in options.selectivePointers and those that the issuer made
   * mandatory.
   * @summary Derive a credential (VC API)
   */
  @Post('credentials/derive')
  @OperationId('vcApiDeriveCredential')
  @Security('vcApi', ['semantic-credentials:read'])
  @SuccessResponse(201)
  async derive(@Request() called: Called, @Body() body: VcApiDeriveIn): Promise<VcApiDerivedOut> {
    this.setStatus(201)
    const { verifiableCredential, options } = body
    const derived = this.platform.vcApi.derive(called.user.tenantId, verifiableCredential, options)
    return { verifiableCredential: await ofMember('verifiableCredential', derived) }
  }

  /**
   * Revokes or suspends a credential, or ends its revocation or suspension. If several credentials have the same id,
   * credentialStatus must name the entry of one.
   * @summary Set the status of a credential (VC API)
   */
  @Post('credentials/status')
  @OperationId('vcApiUpdateStatus')
  @Security('vcApi', ['semantic-credentials:write'])
  @SuccessResponse(200)
  @Response<Problem>(404, 'no such credential')
  @Response<Problem>(409, 'several credentials have this id')
  async status(@Request() called: Called, @Body() body: VcApiStatusIn): Promise<VcApiEmptyOut> {
    const { credentialId, credentialStatus, status } = body
    await this.platform.vcApi.setStatus(called.user, credentialId, { credentialStatus, status })
    return {}
  }

  /**
   * Returns 200 if the proofs of the presentation and its credentials verify, and 400 otherwise. The holder is not
   * checked.
   * @summary Verify a presentation (VC API)
   */
  @Post('presentations/verify')
  @OperationId('vcApiVerifyPresentation')
  @Security('vcApi', ['semantic-credentials:read'])
  @SuccessResponse(200)
  async verifyPresentation(
    @Request() called: Called,
    @Body() body: VcApiVerifyPresentationIn,
  ): Promise<VcApiVerifiedOut> {
    const { verifiablePresentation: presentation, options } = body
    const { tenantId } = called.user
    const verifying = this.platform.vcApi.verifyPresentation(tenantId, presentation, options)
    const { checks, warnings } = await notingVerdict(called, ofMember('verifiablePresentation', verifying))
    return verified(warnings, checks)
  }

  /**
   * Signs a presentation as one of the tenant's DIDs, for authentication: with a proof, or with options.type vp+jwt,
   * vp+cose or vp+sd-jwt in an envelope.
   * @summary Prove a presentation (VC API)
   */
  @Post('presentations/prove')
  @OperationId('vcApiProvePresentation')
  @Security('vcApi', ['semantic-credentials:write'])
  @SuccessResponse(201)
  async prove(@Request() called: Called, @Body() body: VcApiProveIn): Promise<VcApiPresentationOut> {
    this.setStatus(201)
    const proved = this.platform.vcApi.prove(called.user, body.presentation, body.options)
    return { verifiablePresentation: await ofMember('presentation', proved) }
  }
}
