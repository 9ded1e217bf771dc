import { Controller, Get, OperationId, Request, Response, Route, SuccessResponse, Tags } from '@tsoa/runtime'
import type { Request as HttpRequest } from 'express'
import type { Platform } from '../../activities/index.ts'
import { didConfiguration, linkedDidsList } from '../../protocol/dids/linked.ts'
import { isFresh } from '../../protocol/etag.ts'
import type { Problem } from '../frame/problem.ts'
import type { JsonObject, Uri, VerifiableCredential } from '../frame/wire.ts'

interface LinkedDidOut {
  /** A credential that the DID signed about the domain. */
  DomainLinkageCredential: VerifiableCredential
}

interface LinkedDidsOut {
  context: Uri
  linkedDids: LinkedDidOut[]
}

interface DidConfigurationOut {
  '@context': Uri
  linked_dids: VerifiableCredential[]
}

@Route('.well-known')
@Tags('DIDs')
@Response<Problem>(404, 'no DID is linked to this domain')
@Response<Problem>(503, 'the linkages cannot be signed now; see Retry-After')
export class LinkedDidsController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the DIDs linked to the requested domain, each with its DomainLinkageCredential. Public; the host name
   * selects the tenant.
   * @summary List linked DIDs
   */
  @Get('did-configuration')
  @OperationId('getLinkedDIDs')
  @Response(304, 'unchanged')
  async list(@Request() request: HttpRequest): Promise<LinkedDidsOut | undefined> {
    const credentials = await this.read(request)
    return credentials && linkedDidsList(credentials)
  }

  /**
   * Returns the same as a DIF Well Known DID Configuration resource.
   * @summary Read the DID configuration
   */
  @Get('did-configuration.json')
  @OperationId('getDIDConfiguration')
  @SuccessResponse(200, 'the resource', 'application/json')
  @Response(304, 'unchanged')
  async resource(@Request() request: HttpRequest): Promise<DidConfigurationOut | undefined> {
    const credentials = await this.read(request)
    return credentials && didConfiguration(credentials)
  }

  /** Every origin may read it: wallets run in browsers too (Fetch standard, CORS protocol). */
  private async read(request: HttpRequest): Promise<JsonObject[] | undefined> {
    const { credentials, etag } = await this.platform.linkedDids.linkedDidsAt(request.headers.host ?? '')
    this.setHeader('ETag', etag)
    this.setHeader('Cache-Control', 'public, max-age=60')
    this.setHeader('Access-Control-Allow-Origin', '*')
    if (!isFresh(request.headers['if-none-match'], etag)) return credentials
    this.setStatus(304)
    return undefined
  }
}
