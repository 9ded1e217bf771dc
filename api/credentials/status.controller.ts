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
} from 'tsoa'
import type { Platform } from '../../activities/index.ts'
import type { Called } from '../frame/authentication.ts'
import { snakeTotals, toPage } from '../frame/pagination.ts'
import type { Problem } from '../frame/problem.ts'
import type { Uuid } from '../frame/wire.ts'
import {
  changeToWire,
  type EmptyOut,
  type NotificationIn,
  type NotificationQuery,
  type NotificationsOut,
  notificationToWire,
  type RevocationIn,
  type RevocationStatusOut,
  readTime,
  type StatusHistoryOut,
  type StatusHistoryQuery,
  type StatusQuery,
  type SuspensionIn,
} from './status.wire.ts'

@Route('v1/credentials/web-semantic/{id}')
@Tags('Web semantic credentials')
export class CredentialStatusController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Whether a credential is revoked, as stored: the published list follows within a window. With `at`, what held then: was
   * it valid?
   * @summary Read a revocation status
   */
  @Get('revocation-status')
  @OperationId('getWebSemanticRevocationStatus')
  @Security('bearerAuth', ['semantic-credentials:read'])
  @Example<RevocationStatusOut>({ isRevoked: false })
  async readStatus(
    @Request() called: Called,
    @Path() id: Uuid,
    @Queries() query: StatusQuery,
  ): Promise<RevocationStatusOut> {
    const { tenantId } = called.user
    if (query.at === undefined) return this.platform.credentialStatus.readStatus(tenantId, id)
    const past = await this.platform.credentialStatus.readStatusAt(tenantId, id, readTime(query.at))
    return { ...past, at: past.at.toISOString() }
  }

  /**
   * Revokes a credential, or takes its revocation back.
   * @summary Set a revocation status
   */
  @Post('revocation-status')
  @OperationId('setWebSemanticRevocationStatus')
  @Security('bearerAuth', ['semantic-credentials:write'])
  @SuccessResponse(200)
  async setRevocationStatus(
    @Request() called: Called,
    @Path() id: Uuid,
    @Body() body: RevocationIn,
  ): Promise<EmptyOut> {
    await this.platform.credentialStatus.setStatus(called.user, id, body.is_revoked)
    return {}
  }

  /**
   * Tells the credential's subjects of its revocation status: a signed message goes to where their DID takes messages, as
   * soon as it can; what came of it stands in the log and in the list of notifications. A recipient is told of a status once:
   * a repeat changes nothing. Ten messages to a recipient, and a hundred to recipients at one host, are the most in an hour.
   * @summary Notify of a revocation status
   */
  @Post('revocation-status/notification')
  @OperationId('webSemanticRevocationStatusNotification')
  @Security('bearerAuth', ['semantic-credentials:write'])
  @SuccessResponse(200)
  @Response<Problem>(429, 'too many notifications for a recipient or its host; see Retry-After')
  async notify(@Request() called: Called, @Path() id: Uuid, @Body() body: NotificationIn): Promise<EmptyOut> {
    await this.platform.notifications.notifyStatus(called.user, id, body)
    return {}
  }

  /**
   * Who was told of the status, and what came of it: a message is PENDING while it is tried, for half a day at most.
   * @summary List the notifications of a revocation status
   */
  @Get('revocation-status/notification')
  @OperationId('getWebSemanticRevocationStatusNotifications')
  @Security('bearerAuth', ['semantic-credentials:read'])
  async listNotifications(
    @Request() called: Called,
    @Path() id: Uuid,
    @Queries() query: NotificationQuery,
  ): Promise<NotificationsOut> {
    const page = toPage(query.limit, query.page)
    const found = await this.platform.notifications.listNotifications(called.user.tenantId, id, page)
    return { data: found.notifications.map(notificationToWire), ...snakeTotals(found.total, page.limit) }
  }

  /**
   * Suspends a credential that was signed with suspendable true, or ends its suspension.
   * @summary Set a suspension status
   */
  @Post('suspension-status')
  @OperationId('setWebSemanticSuspensionStatus')
  @Security('bearerAuth', ['semantic-credentials:write'])
  @SuccessResponse(200)
  async setSuspensionStatus(
    @Request() called: Called,
    @Path() id: Uuid,
    @Body() body: SuspensionIn,
  ): Promise<EmptyOut> {
    await this.platform.credentialStatus.setSuspension(called.user, id, body.is_suspended)
    return {}
  }

  /**
   * Every revocation, suspension and end of one, newest first. Nobody can change or remove an entry.
   * @summary List the changes of a status
   */
  @Get('status-history')
  @OperationId('getWebSemanticStatusHistory')
  @Security('bearerAuth', ['semantic-credentials:read'])
  async history(
    @Request() called: Called,
    @Path() id: Uuid,
    @Queries() query: StatusHistoryQuery,
  ): Promise<StatusHistoryOut> {
    const page = toPage(query.limit, query.page)
    const found = await this.platform.credentialStatus.listChanges(called.user.tenantId, id, page)
    return { data: found.changes.map(changeToWire), ...snakeTotals(found.total, page.limit) }
  }
}
