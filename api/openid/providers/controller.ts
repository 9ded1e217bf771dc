import {
  Body,
  Controller,
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
import type { Called } from '../../frame/authentication.ts'
import { type PageQuery, snakeTotals, toPage } from '../../frame/pagination.ts'
import type { Problem } from '../../frame/problem.ts'
import type { Uuid } from '../../frame/wire.ts'
import {
  type AuthenticationProviderIn,
  type AuthenticationProviderOut,
  type AuthenticationProviderPageOut,
  type AuthenticationProviderUpdateIn,
  newProvider,
  PROVIDER,
  providerToWire,
  valuesOf,
} from './wire.ts'

@Route('v1/users/authentication-providers')
@Tags('OpenID')
export class AuthenticationProvidersController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the tenant's authentication providers, newest first, without their secrets.
   * @summary List authentication providers
   */
  @Get()
  @OperationId('listAuthenticationProvider')
  @Security('bearerAuth', ['openid:read'])
  async list(@Request() called: Called, @Queries() query: PageQuery): Promise<AuthenticationProviderPageOut> {
    const page = toPage(query.limit, query.page)
    const { providers, total } = await this.platform.authenticationProviders.listProviders(called.user.tenantId, page)
    return { data: providers.map(providerToWire), ...snakeTotals(total, page.limit) }
  }

  /**
   * Creates an authentication provider: an OpenID provider elsewhere that identifies holders before they get a credential.
   * The platform reads its metadata, and refuses an issuer that does not answer, that names another issuer, or that does
   * not support the code flow with PKCE.
   * @summary Create an authentication provider
   */
  @Post()
  @OperationId('createAuthenticationProvider')
  @Security('bearerAuth', ['openid:write'])
  @SuccessResponse(200)
  @Example<AuthenticationProviderOut>(PROVIDER)
  @Response<Problem>(409, 'the tenant has too many authentication providers already')
  async create(@Request() called: Called, @Body() body: AuthenticationProviderIn): Promise<AuthenticationProviderOut> {
    return providerToWire(await this.platform.authenticationProviders.createProvider(called.user, newProvider(body)))
  }

  /**
   * Returns an authentication provider without its secret.
   * @summary Read an authentication provider
   */
  @Get('{id}')
  @OperationId('getAuthenticationProvider')
  @Security('bearerAuth', ['openid:read'])
  @Example<AuthenticationProviderOut>(PROVIDER)
  async read(@Request() called: Called, @Path() id: Uuid): Promise<AuthenticationProviderOut> {
    return providerToWire(await this.platform.authenticationProviders.readProvider(called.user.tenantId, id))
  }

  /**
   * Changes the members that the body gives; one that is absent or null keeps its value. The issuer stays: users are of it.
   * @summary Update an authentication provider
   */
  @Put('{id}')
  @OperationId('updateAuthenticationProvider')
  @Security('bearerAuth', ['openid:write'])
  @Example<AuthenticationProviderOut>(PROVIDER)
  @Response<Problem>(409, 'another request changed the provider at the same time')
  async update(
    @Request() called: Called,
    @Path() id: Uuid,
    @Body() body: AuthenticationProviderUpdateIn,
  ): Promise<AuthenticationProviderOut> {
    return providerToWire(await this.platform.authenticationProviders.updateProvider(called.user, id, valuesOf(body)))
  }
}
