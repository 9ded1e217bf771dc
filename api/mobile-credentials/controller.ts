import {
  Body,
  Controller,
  Get,
  OperationId,
  Path,
  Post,
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
  detailsToWire,
  type MobileCredentialDetailsOut,
  type MobileCredentialPageOut,
  type MobileSignIn,
  type MobileSignOut,
  type MobileVerifyIn,
  type MobileVerifyOut,
  rowToWire,
  toSignRequest,
} from './credentials.wire.ts'

interface MobileCredentialQuery extends PageQuery {
  /** Returns only credentials of this document type. */
  docType?: string
}

@Route('v1/credentials/mobile')
@Tags('Mobile credentials')
export class MobileCredentialsController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Signs a mobile credential (mdoc, ISO/IEC 18013-5) as a document signer of the tenant.
   * @summary Sign a mobile credential
   */
  @Post('sign')
  @OperationId('signMobileCredential')
  @Security('bearerAuth', ['mobile-credentials:write'])
  @SuccessResponse(200)
  @Response<Problem>(404, 'there is no such document signer')
  @Response<Problem>(409, 'the document signer is inactive, expired or revoked, or the tenant has none that can sign')
  @Response<Problem>(503, 'the key store is not available; see Retry-After')
  sign(@Request() called: Called, @Body() body: MobileSignIn): Promise<MobileSignOut> {
    return this.platform.mobileSigning.signMobileCredential(called.user, toSignRequest(body))
  }

  /**
   * Verifies IssuerSigned or a DeviceResponse against the tenant's active IACAs, own and imported ones, or
   * against the enforced trust lists of the tenant. A credential that
   * does not verify gives 200, with every failed check in `reason`. With `session` the device must have authenticated
   * the response; `warnings` says what was not checked.
   * @summary Verify a mobile credential
   */
  @Post('verify')
  @OperationId('verifyMobileCredential')
  @Security('bearerAuth', ['mobile-credentials:read'])
  @SuccessResponse(200)
  async verify(@Request() called: Called, @Body() body: MobileVerifyIn): Promise<MobileVerifyOut> {
    const verdict = await this.platform.mobileVerifier.verifyMobileCredential(called.user.tenantId, body)
    called.noted = { verified: verdict.verified, reason: verdict.reason[0]?.type ?? null }
    return verdict
  }

  /**
   * Returns the tenant's mobile credentials, newest first.
   * @summary List mobile credentials
   */
  @Get()
  @OperationId('listMobileCredentials')
  @Security('bearerAuth', ['mobile-credentials:read'])
  async list(@Request() called: Called, @Queries() query: MobileCredentialQuery): Promise<MobileCredentialPageOut> {
    const page = toPage(query.limit, query.page)
    const filter = { ...page, type: query.docType }
    const { rows, total } = await this.platform.mobileReader.listMobileCredentials(called.user.tenantId, filter)
    return { data: rows.map(rowToWire), ...camelTotals(total, page.limit) }
  }

  /**
   * Returns a mobile credential as it was issued.
   * @summary Read a mobile credential
   */
  @Get('{id}')
  @OperationId('getMobileCredential')
  @Security('bearerAuth', ['mobile-credentials:read'])
  async read(@Request() called: Called, @Path() id: Uuid): Promise<MobileCredentialDetailsOut> {
    return detailsToWire(await this.platform.mobileReader.readMobileCredential(called.user.tenantId, id))
  }
}
