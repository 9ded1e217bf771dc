import { disjoint } from '../protocol/disjoint.ts'
import { createSessionScopes } from './administration/accounts/standing.ts'
import { composeContent } from './administration/content/index.ts'
import { createPolicyGate } from './administration/ecosystems/gate.ts'
import { composeEcosystems } from './administration/ecosystems/index.ts'
import { administrationActivities, composeAdministration } from './administration/index.ts'
import { composePrivacy, privacyActivities } from './administration/privacy/index.ts'
import type { FetchResult } from './claim-sources/fetch.ts'
import { claimSourceActivities, composeClaimSources } from './claim-sources/index.ts'
import { composeCompactCredentials, composeCompactLists } from './compact-credentials/index.ts'
import { type CredentialFormat, createFormats } from './credentials/format.ts'
import { composeCredentials, composeEngine, credentialActivities } from './credentials/index.ts'
import type { StatusEntries } from './credentials/status-lists/allocation.ts'
import type { Dependencies } from './dependencies.ts'
import { composeDids, didActivities } from './dids/index.ts'
import type { Signers } from './dids/signers.ts'
import { composeDomains, domainActivities } from './domains/index.ts'
import { composeFrame } from './frame/index.ts'
import type { Revival } from './frame/pending-work.revival.ts'
import { createDidServices } from './messaging/addresses.ts'
import { composeMessaging, messagingActivities } from './messaging/index.ts'
import { composeMobileCredentials, composeMobileLists, mobileCredentialActivities } from './mobile-credentials/index.ts'
import { composeOpenId } from './openid/index.ts'
import { createRequestExpiry } from './openid/presentations/expiry.ts'
import { composeOpenIdSessions, openIdActivities } from './openid/sessions/index.ts'
import { composeOpenIdVerifiers } from './openid/verifiers/index.ts'
import { createVerifierKeyRotation } from './openid/verifiers/rotation.ts'
import { composeSdJwtCredentials } from './sd-jwt-credentials/index.ts'
import { composeSemanticCredentials } from './semantic-credentials/index.ts'
import { composeTokensLogs, tokenActivities } from './tokens-logs/index.ts'
import { createTrustGate } from './trust-lists/gate.ts'
import { composeTrustLists, trustListActivities } from './trust-lists/index.ts'
import type { AttemptResult } from './webhooks/deliver.ts'
import { composeWebhooks, webhookActivities } from './webhooks/index.ts'

export { type Dependencies, openDependencies } from './dependencies.ts'

/** What a format is composed from. */
export interface FormatParts extends Dependencies {
  signers: Signers
  entries: StatusEntries
  semantic: CredentialFormat
}

/** Formats besides those of the platform, or in place of one of the same name. */
export type MoreFormats = (parts: FormatParts) => CredentialFormat[]

/** The operations of all areas, which controllers call in process. */
export function createPlatform(dependencies: Dependencies, moreFormats: MoreFormats = () => []) {
  const { operations, ...standing } = composeFrame(dependencies)
  const frame = { ...dependencies, ...standing, operations }
  const { signers, ...dids } = composeDids({ ...frame, servicesOf: createDidServices(dependencies) })
  const policyGate = createPolicyGate(dependencies)
  const trustGate = createTrustGate(dependencies)
  const { entries, ...engine } = composeEngine({ ...frame, signers, policyGate, trustGate })
  const known = { ...frame, ...dids, signers }
  const { format: semantic, ...verbs } = composeSemanticCredentials({ ...known, ...engine, entries })
  const { mobileFormat, ...mobile } = composeMobileCredentials({ ...frame, ...engine, entries })
  const { compactFormats, ...compactVerbs } = composeCompactCredentials({ ...known, ...engine, entries })
  const { sdJwtFormat, ...sdJwt } = composeSdJwtCredentials({ ...known, ...engine, ...mobile, entries })
  const more = moreFormats({ ...known, entries, semantic })
  const replaced = new Set(more.map(({ name }) => name))
  const own = [semantic, ...compactFormats, mobileFormat, sdJwtFormat].filter(({ name }) => !replaced.has(name))
  const formats = createFormats([...own, ...more])
  const messaging = composeMessaging(known)
  const credentials = composeCredentials({ ...known, holderMessages: messaging.holderMessages, formats })
  const openId = composeOpenId({ ...frame, ...credentials })
  const lists = { ...composeCompactLists({ ...dependencies, ...credentials }), ...composeMobileLists(credentials) }
  const tokensLogs = composeTokensLogs({ ...dependencies, sessionScopes: createSessionScopes(dependencies) })
  const webhooks = composeWebhooks(frame)
  const { webhookEvents } = webhooks
  return disjoint(
    standing,
    tokensLogs,
    composeAdministration({ ...frame, ...tokensLogs }),
    dids,
    composeClaimSources(frame),
    composeContent(frame),
    composePrivacy(frame),
    composeDomains(frame),
    composeEcosystems(frame, policyGate),
    composeTrustLists({ ...frame, trustGate }),
    messaging,
    openId,
    composeOpenIdSessions({ ...known, ...engine, ...openId, ...mobile, formats, trustGate }),
    composeOpenIdVerifiers({ ...known, ...verbs, ...mobile, ...sdJwt, trustGate, webhookEvents }),
    { formats },
    webhooks,
    engine,
    verbs,
    compactVerbs,
    mobile,
    sdJwt,
    lists,
    credentials,
  )
}

export type Platform = ReturnType<typeof createPlatform>

/** Counters of the worker's activities. */
export interface Observers {
  statusListTried?(outcome: 'signed' | 'failed'): void
  reconciled?(workflowType: string, outcome: Revival): void
  webhookTried?(result: AttemptResult): void
  claimsFetched?(result: FetchResult): void
}

/** The activities that Temporal calls and retries. */
export function createActivities(
  dependencies: Dependencies,
  { statusListTried, reconciled, webhookTried, claimsFetched }: Observers = {},
  moreFormats?: MoreFormats,
) {
  const platform = createPlatform(dependencies, moreFormats)
  return disjoint(
    didActivities(platform),
    domainActivities(platform),
    credentialActivities({ ...dependencies, ...platform, tried: statusListTried }),
    administrationActivities({ ...dependencies, ...platform, reconciled }),
    privacyActivities({ ...dependencies, ...platform }),
    mobileCredentialActivities({ ...dependencies, ...platform }),
    messagingActivities({ ...dependencies, ...platform }),
    claimSourceActivities({ ...dependencies, claimsFetched }),
    tokenActivities(dependencies),
    trustListActivities(platform),
    openIdActivities({ ...dependencies, ...platform }),
    createVerifierKeyRotation({ ...dependencies, ...platform }),
    createRequestExpiry({ ...dependencies, ...platform }),
    webhookActivities({ ...dependencies, ...platform, webhookTried }),
  )
}
