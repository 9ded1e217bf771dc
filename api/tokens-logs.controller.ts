import type { Request as HttpRequest } from 'express'
import {
  Body,
  Controller,
  Example,
  Get,
  OperationId,
  Post,
  Queries,
  Request,
  Response,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from 'tsoa'
import type { Platform } from '../activities/index.ts'
import type { TokenRequest } from '../activities/tokens-logs.tokens.ts'
import { Refusal } from '../protocol/errors.ts'
import type { Called } from './authentication.ts'
import { camelTotals, type PageQuery, toPage } from './pagination.ts'
import type { Problem } from './problem.ts'
import type { Uuid } from './semantic-credentials.wire.ts'

/** Client credentials (RFC 6749 section 4.4), in this API's casing or in OAuth's own, as JSON or as a form. */
interface TokenIn {
  clientId?: string
  clientSecret?: string
  /** client_credentials */
  grantType?: string
  /** Scopes, separated by spaces; none: all that the client holds. */
  scope?: string | null
  client_id?: string
  client_secret?: string
  grant_type?: string
  /** Accepted and not used: there is one audience, this API. */
  audience?: string
}

interface TokenOut {
  access_token: string
  /** Seconds. */
  expires_in: number
  token_type: 'Bearer'
  scope: string
}

interface LogFilterIn {
  /**
   * E.g. did, credential-web-semantic. Empty: all.
   * @maxItems 100
   */
  categories: string[]
  /**
   * E.g. DID_CREATE_SUCCESS. Empty: all. An entry matches by category or by type.
   * @maxItems 100
   */
  types: string[]
  /**
   * Ids of log entries. Empty: all.
   * @maxItems 1000
   */
  ids: Uuid[]
  /**
   * The `x-request-id` of answers. Empty: all.
   * @maxItems 1000
   */
  requestIds: Uuid[]
  /** Inclusive. */
  dateFrom: Date
  /** Inclusive. */
  dateTo: Date
}

interface LogEntryOut {
  id: string
  category: string
  type: string
  timestamp: string
  /** JSON. */
  data: string
  /** JSON. */
  metadata: string
  requestId: string
}

interface LogPageOut {
  data: LogEntryOut[]
  limit: number
  totalCount: number
  totalPages: number
}

const required = (value: string | undefined, name: string): string => {
  if (value) return value
  throw new Refusal('request.invalid', `${name} is required.`, [
    { path: name, code: 'required', message: 'expected a text' },
  ])
}

/** The schema lets ISO 8601 forms through that no Date reads, such as week dates, and zones that lead out of four-digit years. */
const readable = (date: Date, name: string): Date => {
  const year = date.getUTCFullYear()
  if (year >= 1 && year <= 9999) return date
  throw new Refusal('request.invalid', `${name} is not a date-time.`, [
    { path: name, code: 'date_time', message: 'expected the form 2027-01-31T12:00:00Z' },
  ])
}

const toTokenRequest = (body: TokenIn): TokenRequest => ({
  clientId: required(body.clientId ?? body.client_id, 'clientId'),
  clientSecret: required(body.clientSecret ?? body.client_secret, 'clientSecret'),
  grantType: required(body.grantType ?? body.grant_type, 'grantType'),
  scope: body.scope,
})

@Route('v1')
@Tags('Tokens and logs')
export class TokensLogsController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * An access token for a client.
   * @summary Ask for an access token
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
    const { accessToken, expiresIn, scopes } = await this.platform.tokens.issueToken(toTokenRequest(body), (client) =>
      Object.assign(request.res?.locals ?? {}, client),
    )
    return { access_token: accessToken, expires_in: expiresIn, token_type: 'Bearer', scope: scopes.join(' ') }
  }

  /**
   * What happened in the tenant, newest first.
   * @summary Search the log
   */
  @Post('analytics/events')
  @OperationId('getListOfLogs')
  @Security('bearerAuth', ['logs:read'])
  @SuccessResponse(200)
  @Response<Problem>(400, 'a filter is not usable')
  @Response<Problem>(401, 'no valid access token')
  @Response<Problem>(403, 'the access token lacks the scope')
  async listLogs(
    @Request() called: Called,
    @Body() body: LogFilterIn,
    @Queries() query: PageQuery,
  ): Promise<LogPageOut> {
    const page = toPage(query.limit, query.page)
    const { dateFrom, dateTo, ...filter } = body
    const { entries, total } = await this.platform.tokensLogs.listLogs(called.user.tenantId, {
      ...filter,
      from: readable(dateFrom, 'dateFrom'),
      to: readable(dateTo, 'dateTo'),
      ...page,
    })
    return {
      data: entries.map(({ id, category, type, timestamp, data, metadata, requestId }) => ({
        id,
        category,
        type,
        timestamp: timestamp.toISOString(),
        data: JSON.stringify(data),
        metadata: JSON.stringify(metadata),
        requestId,
      })),
      ...camelTotals(total, page.limit),
    }
  }
}

@Route('.well-known')
@Tags('Tokens and logs')
export class TokenKeysController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * The public keys that verify our access tokens.
   * @summary Read the token keys
   */
  @Get('jwks.json')
  @OperationId('getTokenKeySet')
  async keySet(): Promise<{ keys: { [member: string]: unknown }[] }> {
    this.setHeader('Cache-Control', 'public, max-age=300')
    this.setHeader('Access-Control-Allow-Origin', '*')
    return { keys: (await this.platform.tokens.keySet()).keys.map((key) => ({ ...key })) }
  }
}
