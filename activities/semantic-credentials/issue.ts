import type { TemplateRef } from '../credentials/format.ts'
import type { Issuing, SignedCredential } from '../credentials/issue.ts'
import type { Call } from '../frame/operations.ts'
import { credentialOf, type Signing, type SignRequest } from './sign.ts'

/** Area 4, Web semantic credentials (specification, Endpoints): what all formats share is in activities/credentials. */
export const createSemanticCredentials = ({ issuing, signing }: { issuing: Issuing; signing: Signing }) => ({
  /**
   * Signs and records a credential; it is returned only if it was recorded. Refusals: `credential.*` with the fields at
   * fault, `context.*`; `Unavailable('keys')` when the key store is unavailable. `template`: the version that made the
   * payload.
   */
  signCredential: (call: Call, request: SignRequest, template?: TemplateRef): Promise<SignedCredential> =>
    issuing.issue(call, { name: 'semantic', sign: signing.sign, credentialOf }, request, template),
})

export type SemanticCredentials = ReturnType<typeof createSemanticCredentials>
