import type { TrustGate } from '../../../protocol/credentials/trust.ts'
import type { Formats } from '../../credentials/format.ts'
import type { NamedLists } from '../../credentials/status-lists/named.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { DidResolver } from '../../dids/resolver.ts'
import type { Signers } from '../../dids/signers.ts'
import type { Frame } from '../../frame/index.ts'
import { createSealer } from '../../frame/sealing.ts'
import type { MobileSigners } from '../../mobile-credentials/signers.ts'
import type { Events } from '../../webhooks/events.ts'
import { createAttestationStatus } from '../attestations/status.ts'
import { createTrustedProviders } from '../attestations/trusted.ts'
import { composeAuthorization } from '../authorization/index.ts'
import type { HookConfiguration } from '../configuration.ts'
import type { AuthenticationVerbs } from '../providers/authentication.ts'
import { createReissuanceGrants } from '../reissuances/grant.ts'
import { createReissuances } from '../reissuances/lifecycle.ts'
import { createRefreshing } from '../reissuances/refresh.ts'
import { createConfigurations } from './configurations.ts'
import { createWalletEncryption } from './encryption.ts'
import { createIssuances } from './issue.ts'
import { createSessionLooks } from './look.ts'
import { createNotifications } from './notifications.ts'
import { createOffers } from './offers.ts'
import { createKeyProofs } from './proofs.ts'
import { createReach } from './reach.ts'
import { createSessions } from './read.ts'
import { createCredentialRequests } from './requests.ts'
import { createSessionSecrets } from './secrets.ts'
import { createSignedMetadata } from './signed-metadata.ts'
import { createSessionTokens } from './tokens.ts'

const sealerOf = ({ config }: Pick<Dependencies, 'config'>) => createSealer(config.masterKey, 'openid-sessions')

interface Known extends Frame {
  formats: Formats
  didResolver: Pick<DidResolver, 'documentFor'>
  authentication: AuthenticationVerbs
  openIdConfiguration: HookConfiguration
  signers: Signers
  mobileSigners: MobileSigners
  namedLists: NamedLists
  trustGate: TrustGate
}

/** Offers of credentials, and what wallets do with them (OpenID4VCI 1.0). */
export function composeOpenIdSessions(known: Known) {
  const sealer = sealerOf(known)
  const secrets = createSessionSecrets(known)
  const walletEncryption = createWalletEncryption(known)
  const trustedProviders = createTrustedProviders(known)
  const configurations = createConfigurations({ ...known, walletEncryption, trustedProviders })
  const attestationStatus = createAttestationStatus(known)
  const parts = { ...known, ...createReach(known), sealer, secrets, configurations, attestationStatus }
  const attesting = { ...parts, trustedProviders }
  const reissuing = { reissuanceGrants: createReissuanceGrants(parts), refreshing: createRefreshing(parts) }
  const { codes, ...authorization } = composeAuthorization(attesting)
  return {
    ...authorization,
    openIdConfigurations: configurations,
    signedIssuerMetadata: createSignedMetadata(parts),
    walletEncryption,
    openIdOffers: createOffers(parts),
    openIdSessions: createSessions(parts),
    openIdReissuances: createReissuances(parts),
    sessionTokens: createSessionTokens({ ...parts, ...authorization, ...reissuing, codes }),
    sessionSecrets: secrets,
    credentialRequests: createCredentialRequests({ ...parts, keyProofs: createKeyProofs(attesting) }),
    walletNotifications: createNotifications(parts),
  }
}

/** Activities of the workflows of sessions. */
export function openIdActivities(parts: Dependencies & { formats: Formats; webhookEvents: Pick<Events, 'emitEvent'> }) {
  const sealer = sealerOf(parts)
  return { ...createSessionLooks({ ...parts, sealer }), ...createIssuances({ ...parts, sealer }) }
}
