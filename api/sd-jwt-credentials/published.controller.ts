import { Controller, Get, OperationId, Path, Request, Response, Route, Tags } from '@tsoa/runtime'
import type { Request as HttpRequest } from 'express'
import type { Platform } from '../../activities/index.ts'
import { etagOf } from '../../protocol/etag.ts'
import { isKnown } from '../credentials/published.ts'
import type { Problem } from '../frame/problem.ts'
import type { JsonObject, Uuid } from '../frame/wire.ts'

/** A document whose digest credentials name must arrive byte for byte. */
function send(request: HttpRequest, text: string, cacheControl: string): JsonObject {
  if (isKnown(request, { etag: etagOf(text), cacheControl })) request.res?.status(304).end()
  else {
    // express would add a charset, which this media type does not have (RFC 8259, section 11)
    request.res?.setHeader('Content-Type', 'application/json')
    request.res?.end(text)
  }
  return JSON.parse(text) as JsonObject
}

/** It never changes: another version has another address. */
const FOR_A_DAY = 'public, max-age=86400'
/** A new key of a DID is to be found soon. */
const FOR_A_MINUTE = 'public, max-age=60'

@Route('v1/credentials/sd-jwt-vc/types')
@Tags('SD-JWT VC credentials')
export class SdJwtTypesController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the Type Metadata of SD-JWT VC credentials, whose vct is this address. Public; the host name selects the tenant.
   * @summary Read the metadata of a type
   * @isInt version must be a whole number
   * @minimum version 1
   * @maximum version 2147483647
   */
  @Get('{id}/{version}')
  @OperationId('getSdJwtTypeMetadata')
  @Response(304, 'unchanged')
  @Response<Problem>(404, 'there is no such type')
  async type(@Request() request: HttpRequest, @Path() id: Uuid, @Path() version: number): Promise<JsonObject> {
    const document = await this.platform.sdJwtPublished.typeMetadata(request.headers.host ?? '', id, version)
    return send(request, document, FOR_A_DAY)
  }
}

@Route('.well-known/jwt-vc-issuer')
@Tags('SD-JWT VC credentials')
export class SdJwtIssuerController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the JWT VC Issuer Metadata of the tenant: the keys of its DIDs that sign SD-JWT VC credentials whose issuer is
   * its address. Public; the host name selects the tenant.
   * @summary Read the JWT VC issuer metadata
   */
  @Get()
  @OperationId('getJwtVcIssuerMetadata')
  @Response(304, 'unchanged')
  @Response<Problem>(404, 'no tenant has this host')
  async issuer(@Request() request: HttpRequest): Promise<JsonObject> {
    return send(request, await this.platform.sdJwtPublished.issuerMetadata(request.headers.host ?? ''), FOR_A_MINUTE)
  }
}
