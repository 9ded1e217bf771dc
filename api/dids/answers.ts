import { ISSUER, ISSUER_KEY, V2 } from '../frame/openapi/examples.ts'

const metadata = {
  keys: [{ didDocumentKeyId: ISSUER_KEY, kmsKeyId: '0c7f3a1e-52ce-4d5c-8c1f-8d1de3f0a6b1', custody: 'software' }],
}

const CONTEXT = 'https://identity.foundation/.well-known/did-configuration/v1'

const linkage = {
  '@context': [V2, CONTEXT],
  type: ['VerifiableCredential', 'DomainLinkageCredential'],
  issuer: ISSUER,
  validFrom: '2026-01-01T00:00:00Z',
  validUntil: '2027-01-01T00:00:00Z',
  credentialSubject: { id: ISSUER, origin: 'https://issuer.example' },
  proof: {
    type: 'DataIntegrityProof',
    cryptosuite: 'eddsa-rdfc-2022',
    created: '2026-01-01T00:00:00Z',
    verificationMethod: ISSUER_KEY,
    proofPurpose: 'assertionMethod',
    proofValue: 'z4PAXbE7k2zbj1KE7DbWcT25ESv7XcaU8vYVqGVvVEqhxXrGbfYjiPTrGbrBypJfNMMGWtgEFxonyLjFdc7rmD9fK',
  },
}

const ID = '8f6ad0a2-6c1f-4d5b-9c53-2f9d3f0f8c3a'

/** A success of each operation of this area that its controller has no example of. */
export const DID_ANSWERS = {
  getDIDsList: {
    dids: [{ did: ISSUER, id: ID, metadata, registrationStatus: 'COMPLETED' }],
    limit: 20,
    totalCount: 1,
    totalPages: 1,
  },
  resolveDID: {
    id: ID,
    didDocument: {
      '@context': ['https://www.w3.org/ns/did/v1'],
      id: ISSUER,
      verificationMethod: [
        {
          id: ISSUER_KEY,
          type: 'Multikey',
          controller: ISSUER,
          publicKeyMultibase: ISSUER.slice('did:key:'.length),
        },
      ],
      assertionMethod: [ISSUER_KEY],
    },
    registrationStatus: 'COMPLETED',
    localMetadata: metadata,
    hosting: 'none',
  },
  getLinkedDIDs: { context: CONTEXT, linkedDids: [{ DomainLinkageCredential: linkage }] },
  getDIDConfiguration: { '@context': CONTEXT, linked_dids: [linkage] },
}
