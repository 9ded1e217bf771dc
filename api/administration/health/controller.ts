import { Controller, Get, OperationId, Request, Route, Security, Tags } from '@tsoa/runtime'
import type { Request as HttpRequest } from 'express'
import type { Platform } from '../../../activities/index.ts'
import { Unavailable } from '../../../protocol/errors.ts'
import { SCOPES, type Scope } from '../../../protocol/tokens-logs/index.ts'
import { type HealthOut, healthToWire } from './wire.ts'

const OF_TENANTS: ReadonlySet<Scope> = new Set(SCOPES)

@Route('v1/health')
@Tags('Administration')
export class HealthController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns which parts of the platform are up, with a code and what to do about each that is not, and what waits longer than it
   * should: of the tenant, for a token with any of its scopes; of all tenants, for an operator (`platform:read`). The answer
   * is at most 2 seconds old. Without the database it is a 503.
   * @summary Read the health of the platform
   */
  @Get()
  @OperationId('getHealth')
  @Security('bearerAuth')
  async read(@Request() request: HttpRequest): Promise<HealthOut> {
    const { caller } = request
    const { health } = this.platform
    const scopes = caller?.scopes ?? []
    const parts = await health.partsNow()
    if (parts.database === 'down') throw new Unavailable('database', 'The database does not answer.')
    const [tenant, platform] = await Promise.all([
      caller && scopes.some((scope) => OF_TENANTS.has(scope)) ? health.tenantNow(caller.tenantId) : null,
      scopes.includes('platform:read') ? health.platformNow() : null,
    ])
    return healthToWire(parts, tenant, platform)
  }
}
