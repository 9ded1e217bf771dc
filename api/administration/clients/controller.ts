import {
  Body,
  Controller,
  Delete,
  Example,
  Get,
  OperationId,
  Path,
  Post,
  Put,
  Queries,
  Request,
  Response,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime'
import type { Platform } from '../../../activities/index.ts'
import { SCOPES } from '../../../protocol/tokens-logs/index.ts'
import type { Called } from '../../frame/authentication.ts'
import { camelTotals, type PageQuery, toPage } from '../../frame/pagination.ts'
import type { Problem } from '../../frame/problem.ts'
import type { Uuid } from '../../frame/wire.ts'
import {
  clientToWire,
  clientWithSecretToWire,
  OAUTH2_CLIENT,
  OAUTH2_CLIENT_WITH_SECRET,
  type OAuth2ClientIn,
  type OAuth2ClientOut,
  type OAuth2ClientPageOut,
  type OAuth2ClientSecretOut,
  type OAuth2ClientUpdateIn,
} from './wire.ts'

/** Of what a tenant grants, what the caller has: nobody grants more. */
const grantableBy = ({ caller }: Called) => SCOPES.filter((scope) => caller?.scopes.includes(scope))

@Route('v1/oauth2/clients')
@Tags('Administration')
export class OAuth2ClientsController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the tenant's clients, newest first, without secrets.
   * @summary List OAuth 2.0 clients
   */
  @Get()
  @OperationId('getOAuth2Clients')
  @Security('bearerAuth', ['administration:read'])
  async list(@Request() called: Called, @Queries() query: PageQuery): Promise<OAuth2ClientPageOut> {
    const page = toPage(query.limit, query.page)
    const { clients, total } = await this.platform.oauth2Clients.listOAuth2Clients(called.user.tenantId, page)
    return { data: clients.map(clientToWire), ...camelTotals(total, page.limit) }
  }

  /**
   * Creates a client: a program that calls the API for this tenant. Its secret is shown only here. It cannot get a scope that the access token of the request does not have.
   * @summary Create an OAuth 2.0 client
   */
  @Post()
  @OperationId('createOAuth2Client')
  @Security('bearerAuth', ['administration:write'])
  @SuccessResponse(201)
  @Example<OAuth2ClientSecretOut>(OAUTH2_CLIENT_WITH_SECRET)
  @Response<Problem>(403, 'the access token lacks administration:write, or a scope that the client would get')
  @Response<Problem>(409, 'the tenant has as many clients as it can have')
  async create(@Request() called: Called, @Body() body: OAuth2ClientIn): Promise<OAuth2ClientSecretOut> {
    const created = await this.platform.oauth2Clients.createOAuth2Client(called.user, body, grantableBy(called))
    this.setStatus(201)
    this.setHeader('Location', `/v1/oauth2/clients/${created.id}`)
    return clientWithSecretToWire(created)
  }

  /**
   * Returns a client without its secret.
   * @summary Read an OAuth 2.0 client
   */
  @Get('{id}')
  @OperationId('getOAuth2Client')
  @Security('bearerAuth', ['administration:read'])
  @Example<OAuth2ClientOut>(OAUTH2_CLIENT)
  async read(@Request() called: Called, @Path() id: Uuid): Promise<OAuth2ClientOut> {
    return clientToWire(await this.platform.oauth2Clients.readOAuth2Client(called.user.tenantId, id))
  }

  /**
   * Renames a client, gives it other scopes or a new secret, or all of it. Scopes that are taken away end in its access tokens within 5 seconds; new ones are in the tokens that it gets from now on. It cannot get a scope that the access token of the request does not have, and keeps those that it has already if the request names them. The new secret is shown only here. The secret before is wrong at once, or after secret_grace_seconds; one before that is wrong at once in any case.
   * @summary Update an OAuth 2.0 client
   */
  @Put('{id}')
  @OperationId('updateOAuth2Client')
  @Security('bearerAuth', ['administration:write'])
  @Example<OAuth2ClientSecretOut>(OAUTH2_CLIENT_WITH_SECRET)
  @Response<Problem>(
    403,
    'the access token lacks administration:write, or a scope that the client would get, or a scope of the client that gets a secret',
  )
  async update(
    @Request() called: Called,
    @Path() id: Uuid,
    @Body() body: OAuth2ClientUpdateIn,
  ): Promise<OAuth2ClientSecretOut> {
    const { name, scopes, reset_secret: resetSecret, secret_grace_seconds: grace } = body
    const change = { name, scopes, resetSecret, graceSeconds: grace ?? 0 }
    const grantable = grantableBy(called)
    return clientWithSecretToWire(
      await this.platform.oauth2Clients.updateOAuth2Client(called.user, id, change, grantable),
    )
  }

  /**
   * Deletes a client. It gets no tokens any more, and those that it has end within 5 seconds.
   * @summary Delete an OAuth 2.0 client
   */
  @Delete('{id}')
  @OperationId('deleteOAuth2Client')
  @Security('bearerAuth', ['administration:write'])
  @SuccessResponse(204)
  async remove(@Request() called: Called, @Path() id: Uuid): Promise<void> {
    await this.platform.oauth2Clients.deleteOAuth2Client(called.user, id)
  }
}
