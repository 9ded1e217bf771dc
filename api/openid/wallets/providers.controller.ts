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
import type { Called } from '../../frame/authentication.ts'
import { camelTotals, type PageQuery, toPage } from '../../frame/pagination.ts'
import type { Problem } from '../../frame/problem.ts'
import type { Uuid } from '../../frame/wire.ts'
import {
  providerToWire,
  toProvider,
  toProviderChanges,
  WALLET_PROVIDER,
  type WalletProviderChangesIn,
  type WalletProviderIn,
  type WalletProviderOut,
  type WalletProviderPageOut,
} from './providers.wire.ts'

@Route('v1/openid/wallet-providers')
@Tags('OpenID')
export class WalletProvidersController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the wallet providers that the tenant trusts, newest first.
   * @summary List wallet providers
   */
  @Get()
  @OperationId('listOpenIdWalletProviders')
  @Security('bearerAuth', ['openid:read'])
  async list(@Request() called: Called, @Queries() query: PageQuery): Promise<WalletProviderPageOut> {
    const page = toPage(query.limit, query.page)
    const { providers, total } = await this.platform.walletProviders.listProviders(called.user.tenantId, page)
    return { data: providers.map(providerToWire), ...camelTotals(total, page.limit) }
  }

  /**
   * Trusts the maker of a wallet: what it attests of its wallets, or of the keys in them, counts from now on, where one of
   * its certificates or keys leads to the signature.
   * @summary Trust a wallet provider
   */
  @Post()
  @OperationId('createOpenIdWalletProvider')
  @Security('bearerAuth', ['openid:write'])
  @SuccessResponse(201)
  @Example<WalletProviderOut>(WALLET_PROVIDER)
  @Response<Problem>(409, 'the tenant has as many as it can have')
  async create(@Request() called: Called, @Body() body: WalletProviderIn): Promise<WalletProviderOut> {
    const provider = await this.platform.walletProviders.createProvider(called.user, toProvider(body))
    this.setStatus(201)
    this.setHeader('Location', `/v1/openid/wallet-providers/${provider.id}`)
    return providerToWire(provider)
  }

  /**
   * Returns a wallet provider.
   * @summary Read a wallet provider
   */
  @Get('{id}')
  @OperationId('getOpenIdWalletProvider')
  @Security('bearerAuth', ['openid:read'])
  @Example<WalletProviderOut>(WALLET_PROVIDER)
  async read(@Request() called: Called, @Path() id: Uuid): Promise<WalletProviderOut> {
    return providerToWire(await this.platform.walletProviders.readProvider(called.user.tenantId, id))
  }

  /**
   * Changes the members that are sent.
   * @summary Update a wallet provider
   */
  @Put('{id}')
  @OperationId('updateOpenIdWalletProvider')
  @Security('bearerAuth', ['openid:write'])
  @SuccessResponse(200)
  @Example<WalletProviderOut>(WALLET_PROVIDER)
  async update(
    @Request() called: Called,
    @Path() id: Uuid,
    @Body() body: WalletProviderChangesIn,
  ): Promise<WalletProviderOut> {
    const changes = toProviderChanges(body)
    return providerToWire(await this.platform.walletProviders.updateProvider(called.user, id, changes))
  }

  /**
   * Trusts a wallet provider no more: nothing that it attests counts from now on. Credentials that were issued stay.
   * @summary Delete a wallet provider
   */
  @Delete('{id}')
  @OperationId('deleteOpenIdWalletProvider')
  @Security('bearerAuth', ['openid:write'])
  @SuccessResponse(204)
  async delete(@Request() called: Called, @Path() id: Uuid): Promise<void> {
    await this.platform.walletProviders.deleteProvider(called.user, id)
  }
}
