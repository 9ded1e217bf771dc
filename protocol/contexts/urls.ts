/** URLs of the contexts that the platform puts into documents. */
export const CONTEXT = {
  credentialsV1: 'https://www.w3.org/2018/credentials/v1',
  credentialsV2: 'https://www.w3.org/ns/credentials/v2',
  dataIntegrityV2: 'https://w3id.org/security/data-integrity/v2',
  ed25519Signature2018: 'https://w3id.org/security/suites/ed25519-2018/v1',
  ed25519Signature2020: 'https://w3id.org/security/suites/ed25519-2020/v1',
  revocationList2020: 'https://w3id.org/vc-revocation-list-2020/v1',
  didConfigurationV1: 'https://identity.foundation/.well-known/did-configuration/v1',
  didConfigurationV02: 'https://identity.foundation/.well-known/contexts/did-configuration-v0.2.jsonld',
  /** The examples of the recommendations; its vocabulary defines every term. */
  examplesV2: 'https://www.w3.org/ns/credentials/examples/v2',
} as const
