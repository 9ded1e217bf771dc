import { Body, Controller, Example, Get, OperationId, Put, Request, Route, Security, Tags } from '@tsoa/runtime'
import type { Platform } from '../../activities/index.ts'
import type { Called } from '../frame/authentication.ts'
import { ISSUER } from '../frame/openapi/examples.ts'
import type { Uuid } from '../frame/wire.ts'

interface SettingsBody {
  /**
   * true: fetches an unknown JSON-LD context of a credential once under the outbound rules, and pins it.
   * false: refuses it, naming its URL; register the context first.
   */
  fetchUnknownContexts: boolean
  /** true: the W3C VC API under /vc-api is on for this tenant. */
  vcApi: boolean
}

/** A setting that is absent does not change. */
interface SettingsIn extends Partial<SettingsBody> {
  /**
   * true: a presentation fails when neither the request nor a presentation request gives the expected challenge.
   * Recommended. When absent, the setting does not change.
   */
  requireChallenge?: boolean
  /**
   * true: a presentation fails when neither the request nor a presentation request gives the expected domain.
   * Recommended. When absent, the setting does not change.
   */
  requireDomain?: boolean
  /**
   * true: new status lists of credentials of data model 2.0 are published as vc+jwt, by a P-256, Ed25519 or P-384 key of
   * their issuer, in place of a Data Integrity proof. Lists that exist keep their form. When absent, the setting does
   * not change.
   */
  envelopedStatusLists?: boolean
  /**
   * A DID of the tenant: signs for requests that name no DID. null: the tenant has no default issuer, and such a
   * request is signed only if exactly one DID of the tenant fits. When absent, the setting does not change.
   */
  defaultIssuer?: string | null
  /**
   * Days that entries of the log are kept; older ones are removed within an hour. null: they are kept without end. When
   * absent, the setting does not change.
   */
  logRetentionDays?: LogRetentionDays | null
  /** May repeat the ecosystem that operators bound the tenant to. */
  ecosystemId?: Uuid | null
  /** May repeat the participant that operators named. */
  ecosystemParticipantId?: Uuid | null
}

/**
 * @isInt expected a whole number
 * @minimum 1
 * @maximum 36500
 */
export type LogRetentionDays = number

interface SettingsOut extends SettingsBody {
  requireChallenge: boolean
  requireDomain: boolean
  envelopedStatusLists: boolean
  defaultIssuer: string | null
  logRetentionDays: LogRetentionDays | null
  /** The ecosystem whose policy this tenant signs and verifies under; null: none. Operators bind tenants. */
  ecosystemId: Uuid | null
  /** The participant of the ecosystem that this tenant verifies as; null: it verifies nothing there. */
  ecosystemParticipantId: Uuid | null
}

const EXAMPLE: SettingsOut = {
  fetchUnknownContexts: true,
  vcApi: false,
  requireChallenge: true,
  requireDomain: true,
  envelopedStatusLists: false,
  defaultIssuer: ISSUER,
  logRetentionDays: 365,
  ecosystemId: null,
  ecosystemParticipantId: null,
}

@Route('v1/settings')
@Tags('Administration')
export class SettingsController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the tenant's settings.
   * @summary Read the tenant's settings
   */
  @Get()
  @OperationId('getTenantSettings')
  @Security('bearerAuth', ['administration:read'])
  @Example<SettingsOut>(EXAMPLE)
  async read(@Request() called: Called): Promise<SettingsOut> {
    return this.platform.settings.settingsOf(called.user.tenantId)
  }

  /**
   * Changes the settings that the body names; a setting that is absent keeps its value. A setting that is turned on and a new default issuer take effect at once; a setting that is turned off takes effect within 5 seconds.
   * @summary Change the tenant's settings
   */
  @Put()
  @OperationId('updateTenantSettings')
  @Security('bearerAuth', ['administration:write'])
  @Example<SettingsOut>(EXAMPLE)
  async update(@Request() called: Called, @Body() body: SettingsIn): Promise<SettingsOut> {
    return this.platform.settings.updateSettings(called.user, body)
  }
}
