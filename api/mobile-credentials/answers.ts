const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBxjCCAWygAwIBAgIQZKWDZdxYztfJwV2CVsUMkjAKBggqhkjOPQQDAjAuMQsw
CQYDVQQGEwJOTDEfMB0GA1UEAwwWaXNzdWVyLmV4YW1wbGUgSUFDQQ==
-----END CERTIFICATE-----
`

export const IACA_ID = '4b1d0f6a-7c0e-4a35-9a44-9f0f2c1f6a51'
export const SIGNER_ID = '9a7b6c5d-4e3f-4a2b-8c1d-0e9f8a7b6c5d'

const data = (commonName: string, notAfter: string) => ({
  commonName,
  country: 'NL',
  notBefore: '2027-01-01T00:00:00.000Z',
  notAfter,
})

const fingerprint = '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae'

const iaca = {
  id: IACA_ID,
  active: true,
  managed: true,
  usability: 'usable',
  certificatePem: CERTIFICATE,
  certificateFingerprint: fingerprint,
  certificateData: data('issuer.example IACA', '2036-01-01T00:00:00.000Z'),
}

const signer = {
  id: SIGNER_ID,
  iacaId: IACA_ID,
  active: true,
  usability: 'usable',
  publicKey: {
    kty: 'EC',
    crv: 'P-256',
    x: 'usWxHK2PmfnHKwXPS54m0kTcGJ90UiglWiGahtagnv8',
    y: 'IBOL-C3BttVivg-lSreASjpkttcsz-1rb7btKLv8EX4',
  },
  certificatePem: CERTIFICATE,
  certificateFingerprint: fingerprint,
  certificateData: data('issuer.example Document Signer', '2028-01-01T00:00:00.000Z'),
  revoked: false,
  renew: true,
}

const page = (example: object) => ({ data: [example], limit: 20, totalCount: 1, totalPages: 1 })

export const MOBILE_TEMPLATE_EXAMPLE = {
  type: 'org.iso.18013.5.1.mDL',
  claim_mappings: {
    'org.iso.18013.5.1': {
      family_name: { map_from: 'claims.family_name', required: true },
      given_name: { map_from: 'claims.given_name' },
      issuing_country: { default_value: 'NL' },
    },
  },
  expiration: { months: 6 },
  revocable: true,
}

const template = { id: '7e6d5c4b-3a29-4f18-8e07-d6c5b4a39281', version: 1, ...MOBILE_TEMPLATE_EXAMPLE }

export const MOBILE_SIGN_EXAMPLE = {
  payload: {
    branding: { name: 'Driving licence', description: 'Of an example state', backgroundColor: '#B00AA0' },
    docType: 'org.iso.18013.5.1.mDL',
    itemsToSign: {
      'org.iso.18013.5.1': {
        family_name: 'Lovelace',
        given_name: 'Ada',
        birth_date: '1990-12-10',
        issue_date: '2027-01-01',
        expiry_date: '2037-01-01',
        issuing_country: 'NL',
        document_number: 'NL-123456',
        portrait: '_9j_4AAQSkZJRgABAQ',
        driving_privileges: [
          { vehicle_category_code: 'B', issue_date: '2027-01-01', expiry_date: '2037-01-01', codes: [{ code: '01' }] },
        ],
        age_over_18: true,
      },
    },
    deviceKeyInfo: {
      deviceKey: {
        kty: 'EC',
        crv: 'P-256',
        x: 'usWxHK2PmfnHKwXPS54m0kTcGJ90UiglWiGahtagnv8',
        y: 'IBOL-C3BttVivg-lSreASjpkttcsz-1rb7btKLv8EX4',
      },
    },
  },
  revocable: true,
}

/** IssuerSigned in base64url, cut short. */
export const ENCODED = 'omppc3N1ZXJBdXRohEOhASahGCFZAcYwggHGMIIBbKADAgECAhBkpYNl3FjO18nBXYJWxQyS'

const namespaces = { 'org.iso.18013.5.1': { family_name: 'Lovelace', age_over_18: true } }
const CREDENTIAL_ID = '2a1fbdfb-4f8f-4a06-a2f3-4bb9c6d7d3a8'
const row = {
  id: CREDENTIAL_ID,
  docType: 'org.iso.18013.5.1.mDL',
  documentSignerId: SIGNER_ID,
  issuanceDate: '2027-01-01T00:00:00.000Z',
  expirationDate: '2028-01-01T00:00:00.000Z',
  revocable: true,
  isRevoked: false,
}
const decoded = {
  docType: 'org.iso.18013.5.1.mDL',
  branding: { name: 'Driving licence' },
  issuerAuth: 'hEOhASahGCFZAcYwggHGMIIBbKADAgECAhBkpYNl3FjO18nBXYJWxQyS',
  namespaces,
  status: {
    status_list: {
      idx: 41_873,
      uri: 'https://issuer.example/v1/credentials/mobile/status-lists/7d3a8c1e-0b52-4f0e-9b0e-3f1d6a2c9b10',
    },
  },
}
const validityInfo = {
  signed: '2027-01-01T00:00:00.000Z',
  validFrom: '2027-01-01T00:00:00.000Z',
  validUntil: '2028-01-01T00:00:00.000Z',
}

/** A success of each operation of this area that its controller has no example of. */
export const MOBILE_CREDENTIAL_ANSWERS = {
  signMobileCredential: { id: CREDENTIAL_ID, encoded: ENCODED, decoded },
  verifyMobileCredential: {
    verified: false,
    reason: [{ type: 'Expired', message: 'The credential has expired.' }],
    documents: [
      {
        docType: 'org.iso.18013.5.1.mDL',
        verified: false,
        reason: [{ type: 'Expired', message: 'The credential has expired.' }],
        warnings: ['NoDevice'],
        namespaces,
        issuerFingerprint: fingerprint,
        validityInfo,
      },
    ],
  },
  listMobileCredentials: page(row),
  getMobileCredentialRevocationStatus: { isRevoked: false },
  setMobileCredentialRevocationStatus: {},
  getMobileCredential: { ...row, encoded: ENCODED, namespaces },
  listMobileCredentialTemplates: { data: [template], limit: 20, total_count: 1, total_pages: 1 },
  createMobileCredentialTemplate: template,
  getMobileCredentialTemplate: template,
  updateMobileCredentialTemplate: { ...template, version: 2 },
  createMobileCredentialsIaca: iaca,
  listMobileCredentialsIacas: page(iaca),
  getMobileCredentialsIaca: iaca,
  updateMobileCredentialsIaca: { ...iaca, active: false, usability: 'inactive' },
  createMobileCredentialsDocumentSigner: signer,
  listMobileCredentialsDocumentSigners: page(signer),
  getMobileCredentialsDocumentSigner: signer,
  updateMobileCredentialsDocumentSigner: { ...signer, active: false, usability: 'inactive' },
  revokeMobileCredentialsDocumentSigner: {
    ...signer,
    active: false,
    usability: 'revoked',
    revoked: true,
    revocationDate: '2027-06-01T00:00:00.000Z',
  },
  getPublishedIacas: { iacas: [{ certificate: 'MIIBxjCCAWygAwIBAgIQZKWDZdxYztfJwV2CVsUMkjAKBggqhkjOPQQDAjAu' }] },
  getPublishedIacaCertificate: 'DER',
  getPublishedIacaCertificatePem: CERTIFICATE,
  getPublishedIacaCrl: 'DER',
}
