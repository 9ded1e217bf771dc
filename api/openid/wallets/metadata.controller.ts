import { Controller, Get, OperationId, Request, Response, Route, Tags } from '@tsoa/runtime'
import type { Request as HttpRequest } from 'express'
import type { Platform } from '../../../activities/index.ts'
import type { Problem } from '../../frame/problem.ts'
import { sendJwt } from './calls.ts'
import type { IssuerMetadataOut, ServerMetadataOut, SpecifiedMetadataOut } from './wire.ts'

const hostOf = ({ headers }: HttpRequest): string => headers.host ?? ''

const PUBLISHED = { 'Cache-Control': 'public, max-age=60', Vary: 'Accept' }

function publish(controller: Controller): void {
  controller.setHeader('Cache-Control', PUBLISHED['Cache-Control'])
}

@Route('.well-known')
@Tags('OpenID')
export class WalletMetadataController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the metadata of the credential issuer for wallets: its endpoints, and each template as a credential
   * configuration; for a caller that asks for application/jwt, signed, where the tenant has chosen that. Public; the host
   * name selects the tenant.
   * @summary Read the issuer metadata for wallets
   */
  @Get('openid-credential-issuer')
  @OperationId('getCredentialIssuerMetadata')
  @Response<Problem>(404, 'no tenant has this host')
  async issuer(@Request() request: HttpRequest): Promise<IssuerMetadataOut> {
    publish(this)
    this.setHeader('Vary', 'Accept')
    const wantsJwt = request.accepts(['application/json', 'application/jwt']) === 'application/jwt'
    const jwt = wantsJwt ? await this.platform.signedIssuerMetadata.signedMetadata(hostOf(request)) : undefined
    if (jwt === undefined) return this.platform.openIdConfigurations.issuerMetadata(hostOf(request))
    request.res?.set(PUBLISHED)
    sendJwt(request, 200, jwt)
    return {}
  }

  /**
   * Returns the metadata of the authorization server for wallets (RFC 8414). Public; the host name selects the tenant.
   * @summary Read the authorization server metadata
   */
  @Get('oauth-authorization-server')
  @OperationId('getAuthorizationServerMetadata')
  @Response<Problem>(404, 'no tenant has this host')
  async server(@Request() request: HttpRequest): Promise<ServerMetadataOut> {
    publish(this)
    return this.platform.openIdConfigurations.serverMetadata(hostOf(request))
  }
}

@Route('v1/openid/metadata')
@Tags('OpenID')
export class SpecifiedMetadataController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the metadata of issuer and authorization server in one document, in this API's casing. Public; the host name
   * selects the tenant.
   * @summary Read the issuer metadata
   */
  @Get()
  @OperationId('openIdCredentialMetadata')
  @Response<Problem>(404, 'no tenant has this host')
  async read(@Request() request: HttpRequest): Promise<SpecifiedMetadataOut> {
    publish(this)
    return this.platform.openIdConfigurations.specifiedMetadata(hostOf(request))
  }
}
