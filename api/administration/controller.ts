import { Body, Controller, Example, Get, OperationId, Put, Request, Route, Security, Tags } from 'tsoa'
import type { Platform } from '../../activities/index.ts'
import type { Called } from '../frame/authentication.ts'

interface SettingsBody {
  /**
   * true: an unknown JSON-LD context that a credential brings is fetched once under the outbound rules, and pinned.
   * false: it is refused, naming its URL; register it first.
   */
  fetchUnknownContexts: boolean
  /** true: the W3C VC API under /vc-api answers for this tenant. */
  vcApi: boolean
}

interface SettingsIn extends SettingsBody {
  /**
   * true: a presentation fails where neither the request nor a presentation request says which challenge it must answer.
   * Recommended; left out: as it is.
   */
  requireChallenge?: boolean
  /** The same of the domain. Recommended; left out: as it is. */
  requireDomain?: boolean
}

interface SettingsOut extends SettingsBody {
  requireChallenge: boolean
  requireDomain: boolean
}

@Route('v1/settings')
@Tags('Administration')
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
  @Example<SettingsOut>({ fetchUnknownContexts: true, vcApi: false, requireChallenge: true, requireDomain: true })
  async read(@Request() called: Called): Promise<SettingsOut> {
    return this.platform.settings.settingsOf(called.user.tenantId)
  }

  /**
   * All settings at once, but for the two that may be left out. What is turned on is on at once, what is turned off is off within 5 seconds in every process.
   * @summary Change the tenant's settings
   */
  @Put()
  @OperationId('updateTenantSettings')
  @Security('bearerAuth', ['administration:write'])
  @Example<SettingsOut>({ fetchUnknownContexts: false, vcApi: false, requireChallenge: true, requireDomain: true })
  async update(@Request() called: Called, @Body() body: SettingsIn): Promise<SettingsOut> {
    return this.platform.settings.updateSettings(called.user, body)
  }
}
