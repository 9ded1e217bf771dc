import {
  Body,
  Controller,
  Example,
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
import { Refusal } from '../../protocol/errors.ts'
import type { Called } from '../frame/authentication.ts'
import { ofMember } from '../frame/members.ts'
import type { Problem } from '../frame/problem.ts'
import type { Uuid } from '../frame/wire.ts'
import {
  type PresentationRequestIn,
  type PresentationRequestOut,
  requestToWire,
  type VerifyPresentationIn,
  type VerifyPresentationOut,
} from './presentations.wire.ts'

const present = <T>(value: T | null | undefined): T | undefined => value ?? undefined

@Route('v1/credentials/web-semantic')
@Tags('Web semantic credentials')
export class PresentationsController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Requests a presentation from a holder: returns a challenge for one presentation, and the signed request with a link
   * and a QR code for a wallet. The body has the members of a template, or the id of a template.
   * @summary Create a presentation request
   */
  @Post('presentations/requests')
  @OperationId('createWebSemanticPresentationRequest')
  @Security('bearerAuth', ['semantic-credentials:write'])
  @SuccessResponse(200)
  @Response<Problem>(404, 'no such template')
  @Response<Problem>(
    409,
    'the challenge was used before, or no DID is named and the tenant has several and no default issuer',
  )
  @Response<Problem>(503, 'the key store is not available; see Retry-After')
  async request(@Request() called: Called, @Body() body: PresentationRequestIn): Promise<PresentationRequestOut> {
    const { id: _, ...request } = body
    return requestToWire(await this.platform.presentationRequests.createRequest(called.user, request))
  }

  /**
   * Returns a presentation request, and whether it is open, used or expired.
   * @summary Read a presentation request
   */
  @Get('presentations/requests/{id}')
  @OperationId('getWebSemanticPresentationRequest')
  @Security('bearerAuth', ['semantic-credentials:read'])
  async readRequest(@Request() called: Called, @Path() id: Uuid): Promise<PresentationRequestOut> {
    return requestToWire(await this.platform.presentationRequests.readRequest(called.user.tenantId, id))
  }

  /**
   * Verifies a holder's presentation: holder proof, challenge and domain, every credential in it, subject = holder, and the
   * query of the request or template. A presentation that does not verify gives 200; `checks` explains each check.
   * @summary Verify a presentation
   */
  @Post('presentations/verify')
  @OperationId('verifyWebSemanticPresentationTemplate')
  @Security('bearerAuth', ['semantic-credentials:read'])
  @SuccessResponse(200)
  @Example<VerifyPresentationOut>({
    verified: false,
    reason: 'challenge at /proof/challenge: The proof has the challenge 8d1f…, not the expected one.',
    checks: [
      {
        check: 'challenge',
        path: '/proof/challenge',
        outcome: 'failed',
        evidence: 'The proof has the challenge 8d1f…, not the expected one.',
      },
    ],
    warnings: [
      {
        type: 'DomainUnchecked',
        message: 'The domain verifier.example of the proof is unchecked: the call names no expected domain.',
        path: '/proof/domain',
      },
    ],
  })
  @Response<Problem>(404, 'no such template')
  async verify(@Request() called: Called, @Body() body: VerifyPresentationIn): Promise<VerifyPresentationOut> {
    const { presentation, challenge, domain, templateId, trustedContexts, trustedIssuers } = body
    const verdict = this.platform.presentations.verifyPresentation(called.user, {
      presentation,
      challenge: present(challenge),
      domain: present(domain),
      templateId: present(templateId),
      trustedContexts: present(trustedContexts),
      trustedIssuers: present(trustedIssuers),
    })
    return ofMember('presentation', verdict)
  }
}

@Route('v1/presentation-requests')
@Tags('Web semantic credentials')
export class SignedPresentationRequestsController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the signed request for a wallet: a compact JWS. Public; the host name selects the tenant.
   * @summary Read a signed presentation request
   */
  @Get('{id}')
  @OperationId('getSignedPresentationRequest')
  @Produces('application/jose')
  @Response<Problem>(410, 'the request was answered, or has expired')
  async read(@Request() request: HttpRequest, @Path() id: Uuid): Promise<string> {
    const tenant = await this.platform.tenants.byHost(request.headers.host ?? '')
    if (!tenant)
      throw new Refusal('presentation_request.not_found', 'The tenant of this host has no such presentation request.')
    const jws = await this.platform.presentationRequests.signedRequest(tenant.id, id)
    // wallets in a browser read it too (Fetch standard, CORS protocol); sent here, since tsoa would send JSON, and as
    // bytes: for a text express adds a charset, which this media type does not have (RFC 7515 section 9.2.1)
    request.res?.set('Access-Control-Allow-Origin', '*').type('application/jose').send(Buffer.from(jws))
    return jws
  }
}
