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
  OIDC_CERTIFICATE_REQUEST,
  OIDC_VERIFIER,
  type OidcVerifierCertificateRequestOut,
  type OidcVerifierIn,
  type OidcVerifierOut,
  type OidcVerifierPageOut,
  toValues,
  verifierToWire,
} from './wire.ts'

@Route('v1/oidc/verifiers')
@Tags('OpenID')
export class OidcVerifiersController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the tenant's verifiers, newest first.
   * @summary List verifiers
   */
  @Get()
  @OperationId('indexOidcVerifier')
  @Security('bearerAuth', ['openid:read'])
  async list(@Request() called: Called, @Queries() query: PageQuery): Promise<OidcVerifierPageOut> {
    const page = toPage(query.limit, query.page)
    const { verifiers, total } = await this.platform.oidcVerifiers.listVerifiers(called.user.tenantId, page)
    return { data: verifiers.map(verifierToWire), ...camelTotals(total, page.limit) }
  }

  /**
   * Creates a verifier: an OpenID provider that signs people in with credentials of their wallets, which a presentation
   * template asks for. Its clients are created below it.
   * @summary Create a verifier
   */
  @Post()
  @OperationId('createOidcVerifier')
  @Security('bearerAuth', ['openid:write'])
  @SuccessResponse(201)
  @Example<OidcVerifierOut>(OIDC_VERIFIER)
  @Response<Problem>(404, 'the tenant has no such presentation template')
  @Response<Problem>(409, 'the tenant has too many verifiers already')
  async create(@Request() called: Called, @Body() body: OidcVerifierIn): Promise<OidcVerifierOut> {
    const created = await this.platform.oidcVerifiers.createVerifier(called.user, toValues(body))
    this.setStatus(201)
    this.setHeader('Location', `/v1/oidc/verifiers/${created.id}`)
    return verifierToWire(created)
  }

  /**
   * Returns a verifier.
   * @summary Read a verifier
   */
  @Get('{id}')
  @OperationId('getOidcVerifier')
  @Security('bearerAuth', ['openid:read'])
  @Example<OidcVerifierOut>(OIDC_VERIFIER)
  async read(@Request() called: Called, @Path() id: Uuid): Promise<OidcVerifierOut> {
    return verifierToWire(await this.platform.oidcVerifiers.readVerifier(called.user.tenantId, id))
  }

  /**
   * Returns a request for a certificate of the P-256 key of the verifier's DID, signed by it. An authority that wallets
   * trust signs the certificate, which becomes the certificate_chain of the verifier.
   * @summary Read the certificate request of a verifier
   */
  @Get('{id}/certificate-request')
  @OperationId('getOidcVerifierCertificateRequest')
  @Security('bearerAuth', ['openid:read'])
  @Example<OidcVerifierCertificateRequestOut>(OIDC_CERTIFICATE_REQUEST)
  @Response<Problem>(400, 'the DID of the verifier has no P-256 key')
  async certificateRequest(@Request() called: Called, @Path() id: Uuid): Promise<OidcVerifierCertificateRequestOut> {
    return { csrPem: await this.platform.oidcVerifiers.requestCertificate(called.user.tenantId, id) }
  }

  /**
   * Changes a verifier. Sign-ins that are under way go on with the new values.
   * @summary Update a verifier
   */
  @Put('{id}')
  @OperationId('updateOidcVerifier')
  @Security('bearerAuth', ['openid:write'])
  @Example<OidcVerifierOut>(OIDC_VERIFIER)
  async update(@Request() called: Called, @Path() id: Uuid, @Body() body: OidcVerifierIn): Promise<OidcVerifierOut> {
    return verifierToWire(await this.platform.oidcVerifiers.updateVerifier(called.user, id, toValues(body)))
  }

  /**
   * Deletes a verifier with its clients and the sessions and tokens of people, and destroys its keys.
   * @summary Delete a verifier
   */
  @Delete('{id}')
  @OperationId('deleteOidcVerifier')
  @Security('bearerAuth', ['openid:write'])
  @SuccessResponse(204)
  async remove(@Request() called: Called, @Path() id: Uuid): Promise<void> {
    await this.platform.oidcVerifiers.deleteVerifier(called.user, id)
  }

  /**
   * Makes new keys for ID tokens. They are published at once, and sign after five minutes, so that clients know them by
   * then; the former ones stay published for a day.
   * @summary Rotate the keys of a verifier
   */
  @Post('{id}/rotate-keys')
  @OperationId('rotateOidcVerifierKeys')
  @Security('bearerAuth', ['openid:write'])
  @SuccessResponse(200)
  @Example<OidcVerifierOut>(OIDC_VERIFIER)
  @Response<Problem>(409, 'the keys were rotated a moment ago')
  async rotate(@Request() called: Called, @Path() id: Uuid): Promise<OidcVerifierOut> {
    return verifierToWire(await this.platform.oidcVerifiers.rotateKeys(called.user, id))
  }
}
