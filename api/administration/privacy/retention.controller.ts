import { Body, Controller, Example, Get, OperationId, Put, Request, Route, Security, Tags } from '@tsoa/runtime'
import type { Platform } from '../../../activities/index.ts'
import type { Called } from '../../frame/authentication.ts'
import { RETENTION, type RetentionIn, type RetentionOut, retentionToWire, toRetention } from './retention.wire.ts'

@Route('v1/privacy/retention')
@Tags('Privacy')
export class RetentionController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns for how long the tenant keeps personal data, and what the last pass erased.
   * @summary Read how long personal data are kept
   */
  @Get()
  @OperationId('getPrivacyRetention')
  @Security('bearerAuth', ['administration:read'])
  @Example<RetentionOut>(RETENTION)
  async read(@Request() called: Called): Promise<RetentionOut> {
    return retentionToWire(await this.platform.retentionSettings.readRetention(called.user.tenantId))
  }

  /**
   * Changes for how long the tenant keeps personal data; a member that is absent keeps its value. A pass each hour erases what is older. It cannot be undone.
   * @summary Change how long personal data are kept
   */
  @Put()
  @OperationId('updatePrivacyRetention')
  @Security('bearerAuth', ['administration:write'])
  @Example<RetentionOut>(RETENTION)
  async update(@Request() called: Called, @Body() body: RetentionIn): Promise<RetentionOut> {
    return retentionToWire(await this.platform.retentionSettings.updateRetention(called.user, toRetention(body)))
  }
}
