import { Controller, Get, OperationId, Path, Request, Response, Route, Tags } from '@tsoa/runtime'
import type { Request as HttpRequest } from 'express'
import type { Platform } from '../../../activities/index.ts'
import type { EcosystemRole } from '../../../protocol/administration/ecosystems/policy.ts'
import { isKnown } from '../../credentials/published.ts'
import type { Uuid } from '../../frame/wire.ts'
import { type PolicyOut, policyToWire } from './wire.ts'

@Route('v1/ecosystems/{ecosystemId}')
@Tags('Ecosystems')
export class EcosystemPolicyController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns who may issue what in an ecosystem. Public. Send the ETag of an earlier answer as If-None-Match, or its
   * Last-Modified as If-Modified-Since: 304 says that nothing changed.
   * @summary Read the issuers of an ecosystem
   */
  @Get('issuers')
  @OperationId('getEcosystemIssuer')
  @Response(304, 'unchanged')
  issuers(@Request() request: HttpRequest, @Path() ecosystemId: Uuid): Promise<PolicyOut | undefined> {
    return this.published(request, ecosystemId, 'issuer')
  }

  /**
   * Returns who may verify what in an ecosystem. Public, and conditional as the issuers are.
   * @summary Read the verifiers of an ecosystem
   */
  @Get('verifiers')
  @OperationId('getEcosystemVerifier')
  @Response(304, 'unchanged')
  verifiers(@Request() request: HttpRequest, @Path() ecosystemId: Uuid): Promise<PolicyOut | undefined> {
    return this.published(request, ecosystemId, 'verifier')
  }

  /**
   * Returns the whole policy of an ecosystem: all participants and credentials. Public, and conditional as the issuers
   * are.
   * @summary Read the policy of an ecosystem
   */
  @Get('policy')
  @OperationId('getEcosystemPolicy')
  @Response(304, 'unchanged')
  policy(@Request() request: HttpRequest, @Path() ecosystemId: Uuid): Promise<PolicyOut | undefined> {
    return this.published(request, ecosystemId)
  }

  private async published(
    request: HttpRequest,
    ecosystemId: string,
    role?: EcosystemRole,
  ): Promise<PolicyOut | undefined> {
    const { etag, modifiedAt, modifiedBefore, read } = await this.platform.publishedPolicies.publishedPolicy(
      ecosystemId,
      role,
    )
    const modified = { at: modifiedAt, before: modifiedBefore }
    // asking again is cheap, and a policy that ended must not live on in a cache
    if (!isKnown(request, { etag, modified, cacheControl: 'public, no-cache' })) return policyToWire(await read())
    this.setStatus(304)
    return undefined
  }
}
