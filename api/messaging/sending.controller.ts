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
import type { Request as HttpRequest } from 'express'
import type { Platform } from '../../activities/index.ts'
import { Refusal } from '../../protocol/errors.ts'
import type { Called } from '../frame/authentication.ts'
import type { Problem } from '../frame/problem.ts'
import type { EmptyOut } from '../frame/wire.ts'
import type { EncryptedMessage, SendIn } from './wire.ts'

@Route('v1/messaging')
@Tags('Messaging')
export class MessageSendingController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Sends a message to a DID. A DID that is registered with an inbox of the platform has it there when the request is
   * answered; of another DID the message is encrypted, and posted to the service in its DID document, with retries. A
   * message of DIDComm v2 is sent as it is, a JWE of encryptCredentials too, and any other value as the content of a message.
   * @summary Send a message
   */
  @Post('send')
  @OperationId('sendMessage')
  @Security('bearerAuth', ['messaging:write'])
  @SuccessResponse(200)
  @Response<Problem>(400, 'the message cannot be sent to this DID; errors says why')
  @Response<Problem>(409, 'the inbox of the recipient is full')
  @Response<Problem>(413, 'the message is larger than 256 KiB')
  async send(@Request() called: Called, @Body() body: SendIn): Promise<EmptyOut> {
    await this.platform.sending.sendMessage(called.user, body)
    return {}
  }
}

/** Of messages in clear, and of signed ones: what they say is for everybody on the way. */
const REFUSED = /^application\/didcomm-(plain|signed)\+json/i

@Route('didcomm')
@Tags('Messaging')
export class DidcommController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Receives an encrypted DIDComm v2 message (application/didcomm-encrypted+json). Public. The answer says that the message
   * has come, and not what became of it: the response tells nobody which DIDs are registered here.
   * @summary Receive a message
   */
  @Post()
  @OperationId('receiveMessage')
  @SuccessResponse(202, 'received')
  @Response<Problem>(400, 'the body is not an encrypted message')
  @Response<Problem>(415, 'the message is not encrypted')
  async receive(@Request() request: HttpRequest, @Body() body: EncryptedMessage): Promise<void> {
    if (REFUSED.test(request.headers['content-type'] ?? ''))
      throw new Refusal(
        'request.unsupported_media_type',
        'Send an encrypted message: application/didcomm-encrypted+json.',
      )
    const { requestId } = request.res?.locals as { requestId: string }
    this.setStatus(202)
    await this.platform.receiving.receiveMessage(body, requestId)
  }
}
