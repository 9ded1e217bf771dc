import { Body, Controller, Example, Get, OperationId, Put, Request, Response, Route, Security, Tags } from 'tsoa'
import type { Platform } from '../activities/index.ts'
import type { Called } from './authentication.ts'
import type { Problem } from './problem.ts'

interface SettingsBody {
  /**
   * true: an unknown JSON-LD context that a credential brings is fetched once under the outbound rules, and pinned.
   * false: it is refused, naming its URL; register it first.
   */
  fetchUnknownContexts: boolean
  /** true: the W3C VC API under /vc-api answers for this tenant. */
  vcApi: boolean
}

@Route('v1/settings')
@Tags('Administration')
@Response<Problem>(400, 'the request is not usable')
@Response<Problem>(401, 'no valid access token')
@Response<Problem>(403, 'the access token lacks the scope')
export class SettingsController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * What the tenant decides about itself.
   * @summary Read the tenant's settings
   */
  @Get()
  @OperationId('getTenantSettings')
  @Security('bearerAuth', ['administration:read'])
  @Example<SettingsBody>({ fetchUnknownContexts: true, vcApi: false })
  async read(@Request() called: Called): Promise<SettingsBody> {
    return this.platform.settings.settingsOf(called.user.tenantId)
  }

  /**
   * All settings at once. What is turned on is on at once, what is turned off is off within 5 seconds in every process.
   * @summary Change the tenant's settings
   */
  @Put()
  @OperationId('updateTenantSettings')
  @Security('bearerAuth', ['administration:write'])
  @Example<SettingsBody>({ fetchUnknownContexts: false, vcApi: false })
  async update(@Request() called: Called, @Body() body: SettingsBody): Promise<SettingsBody> {
    return this.platform.settings.updateSettings(called.user, body)
  }
}
