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
  clientToWire,
  OIDC_CLIENT,
  type OidcVerifierClientIn,
  type OidcVerifierClientOut,
  type OidcVerifierClientPageOut,
  type OidcVerifierClientSecretOut,
  toClientValues,
} from './wire.ts'

@Route('v1/oidc/verifiers/{id}/clients')
@Tags('OpenID')
export class OidcVerifierClientsController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the clients of a verifier, newest first, without their secrets.
   * @summary List clients of a verifier
   */
  @Get()
  @OperationId('getListOfOidcVerifierClient')
  @Security('bearerAuth', ['openid:read'])
  async list(
    @Request() called: Called,
    @Path() id: Uuid,
    @Queries() query: PageQuery,
  ): Promise<OidcVerifierClientPageOut> {
    const page = toPage(query.limit, query.page)
    const { clients, total } = await this.platform.oidcClients.listClients(called.user.tenantId, id, page)
    return { data: clients.map(clientToWire), ...camelTotals(total, page.limit) }
  }

  /**
   * Creates a client of a verifier: a relying party that people sign in to. The secret is shown only here.
   * @summary Create a client of a verifier
   */
  @Post()
  @OperationId('createOidcVerifierClient')
  @Security('bearerAuth', ['openid:write'])
  @SuccessResponse(201)
  @Response<Problem>(409, 'the verifier has too many clients already')
  async create(
    @Request() called: Called,
    @Path() id: Uuid,
    @Body() body: OidcVerifierClientIn,
  ): Promise<OidcVerifierClientSecretOut> {
    const created = await this.platform.oidcClients.createClient(called.user, id, toClientValues(body))
    this.setStatus(201)
    this.setHeader('Location', `/v1/oidc/verifiers/${id}/clients/${created.id}`)
    return clientToWire(created)
  }

  /**
   * Returns a client without its secret.
   * @summary Read a client of a verifier
   */
  @Get('{clientId}')
  @OperationId('getOidcVerifierClient')
  @Security('bearerAuth', ['openid:read'])
  @Example<OidcVerifierClientOut>(OIDC_CLIENT)
  async read(@Request() called: Called, @Path() id: Uuid, @Path() clientId: Uuid): Promise<OidcVerifierClientOut> {
    return clientToWire(await this.platform.oidcClients.readClient(called.user.tenantId, id, clientId))
  }

  /**
   * Changes a client. It keeps its secret; one that had none and now needs one gets it, and it is shown only here.
   * @summary Update a client of a verifier
   */
  @Put('{clientId}')
  @OperationId('updateOidcVerifierClient')
  @Security('bearerAuth', ['openid:write'])
  @Example<OidcVerifierClientSecretOut>(OIDC_CLIENT)
  async update(
    @Request() called: Called,
    @Path() id: Uuid,
    @Path() clientId: Uuid,
    @Body() body: OidcVerifierClientIn,
  ): Promise<OidcVerifierClientSecretOut> {
    return clientToWire(await this.platform.oidcClients.updateClient(called.user, id, clientId, toClientValues(body)))
  }

  /**
   * Deletes a client. Its tokens end with it.
   * @summary Delete a client of a verifier
   */
  @Delete('{clientId}')
  @OperationId('deleteOidcVerifierClient')
  @Security('bearerAuth', ['openid:write'])
  @SuccessResponse(204)
  async remove(@Request() called: Called, @Path() id: Uuid, @Path() clientId: Uuid): Promise<void> {
    await this.platform.oidcClients.deleteClient(called.user, id, clientId)
  }
}
