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
import type { Problem } from '../frame/problem.ts'
import {
  type MessageSignIn,
  type MessageSignOut,
  type MessageVerifyIn,
  type MessageVerifyOut,
  signedToWire,
  verdictToWire,
} from './wire.ts'

@Route('v1/messaging')
@Tags('Messaging')
export class MessageSignaturesController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Signs a payload as a JWS with a key of one of the tenant's DIDs: EdDSA with an Ed25519 key, ES256 with a P-256 key. `kid`
   * is the DID URL. A text is signed as it is, any other value as JSON; `cty` says which.
   * @summary Sign a payload
   */
  @Post('sign')
  @OperationId('signCredential')
  @Security('bearerAuth', ['messaging:write'])
  @SuccessResponse(200)
  @Response<Problem>(400, 'the DID URL is not of a key of the tenant that can sign')
  async sign(@Request() called: Called, @Body() body: MessageSignIn): Promise<MessageSignOut> {
    const { didUrl, payload } = body
    const signed = await this.platform.messageSignatures.signMessage(called.user.tenantId, { didUrl, payload })
    called.noted = { objectIds: [signed.didId] }
    return signedToWire(signed)
  }

  /**
   * Verifies a JWS with the key that its `kid` names, a DID URL of any DID that resolves. `verified` is true if that DID has
   * the key for authentication or assertionMethod and the key made the signature; it says nothing about another DID.
   * @summary Verify a signed payload
   */
  @Post('verify')
  @OperationId('verifyCredential')
  @Security('bearerAuth', ['messaging:read'])
  @SuccessResponse(200)
  @Response<Problem>(400, 'the text is no compact JWS of a DID; errors names the broken rule')
  async verify(@Request() called: Called, @Body() body: MessageVerifyIn): Promise<MessageVerifyOut> {
    const verdict = await this.platform.messageSignatures.verifyMessage(called.user.tenantId, body.jws)
    called.noted = { verified: verdict.verified, reason: verdict.error?.type ?? null }
    return verdictToWire(verdict)
  }
}
