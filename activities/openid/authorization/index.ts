import type { Dependencies } from '../../dependencies.ts'
import type { Operations } from '../../frame/operations.ts'
import type { Sealer } from '../../frame/sealing.ts'
import { createWalletProviders } from '../attestations/providers.ts'
import type { AttestationStatus } from '../attestations/status.ts'
import type { TrustedProviders } from '../attestations/trusted.ts'
import type { HookConfiguration } from '../configuration.ts'
import type { AuthenticationVerbs } from '../providers/authentication.ts'
import type { Configurations } from '../sessions/configurations.ts'
import type { SessionSecrets } from '../sessions/secrets.ts'
import { createLogins } from './begin.ts'
import { createWalletClients } from './clients.ts'
import { createCodes } from './codes.ts'
import { createFailedLogins } from './failed.ts'
import { createLoginEnds } from './finish.ts'
import { createGrants } from './granted.ts'
import { createWalletPolicies } from './policy.ts'
import { createSelfBegun } from './self-begun.ts'
import { createWallets } from './wallets.ts'

interface Parts extends Pick<Dependencies, 'config' | 'database' | 'outbox' | 'now' | 'uuid'> {
  operations: Operations
  sealer: Sealer
  secrets: SessionSecrets
  attestationStatus: AttestationStatus
  trustedProviders: TrustedProviders
  configurations: Configurations
  authentication: AuthenticationVerbs
  openIdConfiguration: HookConfiguration
  wake(tenantId: string, sessionId: string): Promise<void>
}

/** The authorization code grant: wallets, their requests, logins and codes. */
export function composeAuthorization(parts: Parts) {
  const walletClients = createWalletClients(parts)
  const { fail } = createFailedLogins(parts)
  return {
    walletClients,
    codes: createCodes(parts),
    logins: createLogins({ ...parts, walletClients, grants: createGrants(parts), fail }),
    loginEnds: createLoginEnds({ ...parts, selfBegun: createSelfBegun(parts), fail }),
    openIdWallets: createWallets(parts),
    walletPolicies: createWalletPolicies(parts),
    walletProviders: createWalletProviders(parts),
  }
}
