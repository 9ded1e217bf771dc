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
  decryptedToWire,
  jweToWire,
  type MessageDecryptIn,
  type MessageDecryptOut,
  type MessageEncryptIn,
  type MessageEncryptOut,
} from './encryption.wire.ts'

@Route('v1/messaging')
@Tags('Messaging')
export class MessageEncryptionController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Encrypts a payload as a JWE for the keys of key agreement of 1 to 100 DIDs: by ECDH-1PU from a DID of the tenant, which
   * proves the sender to the recipients and to nobody else, or by ECDH-ES as an anonymous message. A text is encrypted as it
   * is, any other value as JSON; `cty` says which.
   * @summary Encrypt a payload
   */
  @Post('encrypt')
  @OperationId('encryptCredentials')
  @Security('bearerAuth', ['messaging:write'])
  @SuccessResponse(200)
  @Response<Problem>(400, 'a recipient or the sender cannot be encrypted for or from; errors names each')
  @Response<Problem>(413, 'the payload is larger than 512 KiB')
  async encrypt(@Request() called: Called, @Body() body: MessageEncryptIn): Promise<MessageEncryptOut> {
    const { payload, recipientDidUrls, senderDidUrl } = body
    const request = { payload, recipientDidUrls, senderDidUrl }
    const { jwe, sender } = await this.platform.messageEncryption.encryptMessage(called.user.tenantId, request)
    if (sender) called.noted = { objectIds: [sender.didId] }
    return jweToWire(jwe)
  }

  /**
   * Decrypts a JWE with the key of a DID of the tenant: ECDH-1PU or ECDH-ES, in a JSON serialization, in the shape of
   * encryptCredentials, or compact. Whatever does not open is one and the same problem.
   * @summary Decrypt a payload
   */
  @Post('decrypt')
  @OperationId('decryptCredentials')
  @Security('bearerAuth', ['messaging:read'])
  @SuccessResponse(200)
  @Response<Problem>(400, 'no DID of the tenant opens the JWE')
  async decrypt(@Request() called: Called, @Body() body: MessageDecryptIn): Promise<MessageDecryptOut> {
    const decrypted = await this.platform.messageEncryption.decryptMessage(called.user.tenantId, body.jwe)
    called.noted = { objectIds: [decrypted.didId] }
    return decryptedToWire(decrypted)
  }
}
