import {
  Body,
  Controller,
  OperationId,
  Path,
  Post,
  Request,
  Response,
  Route,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime'
import type { Request as HttpRequest } from 'express'
import type { Platform } from '../../../activities/index.ts'
import type { Problem } from '../../frame/problem.ts'
import type { JsonObject, Uuid } from '../../frame/wire.ts'
import { providersOf } from './providers.ts'
import { grantToWire, toGrant, tokenRefusal } from './token.ts'

/** A token request, in the casing of OAuth 2.0 or of this API, which the response then has as well. */
export type VerifierTokenIn = JsonObject

/** Tokens, in the casing of the request. */
export type VerifierTokenOut = JsonObject

@Route('v1/oidc/verifiers')
@Tags('OpenID')
export class OidcTokenController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * The token endpoint of a verifier: exchanges a code or a refresh token for an access token, an ID token, and a refresh
   * token where the client may have one. Public: the client authenticates. Errors are those of OAuth 2.0.
   * @summary Exchange a code of a verifier
   */
  @Post('{id}/token')
  @OperationId('getOpenIdConfiguration')
  @SuccessResponse(200)
  @Response<Problem>(401, 'the client did not authenticate')
  async exchange(
    @Request() request: HttpRequest,
    @Path() id: Uuid,
    @Body() body: VerifierTokenIn,
  ): Promise<VerifierTokenOut> {
    const providers = providersOf(this.platform)
    const running = await providers.providerAt(request.headers.host ?? '', id)
    const { res: response } = request
    if (!response) throw new Error('a request of the API has a response')
    response.locals.tenantId = running.facts.tenantId
    request.noted = { objectIds: [running.facts.verifierId] }
    const { form, casing } = toGrant(body)
    const answered = await providers.run(running, request, response, { path: '/token', form })
    if (answered?.status !== 200) throw tokenRefusal(answered)
    return grantToWire(answered.body, casing)
  }
}
