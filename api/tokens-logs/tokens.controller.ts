import {
  Body,
  Controller,
  Example,
  Get,
  OperationId,
  Post,
  Request,
  Response,
  Route,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime'
import type { Request as HttpRequest } from 'express'
import type { Platform } from '../../activities/index.ts'
import type { TokenRequest } from '../../activities/tokens-logs/tokens.ts'
import { Refusal } from '../../protocol/errors.ts'
import { usesBasic } from '../frame/limits/tokens.ts'
import type { Problem } from '../frame/problem.ts'
import type { Count, JsonObject } from '../frame/wire.ts'

/**
 * Client credentials (RFC 6749 section 4.4), in this API's casing or in OAuth's own, as JSON or as a form; id and secret
 * may also come in the Authorization header as Basic.
 */
export interface TokenIn {
  clientId?: string
  clientSecret?: string
  /** client_credentials */
  grantType?: string
  /** Scopes, separated by spaces. Default: all scopes of the client. */
  scope?: string | null
  client_id?: string
  client_secret?: string
  grant_type?: string
  /** Not used: the only audience is this API. */
  audience?: string
}

/** A public key as a JSON Web Key (RFC 7517). */
export type PublicJwk = JsonObject

interface KeySetOut {
  keys: PublicJwk[]
}

interface TokenOut {
  access_token: string
  /** Seconds until the token ends. */
  expires_in: Count
  token_type: 'Bearer'
  /** The scopes of the token, separated by spaces. */
  scope: string
}

const required = (value: string | undefined, name: string): string => {
  if (value) return value
  throw new Refusal('request.invalid', `${name} is missing; send it in the body.`, [
    { path: name, code: 'required', message: 'expected a text' },
  ])
}

/** The credentials were checked before (limits/tokens.ts); this refuses a request without them. */
function toTokenRequest(body: TokenIn, request: HttpRequest): TokenRequest {
  const { client, clientId } = request
  if (!usesBasic(request)) {
    required(body.clientId ?? body.client_id, 'clientId')
    required(body.clientSecret ?? body.client_secret, 'clientSecret')
  } else if (clientId === undefined)
    throw new Refusal('request.invalid', 'The Authorization header has no client credentials; see errors.', [
      {
        path: 'Authorization',
        code: 'header',
        message: 'expected Basic with base64 of id:secret, and neither of them in the body',
      },
    ])
  return { client, grantType: required(body.grantType ?? body.grant_type, 'grantType'), scope: body.scope }
}

@Route('v1')
@Tags('Tokens and logs')
export class TokensController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns an access token for a client, whose id and secret come in the body, or as HTTP Basic. Requests with the
   * correct secret count for the client's limit per minute; failed requests count for their address and for the client
   * id that they name.
   * @summary Get an access token
   */
  @Post('auth/token')
  @OperationId('getOAuthAccessToken')
  @SuccessResponse(200)
  @Example<TokenOut>({
    access_token: 'eyJhbGciOiJFZERTQSJ9.e30.c2lnbmF0dXJl',
    expires_in: 3600,
    token_type: 'Bearer',
    scope: 'dids:read dids:write',
  })
  @Response<Problem>(400, 'unknown grant or scope')
  @Response<Problem>(401, 'unknown client or wrong secret')
  async getToken(@Request() request: HttpRequest, @Body() body: TokenIn): Promise<TokenOut> {
    const tokenRequest = toTokenRequest(body, request)
    const { accessToken, expiresIn, scopes } = await this.platform.tokens.issueToken(tokenRequest)
    return { access_token: accessToken, expires_in: expiresIn, token_type: 'Bearer', scope: scopes.join(' ') }
  }
}

@Route('.well-known')
@Tags('Tokens and logs')
export class TokenKeysController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the public keys that verify access tokens.
   * @summary Read the token keys
   */
  @Get('jwks.json')
  @OperationId('getTokenKeySet')
  async keySet(): Promise<KeySetOut> {
    this.setHeader('Cache-Control', 'public, max-age=300')
    this.setHeader('Access-Control-Allow-Origin', '*')
    return { keys: (await this.platform.tokens.keySet()).keys.map((key) => ({ ...key })) }
  }
}
