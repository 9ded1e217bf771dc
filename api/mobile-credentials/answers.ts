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
}

const page = (example: object) => ({ data: [example], limit: 20, totalCount: 1, totalPages: 1 })

/** A success of each operation of this area that its controller has no example of. */
export const MOBILE_CREDENTIAL_ANSWERS = {
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
