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
import { snakeTotals, toPage } from '../frame/pagination.ts'
import type { Problem } from '../frame/problem.ts'
import type { EmptyOut, Uuid } from '../frame/wire.ts'
import {
  changeToWire,
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
   * Returns whether a credential is revoked, as stored; the published list follows shortly after. With `at`: the status
   * at that time, and whether the credential was valid.
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
    if (query.at === undefined) return this.platform.credentialStatus.readStatus(tenantId, id, 'semantic')
    const past = await this.platform.credentialStatus.readStatusAt(tenantId, id, readTime(query.at), 'semantic')
    return { ...past, at: past.at.toISOString() }
  }

  /**
   * Revokes a credential, or undoes its revocation.
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
    await this.platform.credentialStatus.setStatus(called.user, id, body.is_revoked, 'semantic')
    return {}
  }

  /**
   * Sends the revocation status to the credential's subjects: a message goes to the inbox or the message service of each
   * DID, encrypted where the DID has a key for it, and signed otherwise.
   * The log and the list of notifications show the result. Each recipient gets a status once: a repeated request sends
   * no second message, unless the first one could not be sent. Limits per hour: ten messages to a recipient, a hundred to recipients at one host.
   * @summary Notify of a revocation status
   */
  @Post('revocation-status/notification')
  @OperationId('webSemanticRevocationStatusNotification')
  @Security('bearerAuth', ['semantic-credentials:write'])
  @SuccessResponse(200)
  @Response<Problem>(429, 'too many notifications for a recipient or its host; see Retry-After')
  async notify(@Request() called: Called, @Path() id: Uuid, @Body() body: NotificationIn): Promise<EmptyOut> {
    await this.platform.notifications.notifyStatus(called.user, id, body, 'semantic')
    return {}
  }

  /**
   * Returns each recipient and the result. A message is PENDING while delivery is tried, for half a day at most.
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
    const { notifications, total } = await this.platform.notifications.listNotifications(
      called.user.tenantId,
      id,
      page,
      'semantic',
    )
    return { data: notifications.map(notificationToWire), ...snakeTotals(total, page.limit) }
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
    await this.platform.credentialStatus.setSuspension(called.user, id, body.is_suspended, 'semantic')
    return {}
  }

  /**
   * Returns every revocation and suspension and the end of each, newest first. Entries are never changed or removed.
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
    const { changes, total } = await this.platform.credentialStatus.listChanges(
      called.user.tenantId,
      id,
      page,
      'semantic',
    )
    return { data: changes.map(changeToWire), ...snakeTotals(total, page.limit) }
  }
}
