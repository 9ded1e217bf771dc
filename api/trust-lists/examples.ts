import type { TrustListOut } from './wire.ts'

/** Its entries are typed. */
export const TRUST_LIST: TrustListOut = {
  id: '3f2a9c1e-6b47-4d0a-8e15-92c7d4b6a8f0',
  name: 'Universities of Example',
  formats: ['web-semantic', 'sd-jwt-vc'],
  attests: [],
  enforced: true,
  state: 'current',
  entryCount: 1,
  source: null,
  imported: null,
  fetchedAt: null,
  nextRefreshAt: null,
  staleAt: null,
  failure: null,
  createdAt: '2027-01-01T00:00:00.000Z',
  updatedAt: '2027-01-01T00:00:00.000Z',
  entries: [
    {
      name: 'Law school',
      certificate: null,
      certificateFingerprint: null,
      identifier: 'did:web:law.university.example',
    },
  ],
}

/** Its entries are those of a list of ETSI. */
export const IMPORTED_LIST: TrustListOut = {
  id: '8d5b7c2a-4f1e-4b9a-a3d6-0c2e9f7b1a54',
  enforced: true,
  state: 'current',
  entryCount: 1,
  failure: null,
  createdAt: '2027-01-01T00:00:00.000Z',
  updatedAt: '2027-01-01T06:00:00.000Z',
  name: 'Providers of person identification data',
  formats: ['mobile', 'sd-jwt-vc'],
  attests: [],
  source: {
    format: 'ts-119-602',
    url: 'https://lists.example/pid-providers.jwt',
    signers: ['-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----\n'],
    listOfLists: null,
    serviceTypes: ['http://uri.etsi.org/19602/SvcType/PID/Issuance'],
    refreshHours: 6,
    graceHours: 24,
  },
  imported: {
    type: 'http://uri.etsi.org/19602/LoTEType/EUPIDProvidersList',
    sequenceNumber: 17,
    issuedAt: '2027-01-01T00:00:00.000Z',
    nextUpdate: '2027-01-08T00:00:00.000Z',
    skipped: 0,
    listOfLists: null,
  },
  fetchedAt: '2027-01-01T06:00:00.000Z',
  nextRefreshAt: '2027-01-01T12:00:00.000Z',
  staleAt: '2027-01-09T00:00:00.000Z',
  entries: [
    {
      name: 'Ministry of the Interior',
      certificate: '-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----\n',
      certificateFingerprint: 'b1c0a2f57f0a4c6d9e8b3a5d7c1f2e4b6a8d0c9e7f5b3a1d2c4e6f8a0b9c7d5e',
      identifier: null,
    },
  ],
}
