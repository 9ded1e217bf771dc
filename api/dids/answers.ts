import { didConfiguration, domainLinkageCredential, linkedDidsList } from '../../protocol/dids/linked.ts'
import { ISSUER, ISSUER_KEY } from '../frame/openapi/examples.ts'

const metadata = {
  keys: [{ didDocumentKeyId: ISSUER_KEY, kmsKeyId: '0c7f3a1e-52ce-4d5c-8c1f-8d1de3f0a6b1', custody: 'software' }],
}

const linkage = {
  ...domainLinkageCredential({
    did: ISSUER,
    origin: 'https://issuer.example',
    issuedAt: new Date('2026-01-01T00:00:00Z'),
    expiresAt: new Date('2027-01-01T00:00:00Z'),
  }),
  proof: {
    type: 'Ed25519Signature2018',
    created: '2026-01-01T00:00:00Z',
    verificationMethod: ISSUER_KEY,
    proofPurpose: 'assertionMethod',
    jws: `eyJhbGciOiJFZERTQSIsImI2NCI6ZmFsc2UsImNyaXQiOlsiYjY0Il19..${'k3Tq'.repeat(21)}Aw`,
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
  getLinkedDIDs: linkedDidsList([linkage]),
  getDIDConfiguration: didConfiguration([linkage]),
}
