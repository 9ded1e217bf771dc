import {
  Body,
  Controller,
  Example,
  Get,
  OperationId,
  Post,
  Produces,
  Request,
  Response,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime'
import type { Request as HttpRequest } from 'express'
import type { Platform } from '../../activities/index.ts'
import { eventTypes } from '../../protocol/event-types.ts'
import type { Called } from '../frame/authentication.ts'
import type { Problem } from '../frame/problem.ts'
import { responseTo, sendFile } from '../frame/streams.ts'
import {
  type EventTypesOut,
  HEAD,
  type LogHeadOut,
  sealToWire,
  VERDICT,
  type VerdictOut,
  verdictToWire,
} from './chain.wire.ts'
import { type LogFilterIn, toFilter } from './wire.ts'

interface LogCheckIn {
  /**
   * Position to begin at: `next` of the answer before, to go on with a long log. Absent: the first that is kept.
   * @isInt expected a whole number
   * @minimum 1
   * @maximum 9007199254740991
   */
  from?: number
  /**
   * The member `jws` of a head that you kept: the log must still have its place. Shows that a log was shortened or
   * written anew, whoever did it.
   * @maxLength 4096
   */
  head?: string
}

/** Places that one request verifies: some seconds. */
const MOST = 100_000

@Route('v1/analytics')
@Tags('Tokens and logs')
export class LogChainController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns every type of entry that the log can have, with its category: what `types` and `categories` of getListOfLogs
   * filter by.
   * @summary List the types of log entries
   */
  @Get('event-types')
  @OperationId('getLogEventTypes')
  @Security('bearerAuth', ['logs:read'])
  @Example<EventTypesOut>({
    data: [{ type: 'DID_CREATE_SUCCESS', category: 'did', outcome: 'SUCCESS', operationId: 'createDID' }],
  })
  eventTypes(): EventTypesOut {
    return { data: [...eventTypes()] }
  }

  /**
   * Returns the newest signed head of the tenant's log: where its chain ended, and the hash there. Keep it elsewhere, and
   * send it to verifyLog later. A head is signed every minute in which the log has grown; null: none yet. `checkpoint`:
   * up to where retention has removed entries.
   * @summary Read the signed head of the log
   */
  @Get('head')
  @OperationId('getLogHead')
  @Security('bearerAuth', ['logs:read'])
  @Example<LogHeadOut>(HEAD)
  async head(@Request() called: Called): Promise<LogHeadOut> {
    const { head, checkpoint, keys } = await this.platform.tokensLogs.logHead(called.user.tenantId)
    return { head: sealToWire(head), checkpoint: sealToWire(checkpoint), keys }
  }

  /**
   * Verifies the chain of the tenant's log: each entry, each signed head, and the head that the body has. Answers the
   * first fault with its position. Verifies 100,000 entries at a time; `next` is where to go on. One verification of a
   * tenant runs at a time: another request meanwhile is refused with 429.
   * @summary Verify the log
   */
  @Post('verify')
  @OperationId('verifyLog')
  @Security('bearerAuth', ['logs:read'])
  @SuccessResponse(200)
  @Example<VerdictOut>(VERDICT)
  @Response<Problem>(400, 'the head was not signed here, or the position is beyond the log')
  async verify(@Request() called: Called, @Body() body: LogCheckIn): Promise<VerdictOut> {
    const verdict = await this.platform.tokensLogs.verifyLogInTurn(called.user.tenantId, { ...body, most: MOST })
    called.noted = { verified: verdict.intact, reason: verdict.fault?.kind ?? null }
    return verdictToWire(verdict)
  }

  /**
   * Returns the entries that match, in the order of the chain, as JSON lines: each with its position, its hash and the
   * hash before it. A line without `hash`, in the canonical form of RFC 8785, has that hash as its SHA-256.
   * @summary Export the log
   */
  @Post('events/export')
  @OperationId('exportLogs')
  @Security('bearerAuth', ['logs:read'])
  @SuccessResponse(200)
  @Produces('application/jsonl')
  @Response<Problem>(400, 'a filter is not valid')
  async export(@Request() called: Called & HttpRequest, @Body() body: LogFilterIn) {
    const texts = this.platform.tokensLogs.exportLogs(called.user.tenantId, toFilter(body))
    await sendFile(responseTo(called), { type: 'application/jsonl', name: 'log.jsonl' }, texts)
  }
}
