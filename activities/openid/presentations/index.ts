import type { TrustGate } from '../../../protocol/credentials/trust.ts'
import type { Frame } from '../../frame/index.ts'
import { createSealer } from '../../frame/sealing.ts'
import type { Events } from '../../webhooks/events.ts'
import type { SignInRequests } from '../verifiers/asking.ts'
import type { SignInSecrets } from '../verifiers/secrets.ts'
import { createRequestAnswers } from './answering.ts'
import { createListedAuthorities } from './authorities.ts'
import { SEALED_AS } from './expiry.ts'
import { createRequestLinks } from './links.ts'
import { createRequestPages } from './pages.ts'
import { createPresentationRequests } from './requests.ts'
import { createRequestRows } from './rows.ts'
import type { PresentationChecks } from './verify.ts'

interface Known extends Frame {
  presentationChecks: PresentationChecks
  secrets: SignInSecrets
  signInRequests: SignInRequests
  trustGate: Pick<TrustGate, 'urlsOf'>
  webhookEvents: Pick<Events, 'emitEvent'>
}

/** Requests for credentials by OpenID4VP, for verifiers that use no OpenID Connect. */
export function composeOpenIdPresentations(known: Known) {
  const sealer = createSealer(known.config.masterKey, SEALED_AS)
  const listedAuthorities = createListedAuthorities(known)
  const parts = {
    ...known,
    listedAuthorities,
    rows: createRequestRows({ ...known, sealer }),
    links: createRequestLinks(known),
  }
  return {
    presentationRequests4Vp: createPresentationRequests(parts),
    requestAnswers: createRequestAnswers(parts),
    requestPages: createRequestPages(parts),
  }
}
