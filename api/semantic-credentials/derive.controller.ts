import {
  Body,
  Controller,
  OperationId,
  Post,
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
import type { Problem } from '../frame/problem.ts'
import type { VerifiableCredential } from '../frame/wire.ts'
import type { Base64Url, DerivedCredential, JsonPointer } from './wire.ts'

interface DeriveIn {
  /** A credential with a bbs-2023 base proof, as the sign operation returns it. */
  credential: VerifiableCredential
  /** JSON pointers (RFC 6901) to disclose in addition to the mandatory ones, or everything. */
  selectivePointers: JsonPointer[] | 'everything'
  /** Bound into the derived proof. */
  presentationHeader?: Base64Url
}

interface DeriveOut {
  /** Has only the disclosed members, with a derived proof. */
  credential: DerivedCredential
}

@Route('v1/credentials/web-semantic')
@Tags('Web semantic credentials')
@Response<Problem>(400, 'no base proof, or a pointer that names no member; errors names the fields')
export class DerivationController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Selective disclosure, as a holder does it: returns a verifiable credential that has only the named and the
   * mandatory members. Nothing is stored.
   * @summary Derive a credential
   */
  @Post('derive')
  @OperationId('deriveWebSemanticCredential')
  @Security('bearerAuth', ['semantic-credentials:read'])
  @SuccessResponse(200)
  async derive(@Request() called: Called, @Body() body: DeriveIn): Promise<DeriveOut> {
    const derived = this.platform.derivation.deriveCredential(called.user.tenantId, body)
    return { credential: await ofMember('credential', derived) }
  }
}
