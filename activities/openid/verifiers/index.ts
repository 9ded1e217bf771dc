import type { TrustGate } from '../../../protocol/credentials/trust.ts'
import type { Signers } from '../../dids/signers.ts'
import type { Frame } from '../../frame/index.ts'
import { createSealer } from '../../frame/sealing.ts'
import type { MobileVerifier } from '../../mobile-credentials/verify.ts'
import type { SdJwtVerifier } from '../../sd-jwt-credentials/verify.ts'
import type { TenantContexts } from '../../semantic-credentials/contexts.ts'
import type { Presentations } from '../../semantic-credentials/presentations/index.ts'
import type { Events } from '../../webhooks/events.ts'
import { composeOpenIdPresentations } from '../presentations/index.ts'
import { createPresentationChecks } from '../presentations/verify.ts'
import { createWalletAnswers } from './answering.ts'
import { createSignInRequests } from './asking.ts'
import { createVerifierClients } from './clients.ts'
import { createProviderFacts } from './facts.ts'
import { createVerifierKeys } from './keys.ts'
import { createVerifiers } from './lifecycle.ts'
import { createPayloads } from './payloads.ts'
import { createSignInRows } from './rows.ts'
import { createSignInSecrets } from './secrets.ts'
import { createSignIns } from './sign-ins.ts'
import { createSignInChecks } from './verify.ts'

interface Known extends Frame {
  signers: Signers
  contexts: TenantContexts
  presentations: Pick<Presentations, 'checkPresentation'>
  mobileVerifier: MobileVerifier
  sdJwtVerifier: SdJwtVerifier
  trustGate: Pick<TrustGate, 'urlsOf'>
  webhookEvents: Pick<Events, 'emitEvent'>
}

/**
 * Verifiers, which sign people in with their credentials: OpenID Connect to clients, OpenID4VP to wallets; and requests
 * for credentials without OpenID Connect.
 */
export function composeOpenIdVerifiers(known: Known) {
  const sealer = createSealer(known.config.masterKey, 'openid-verifiers')
  const secrets = createSignInSecrets(known)
  const verifierKeys = createVerifierKeys(known)
  const signInRequests = createSignInRequests(known)
  const rows = createSignInRows({ ...known, sealer })
  const presentationChecks = createPresentationChecks(known)
  const parts = { ...known, sealer, secrets, rows, verifierKeys, signInRequests, presentationChecks }
  return {
    verifierKeys,
    oidcVerifiers: createVerifiers(parts),
    oidcClients: createVerifierClients(known),
    oidcPayloads: createPayloads(parts),
    oidcProviderFacts: createProviderFacts(parts),
    signIns: createSignIns(parts),
    walletAnswers: createWalletAnswers({ ...parts, signInChecks: createSignInChecks(parts) }),
    ...composeOpenIdPresentations(parts),
  }
}
