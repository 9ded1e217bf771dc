import {
  Body,
  Controller,
  Delete,
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
import type { Platform } from '../../activities/index.ts'
import type { Called } from '../frame/authentication.ts'
import { camelTotals, type PageQuery, toPage } from '../frame/pagination.ts'
import type { Problem } from '../frame/problem.ts'
import type { Uuid } from '../frame/wire.ts'
import {
  type DocumentSignerIn,
  type DocumentSignerOut,
  type DocumentSignerPageOut,
  type DocumentSignerUpdateIn,
  signerToWire,
} from './wire.ts'

@Route('v1/credentials/mobile/document-signers')
@Tags('Mobile credentials')
export class DocumentSignersController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Creates a key that signs mobile credentials, with a certificate of an IACA of the tenant. Where the key of the IACA
   * is elsewhere, the response has a certificate request instead; the update takes the certificate.
   * @summary Create a document signer
   */
  @Post()
  @OperationId('createMobileCredentialsDocumentSigner')
  @Security('bearerAuth', ['mobile-credentials:write'])
  @SuccessResponse(201)
  @Response<Problem>(404, 'there is no such IACA')
  @Response<Problem>(409, 'the tenant has five live document signers, or no IACA that can certify one')
  @Response<Problem>(503, 'the key store is not available; see Retry-After')
  async create(@Request() called: Called, @Body() body: DocumentSignerIn): Promise<DocumentSignerOut> {
    this.setStatus(201)
    return signerToWire(await this.platform.documentSigners.createSigner(called.user, body))
  }

  /**
   * Returns the tenant's document signers, newest first.
   * @summary List document signers
   */
  @Get()
  @OperationId('listMobileCredentialsDocumentSigners')
  @Security('bearerAuth', ['mobile-credentials:read'])
  async list(@Request() called: Called, @Queries() query: PageQuery): Promise<DocumentSignerPageOut> {
    const page = toPage(query.limit, query.page)
    const { signers, total } = await this.platform.documentSigners.listSigners(called.user.tenantId, page)
    return { data: signers.map(signerToWire), ...camelTotals(total, page.limit) }
  }

  /**
   * Returns a document signer with its certificate.
   * @summary Read a document signer
   */
  @Get('{id}')
  @OperationId('getMobileCredentialsDocumentSigner')
  @Security('bearerAuth', ['mobile-credentials:read'])
  async read(@Request() called: Called, @Path() id: Uuid): Promise<DocumentSignerOut> {
    return signerToWire(await this.platform.documentSigners.readSigner(called.user.tenantId, id))
  }

  /**
   * Activates or deactivates a document signer, or gives it the certificate that another authority signed.
   * @summary Update a document signer
   */
  @Put('{id}')
  @OperationId('updateMobileCredentialsDocumentSigner')
  @Security('bearerAuth', ['mobile-credentials:write'])
  @Response<Problem>(409, 'the document signer cannot be activated, or needs no certificate')
  async update(
    @Request() called: Called,
    @Path() id: Uuid,
    @Body() body: DocumentSignerUpdateIn,
  ): Promise<DocumentSignerOut> {
    return signerToWire(await this.platform.documentSigners.updateSigner(called.user, id, body))
  }

  /**
   * Revokes the certificate of a document signer for ever. The credentials that it signed no longer verify.
   * @summary Revoke a document signer
   */
  @Post('{id}/revoke')
  @OperationId('revokeMobileCredentialsDocumentSigner')
  @Security('bearerAuth', ['mobile-credentials:write'])
  @SuccessResponse(200)
  async revoke(@Request() called: Called, @Path() id: Uuid): Promise<DocumentSignerOut> {
    return signerToWire(await this.platform.documentSigners.revokeSigner(called.user, id))
  }

  /**
   * Deletes a document signer and destroys its key. The credentials that it signed still verify.
   * @summary Delete a document signer
   */
  @Delete('{id}')
  @OperationId('deleteMobileCredentialsDocumentSigner')
  @Security('bearerAuth', ['mobile-credentials:write'])
  @SuccessResponse(204)
  async remove(@Request() called: Called, @Path() id: Uuid): Promise<void> {
    await this.platform.documentSigners.deleteSigner(called.user, id)
  }
}
