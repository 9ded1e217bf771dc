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
import type { Called } from '../frame/authentication.ts'
import { ofMember } from '../frame/members.ts'
import { type PageQuery, snakeTotals, toPage } from '../frame/pagination.ts'
import type { Problem } from '../frame/problem.ts'
import type { Uuid } from '../frame/wire.ts'
import { type CredentialDetailsOut, detailsToWire } from './details.ts'
import { presented } from './noted.ts'
import {
  type CredentialPageOut,
  rowToWire,
  SIGN_EXAMPLE,
  type SignIn,
  type SignOut,
  signedToWire,
  toDisclosure,
  VERIFY_EXAMPLE,
  type VerifyIn,
  type VerifyOut,
} from './wire.ts'

interface CredentialQuery extends PageQuery {
  /** Returns only credentials with this tag. */
  tag?: string
  /** Returns only credentials of this type. */
  type?: string
}

@Route('v1/credentials/web-semantic')
@Tags('Web semantic credentials')
export class SemanticCredentialsController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Signs a W3C verifiable credential as one of the tenant's DIDs. The first context chooses the data model: 1.1 or 2.0.
   * With the proof type vc+jwt, vc+cose or vc+sd-jwt, credential is an EnvelopedVerifiableCredential, encoded is its
   * envelope, and decoded is what stands in it.
   * @summary Sign a web semantic credential
   */
  @Post('sign')
  @OperationId('signWebSemanticCredential')
  @Security('bearerAuth', ['semantic-credentials:write'])
  @SuccessResponse(200)
  @Example<SignOut>(SIGN_EXAMPLE)
  @Response<Problem>(503, 'the key store is not available; see Retry-After')
  async sign(@Request() called: Called, @Body() body: SignIn): Promise<SignOut> {
    const { selectively: _, decoys: __, holderKey: ___, ...request } = body
    const disclosure = toDisclosure(body)
    const signed = this.platform.semanticCredentials.signCredential(called.user, { ...request, disclosure })
    return signedToWire(await ofMember('payload', signed))
  }

  /**
   * Verifies the credential of any issuer. A credential that does not verify gives 200, with every failed check in
   * `reason`: Syntax, Context, UntrustedContext, Issuer, IssuerNotTrusted, IssuerNotListed, IssuerNotAllowed,
   * VerifierNotAllowed, Proof, NotYetValid, Expired, Revoked, Suspended,
   * StatusUnavailable. The proof signs statements, not the contexts that give the members their meaning: `warnings`
   * names the contexts that are neither bundled nor registered, and with `trustedContexts` they fail the verification.
   * @summary Verify a web semantic credential
   */
  @Post('verify')
  @OperationId('verifyWebSemanticCredentials')
  @Security('bearerAuth', ['semantic-credentials:read'])
  @SuccessResponse(200)
  @Example<VerifyOut>(VERIFY_EXAMPLE)
  async verify(@Request() called: Called, @Body() body: VerifyIn): Promise<VerifyOut> {
    const { payload, trustedContexts, trustedIssuers, keyBinding } = body
    const { tenantId } = called.user
    const trusted = trustedContexts ? [trustedContexts] : []
    called.noted = presented(payload)
    const issuers = trustedIssuers ?? undefined
    const { credentialVerifier } = this.platform
    const binding = keyBinding ? { session: keyBinding, isRequired: true } : undefined
    const verifying = credentialVerifier.verifyCredential(tenantId, payload, trusted, undefined, issuers, binding)
    const verdict = await ofMember('payload', verifying)
    called.noted = { ...called.noted, verified: verdict.verified, reason: verdict.reason[0]?.type ?? null }
    return verdict
  }

  /**
   * Returns the tenant's credentials, newest first.
   * @summary List web semantic credentials
   */
  @Get()
  @OperationId('listWebSemanticCredentials')
  @Security('bearerAuth', ['semantic-credentials:read'])
  async list(@Request() called: Called, @Queries() query: CredentialQuery): Promise<CredentialPageOut> {
    const { tag, type, limit, page: number } = query
    const page = toPage(limit, number)
    const { credentials, total } = await this.platform.credentials.listCredentials(called.user.tenantId, 'semantic', {
      tag,
      type,
      ...page,
    })
    return { data: credentials.map(rowToWire), ...snakeTotals(total, page.limit) }
  }

  /**
   * Returns a credential as it was issued, with its stored details and those of its template, if it has one.
   * @summary Read a web semantic credential
   */
  @Get('{id}')
  @OperationId('getWebSemanticCredentialDetails')
  @Security('bearerAuth', ['semantic-credentials:read'])
  async read(@Request() called: Called, @Path() id: Uuid): Promise<CredentialDetailsOut> {
    const { credentials, credentialTemplates } = this.platform
    const { tenantId } = called.user
    const row = await credentials.readCredential(tenantId, 'semantic', id)
    const { templateId, templateVersion: version } = row
    const template =
      templateId && version ? await credentialTemplates.readSource(tenantId, templateId, version) : undefined
    return detailsToWire(row, template)
  }
}
