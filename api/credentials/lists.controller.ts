import {
  Controller,
  Get,
  OperationId,
  Path,
  Request,
  Response,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime'
import type { Request as HttpRequest } from 'express'
import type { Platform } from '../../activities/index.ts'
import { isFresh } from '../../protocol/etag.ts'
import { jwtOfList } from '../../protocol/status-list/enveloped.ts'
import type { Called } from '../frame/authentication.ts'
import type { Problem } from '../frame/problem.ts'
import type { Uuid, VerifiableCredential } from '../frame/wire.ts'
import { listToWire, type RevocationListOut } from './lists.wire.ts'
import { publisherOf, sendJwt } from './published.ts'

@Route('v1')
@Tags('Web semantic credentials')
export class StatusListsController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns a revocation list of the tenant, with its signed credential.
   * @summary Read a revocation list
   */
  @Get('credentials/web-semantic/revocation-lists/{id}')
  @OperationId('getWebSemanticCredentialRevocationList')
  @Security('bearerAuth', ['semantic-credentials:read'])
  @Response<Problem>(410, 'the issuer was deleted, and the list can no longer be signed')
  async read(@Request() called: Called, @Path() id: Uuid): Promise<RevocationListOut> {
    const { credential } = await this.platform.statusPublisher.publishedList(called.user.tenantId, id)
    return listToWire(await this.platform.credentialStatus.readList(called.user.tenantId, id), credential)
  }

  /**
   * Returns the signed list that credentials point to. A list that its tenant has enveloped is a JWT (application/vc+jwt),
   * or for callers who accept no JWT the EnvelopedVerifiableCredential with it. Public; the host name selects the tenant.
   * @summary Read a published status list
   */
  @Get('revocation-lists/{id}')
  @OperationId('getPublishedStatusList')
  @SuccessResponse(200, 'the list', 'application/vc')
  @Response(304, 'unchanged')
  @Response<Problem>(410, 'the issuer was deleted, and the list can no longer be signed')
  @Response<Problem>(503, 'the list cannot be signed now; see Retry-After')
  async published(@Request() request: HttpRequest, @Path() id: Uuid): Promise<VerifiableCredential | undefined> {
    const tenant = await publisherOf(this.platform, request)
    const { credential, etag } = await this.platform.statusPublisher.publishedList(tenant.id, id)
    const jwt = jwtOfList(credential)
    if (jwt !== undefined) return sendJwt(request, etag, { jwt, credential })
    this.setHeader('ETag', etag)
    this.setHeader('Cache-Control', 'public, max-age=3')
    // verifiers in a browser read it too (Fetch standard, CORS protocol)
    this.setHeader('Access-Control-Allow-Origin', '*')
    if (isFresh(request.headers['if-none-match'], etag)) {
      this.setStatus(304)
      return undefined
    }
    // clients that accept JSON and not this type get the same body as JSON
    const type = request.accepts(['application/vc', 'application/ld+json', 'application/json'])
    // sent as bytes: for a text express adds a charset, which application/vc does not have (Data Model 2.0, appendix C)
    request.res
      ?.set({ ...this.getHeaders(), 'Content-Type': type || 'application/vc', Vary: 'Accept' })
      .send(Buffer.from(JSON.stringify(credential)))
    return credential
  }
}
