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
  POLICY,
  toChanges,
  toNewWallet,
  toPolicy,
  WALLET,
  type WalletChangesIn,
  type WalletIn,
  type WalletOut,
  type WalletPageOut,
  type WalletPolicyIn,
  type WalletPolicyOut,
} from './wire.ts'

@Route('v1/openid/wallets')
@Tags('OpenID')
export class RegisteredWalletsController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the registered wallets, newest first.
   * @summary List wallets
   */
  @Get()
  @OperationId('listOpenIdWallets')
  @Security('bearerAuth', ['openid:read'])
  async list(@Request() called: Called, @Queries() query: PageQuery): Promise<WalletPageOut> {
    const page = toPage(query.limit, query.page)
    const { wallets, total } = await this.platform.openIdWallets.listWallets(called.user.tenantId, page)
    return { data: wallets, ...camelTotals(total, page.limit) }
  }

  /**
   * Registers a wallet: the addresses that its codes may go to, and the keys by which it authenticates, if it does.
   * @summary Register a wallet
   */
  @Post()
  @OperationId('createOpenIdWallet')
  @Security('bearerAuth', ['openid:write'])
  @SuccessResponse(201)
  @Example<WalletOut>(WALLET)
  @Response<Problem>(409, 'the tenant has a wallet with this clientId, or as many as it can have')
  async create(@Request() called: Called, @Body() body: WalletIn): Promise<WalletOut> {
    const wallet = await this.platform.openIdWallets.createWallet(called.user, toNewWallet(body))
    this.setStatus(201)
    this.setHeader('Location', `/v1/openid/wallets/${wallet.id}`)
    return wallet
  }

  /**
   * Returns a registered wallet.
   * @summary Read a wallet
   */
  @Get('{id}')
  @OperationId('getOpenIdWallet')
  @Security('bearerAuth', ['openid:read'])
  @Example<WalletOut>(WALLET)
  async read(@Request() called: Called, @Path() id: Uuid): Promise<WalletOut> {
    return this.platform.openIdWallets.readWallet(called.user.tenantId, id)
  }

  /**
   * Changes the members that are sent. `jwks: null`: the wallet does not authenticate any more.
   * @summary Update a wallet
   */
  @Put('{id}')
  @OperationId('updateOpenIdWallet')
  @Security('bearerAuth', ['openid:write'])
  @SuccessResponse(200)
  @Example<WalletOut>(WALLET)
  async update(@Request() called: Called, @Path() id: Uuid, @Body() body: WalletChangesIn): Promise<WalletOut> {
    return this.platform.openIdWallets.updateWallet(called.user, id, toChanges(body))
  }

  /**
   * Deletes a registered wallet. Tokens that it has stay; its codes go to no address of its own any more.
   * @summary Delete a wallet
   */
  @Delete('{id}')
  @OperationId('deleteOpenIdWallet')
  @Security('bearerAuth', ['openid:write'])
  @SuccessResponse(204)
  async delete(@Request() called: Called, @Path() id: Uuid): Promise<void> {
    await this.platform.openIdWallets.deleteWallet(called.user, id)
  }
}

@Route('v1/openid/wallet-policy')
@Tags('OpenID')
export class WalletPolicyController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns what the tenant requires of wallets.
   * @summary Read the requirements of wallets
   */
  @Get()
  @OperationId('getOpenIdWalletPolicy')
  @Security('bearerAuth', ['openid:read'])
  @Example<WalletPolicyOut>(POLICY)
  async read(@Request() called: Called): Promise<WalletPolicyOut> {
    return this.platform.walletPolicies.readPolicy(called.user.tenantId)
  }

  /**
   * Changes the requirements that are sent. They count from the next request of a wallet on.
   * @summary Set the requirements of wallets
   */
  @Put()
  @OperationId('updateOpenIdWalletPolicy')
  @Security('bearerAuth', ['openid:write'])
  @SuccessResponse(200)
  @Example<WalletPolicyOut>(POLICY)
  async update(@Request() called: Called, @Body() body: WalletPolicyIn): Promise<WalletPolicyOut> {
    return this.platform.walletPolicies.updatePolicy(called.user, toPolicy(body))
  }
}
