import {
  Body,
  Controller,
  Example,
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
import { jtiOfUuid } from '../../protocol/compact-credentials/cwt.ts'
import type { Profile } from '../../protocol/compact-credentials/text.ts'
import type { Called } from '../frame/authentication.ts'
import { ofMember } from '../frame/members.ts'
import { type PageQuery, snakeTotals, toPage } from '../frame/pagination.ts'
import type { Problem } from '../frame/problem.ts'
import type { EmptyOut } from '../frame/wire.ts'
import { SEMANTIC_VERIFY_EXAMPLE } from './examples.ts'
import { namedCredential, noteVerdict } from './noted.ts'
import {
  type CompactRevocationIn,
  type CompactRevocationOut,
  type CompactSemanticId,
  type CompactSemanticOut,
  type CompactSemanticPageOut,
  type CompactSemanticSignIn,
  type CompactSemanticSignOut,
  type CompactSemanticVerifyOut,
  type CompactVerifyIn,
  rowToWire,
  verifyRequest,
  wantedRevocation,
} from './wire.ts'

interface CompactSemanticQuery extends PageQuery {
  /** Returns only credentials with this tag. */
  tag?: string
  /** Returns only credentials of this type. */
  type?: string
}

const PROFILE: Profile = 'compact-semantic'

@Route('v1/credentials/compact-semantic')
@Tags('Compact credentials')
export class CompactSemanticCredentialsController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Signs a W3C credential as a CWT with ES256, or with EdDSA where the issuer has no P-256 key.
   * @summary Sign a compact-semantic credential
   */
  @Post('sign')
  @OperationId('signCompactSemanticCredential')
  @Security('bearerAuth', ['compact-credentials:write'])
  @SuccessResponse(200)
  @Response<Problem>(409, 'no issuer is named and none is the default, or the Idempotency-Key is in use')
  @Response<Problem>(503, 'the key store is not available; see Retry-After')
  async sign(@Request() called: Called, @Body() body: CompactSemanticSignIn): Promise<CompactSemanticSignOut> {
    const signing = this.platform.compactCredentials.signCredential(called.user, PROFILE, body)
    const { id, encoded, decoded } = await ofMember('payload', signing)
    return { id: jtiOfUuid(id, PROFILE), encoded, decoded: { ...decoded } }
  }

  /**
   * Verifies the compact-semantic credential of any issuer. One that does not verify gives 200 with the first check that failed.
   * In place of `payload`, a form takes a PNG, JPEG or PDF with the QR code of one credential.
   * @summary Verify a compact-semantic credential
   */
  @Post('verify')
  @OperationId('verifyCompactSemanticCredential')
  @Security('bearerAuth', ['compact-credentials:read'])
  @SuccessResponse(200)
  @Example<CompactSemanticVerifyOut>(SEMANTIC_VERIFY_EXAMPLE)
  @Response<Problem>(413, 'the file is larger than 1 MiB, or has more than 16,000,000 pixels')
  @Response<Problem>(415, 'the file is no PNG, JPEG or PDF')
  async verify(@Request() called: Called, @Body() body: CompactVerifyIn): Promise<CompactSemanticVerifyOut> {
    const { user, sentFile } = called
    const verdict = await this.platform.compactScans.verify(user.tenantId, PROFILE, verifyRequest(body, sentFile))
    noteVerdict(called, verdict)
    const { verified, decoded, error, trust } = verdict
    return { verified, ...(decoded && { decoded: { ...decoded } }), ...(error && { error }), ...(trust && { trust }) }
  }

  /**
   * Returns the tenant's compact-semantic credentials, newest first.
   * @summary List compact-semantic credentials
   */
  @Get()
  @OperationId('listCompactSemanticCredentials')
  @Security('bearerAuth', ['compact-credentials:read'])
  async list(@Request() called: Called, @Queries() query: CompactSemanticQuery): Promise<CompactSemanticPageOut> {
    const { tag, type, limit, page: number } = query
    const page = toPage(limit, number)
    const filter = { tag, type, ...page }
    const { credentials, total } = await this.platform.credentials.listCredentials(
      called.user.tenantId,
      PROFILE,
      filter,
    )
    return { data: credentials.map((row) => rowToWire(row, PROFILE)), ...snakeTotals(total, page.limit) }
  }

  /**
   * Returns a credential as it was issued.
   * @summary Read a compact-semantic credential
   */
  @Get('{id}')
  @OperationId('getCompactSemanticCredential')
  @Security('bearerAuth', ['compact-credentials:read'])
  async read(@Request() called: Called, @Path() id: CompactSemanticId): Promise<CompactSemanticOut> {
    const uuid = namedCredential(called, id)
    return rowToWire(await this.platform.credentials.readCredential(called.user.tenantId, PROFILE, uuid), PROFILE)
  }

  /**
   * Returns whether a credential is revoked, as stored; the published list follows shortly after.
   * @summary Read the revocation status of a compact-semantic credential
   */
  @Get('{id}/revocation-status')
  @OperationId('getCompactSemanticCredentialRevocationStatus')
  @Security('bearerAuth', ['compact-credentials:read'])
  async readStatus(@Request() called: Called, @Path() id: CompactSemanticId): Promise<CompactRevocationOut> {
    const uuid = namedCredential(called, id)
    const { isRevoked } = await this.platform.credentialStatus.readStatus(called.user.tenantId, uuid, PROFILE)
    return { isRevoked }
  }

  /**
   * Revokes a credential, or undoes its revocation.
   * @summary Set the revocation status of a compact-semantic credential
   */
  @Post('{id}/revocation-status')
  @OperationId('setCompactSemanticCredentialRevocationStatus')
  @Security('bearerAuth', ['compact-credentials:write'])
  @SuccessResponse(200)
  async setRevocationStatus(
    @Request() called: Called,
    @Path() id: CompactSemanticId,
    @Body() body: CompactRevocationIn,
  ): Promise<EmptyOut> {
    const isRevoked = wantedRevocation(body)
    await this.platform.credentialStatus.setStatus(called.user, namedCredential(called, id), isRevoked, PROFILE)
    return {}
  }
}
