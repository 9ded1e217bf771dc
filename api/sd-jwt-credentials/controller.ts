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
import { type PageQuery, snakeTotals, toPage } from '../frame/pagination.ts'
import type { Problem } from '../frame/problem.ts'
import type { EmptyOut, Uuid } from '../frame/wire.ts'
import {
  detailsToWire,
  rowToWire,
  type SdJwtCredentialDetailsOut,
  type SdJwtCredentialPageOut,
  type SdJwtRevocationIn,
  type SdJwtRevocationOut,
  type SdJwtSignIn,
  type SdJwtSignOut,
  type SdJwtVerifyIn,
  type SdJwtVerifyOut,
  toSignRequest,
  toVerifyRequest,
  verdictToWire,
} from './wire.ts'

interface SdJwtCredentialQuery extends PageQuery {
  /** Returns only credentials with this tag. */
  tag?: string
  /** Returns only credentials of this vct. */
  type?: string
}

const FORMAT = 'sd-jwt-vc'

@Route('v1/credentials/sd-jwt-vc')
@Tags('SD-JWT VC credentials')
export class SdJwtCredentialsController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Signs claims as an SD-JWT VC (dc+sd-jwt), of which its holder discloses what a verifier needs: with ES256, or with EdDSA
   * where the issuer has no P-256 key.
   * @summary Sign an SD-JWT VC
   */
  @Post('sign')
  @OperationId('signSdJwtCredential')
  @Security('bearerAuth', ['sd-jwt-credentials:write'])
  @SuccessResponse(200)
  @Response<Problem>(404, 'there is no such document signer')
  @Response<Problem>(409, 'no issuer is named and none is the default, or the document signer cannot sign')
  @Response<Problem>(503, 'the key store is not available; see Retry-After')
  sign(@Request() called: Called, @Body() body: SdJwtSignIn): Promise<SdJwtSignOut> {
    return this.platform.sdJwtCredentials.signCredential(called.user, toSignRequest(body))
  }

  /**
   * Verifies the SD-JWT VC of any issuer, check by check: form, disclosures, the issuer's key by DID, issuer metadata or
   * certificate, signature, times, key binding, metadata of the type, and status. One that does not verify gives 200.
   * @summary Verify an SD-JWT VC
   */
  @Post('verify')
  @OperationId('verifySdJwtCredential')
  @Security('bearerAuth', ['sd-jwt-credentials:read'])
  @SuccessResponse(200)
  async verify(@Request() called: Called, @Body() body: SdJwtVerifyIn): Promise<SdJwtVerifyOut> {
    const verdict = await this.platform.sdJwtVerifier.verify(called.user.tenantId, toVerifyRequest(body))
    called.noted = { verified: verdict.verified, reason: verdict.faults[0]?.code ?? null }
    return verdictToWire(verdict)
  }

  /**
   * Returns the tenant's SD-JWT VC credentials, newest first.
   * @summary List SD-JWT VC credentials
   */
  @Get()
  @OperationId('listSdJwtCredentials')
  @Security('bearerAuth', ['sd-jwt-credentials:read'])
  async list(@Request() called: Called, @Queries() query: SdJwtCredentialQuery): Promise<SdJwtCredentialPageOut> {
    const { tag, type, limit, page: number } = query
    const page = toPage(limit, number)
    const { credentials, total } = await this.platform.credentials.listNamed(called.user.tenantId, FORMAT, {
      ...page,
      ...(tag !== undefined && { tag }),
      ...(type !== undefined && { type }),
    })
    return { data: credentials.map(({ row, iss }) => rowToWire(row, iss)), ...snakeTotals(total, page.limit) }
  }

  /**
   * Returns a credential as it was issued, with all disclosures.
   * @summary Read an SD-JWT VC
   */
  @Get('{id}')
  @OperationId('getSdJwtCredential')
  @Security('bearerAuth', ['sd-jwt-credentials:read'])
  async read(@Request() called: Called, @Path() id: Uuid): Promise<SdJwtCredentialDetailsOut> {
    return detailsToWire(await this.platform.credentials.readCredential(called.user.tenantId, FORMAT, id))
  }

  /**
   * Returns whether a credential is revoked, as stored; the published list follows shortly after.
   * @summary Read the revocation status of an SD-JWT VC
   */
  @Get('{id}/revocation-status')
  @OperationId('getSdJwtCredentialRevocationStatus')
  @Security('bearerAuth', ['sd-jwt-credentials:read'])
  async readStatus(@Request() called: Called, @Path() id: Uuid): Promise<SdJwtRevocationOut> {
    const { isRevoked } = await this.platform.credentialStatus.readStatus(called.user.tenantId, id, FORMAT)
    return { isRevoked }
  }

  /**
   * Revokes a credential that was signed with revocable true, or undoes its revocation.
   * @summary Set the revocation status of an SD-JWT VC
   */
  @Post('{id}/revocation-status')
  @OperationId('setSdJwtCredentialRevocationStatus')
  @Security('bearerAuth', ['sd-jwt-credentials:write'])
  @SuccessResponse(200)
  async setRevocationStatus(
    @Request() called: Called,
    @Path() id: Uuid,
    @Body() body: SdJwtRevocationIn,
  ): Promise<EmptyOut> {
    await this.platform.credentialStatus.setStatus(called.user, id, body.is_revoked, FORMAT)
    return {}
  }
}
