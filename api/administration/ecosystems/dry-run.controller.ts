import { Body, Controller, OperationId, Path, Post, Route, Security, SuccessResponse, Tags } from '@tsoa/runtime'
import type { Platform } from '../../../activities/index.ts'
import type { Uuid } from '../../frame/wire.ts'
import { type DryRunIn, type DryRunOut, dryRunToWire, toPolicyChanges } from './dry-run.wire.ts'

@Route('v1/ecosystems/{ecosystemId}/policy/dry-run')
@Tags('Ecosystems')
export class EcosystemDryRunController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns what changes of the policy would break, and changes nothing: credentials in force of the bound tenants by
   * tenant and type, templates that could sign no more, and verifiers that could verify less. It takes 5 seconds at most;
   * tenants that were not looked at by then are named. The answer has no personal data.
   * @summary Rehearse changes of a policy
   */
  @Post()
  @OperationId('dryRunEcosystemPolicy')
  @Security('bearerAuth', ['platform:read'])
  @SuccessResponse(200)
  async dryRun(@Path() ecosystemId: Uuid, @Body() body: DryRunIn): Promise<DryRunOut> {
    return dryRunToWire(await this.platform.policyDryRuns.dryRun(ecosystemId, toPolicyChanges(body)))
  }
}
