import { ISSUER, ISSUER_KEY } from '../frame/openapi/examples.ts'

const TEMPLATE_ID = '5b6f3e2d-9c41-4f0a-8d57-2f3c1b0e9a84'
const CREDENTIAL_ID = '0d5c7a1e-3b64-4e28-9f10-6a2b8c4d7e93'
const VCT = `https://issuer.example/v1/credentials/sd-jwt-vc/types/${TEMPLATE_ID}/1`

export const HOLDER_KEY = {
  kty: 'EC',
  crv: 'P-256',
  x: 'usWxHK2PmfnHKwXPS54m0kTcGJ90UiglWiGahtagnv8',
  y: 'IBOL-C3BttVivg-lSreASjpkttcsz-1rb7btKLv8EX4',
}

export const SD_JWT_SIGN_EXAMPLE = {
  payload: {
    vct: 'https://credentials.example/identity',
    given_name: 'Ada',
    family_name: 'Lovelace',
    address: { locality: 'London', country: 'GB' },
    nationalities: ['GB', 'IT'],
  },
  selectively: [['given_name'], ['family_name'], ['address', 'locality'], ['nationalities', null]],
  decoys: 2,
  holder_key: HOLDER_KEY,
  revocable: true,
}

export const SD_JWT_TEMPLATE_EXAMPLE = {
  name: 'Identity',
  claims: [
    {
      path: ['given_name'],
      map_from: 'claims.given_name',
      required: true,
      display: [{ locale: 'en', label: 'Given name' }],
    },
    { path: ['address', 'locality'], map_from: 'claims.city' },
    { path: ['issuing_country'], default_value: 'NL', disclosure: 'always' },
  ],
  decoys: 2,
  expiration: { years: 1 },
  revocable: true,
  display: [{ locale: 'en', name: 'Identity', background_color: '#12107C', text_color: '#FFFFFF' }],
}

/** Cut short. */
export const SD_JWT_ENCODED =
  'eyJhbGciOiJFZERTQSIsInR5cCI6ImRjK3NkLWp3dCJ9.eyJ2Y3QiOiJodHRwczovL2NyZWRlbnRpYWxzLmV4YW1wbGUvaWRlbnRpdHkifQ.c2ln~WyJzYWx0IiwiZ2l2ZW5fbmFtZSIsIkFkYSJd~'

const decoded = {
  iss: ISSUER,
  iat: 1_798_761_600,
  vct: SD_JWT_SIGN_EXAMPLE.payload.vct,
  cnf: { jwk: HOLDER_KEY },
  given_name: 'Ada',
}

const signed = { id: CREDENTIAL_ID, encoded: SD_JWT_ENCODED, decoded }

const stored = {
  id: CREDENTIAL_ID,
  vct: SD_JWT_SIGN_EXAMPLE.payload.vct,
  issuer: ISSUER,
  issuance_date: '2027-01-01T00:00:00.000Z',
  revocable: true,
  is_revoked: false,
}

const template = {
  ...SD_JWT_TEMPLATE_EXAMPLE,
  id: TEMPLATE_ID,
  version: 1,
  vct: VCT,
  hosted: true,
  claims: SD_JWT_TEMPLATE_EXAMPLE.claims.map((claim) => ({ disclosure: 'selectively', ...claim })),
  key_binding: true,
  issued_as: 'did',
}

const page = (row: object) => ({ data: [row], limit: 20, total_count: 1, total_pages: 1 })

const CHECKS = ['Syntax', 'Header', 'Disclosures', 'IssuerKey', 'Signature', 'Claims', 'Validity'] as const

/** A success of each operation of this area. */
export const SD_JWT_ANSWERS = {
  signSdJwtCredential: signed,
  verifySdJwtCredential: {
    verified: false,
    checks: CHECKS.map((name) => ({ name, result: name === 'Validity' ? 'failed' : 'passed' })),
    reason: [{ type: 'Validity', code: 'sd_jwt.expired', message: 'The credential has expired.', path: '/exp' }],
    warnings: [],
    claims: decoded,
    selective: ['/given_name'],
    issuer: ISSUER,
  },
  listSdJwtCredentials: page(stored),
  getSdJwtCredential: { ...stored, encoded: SD_JWT_ENCODED, decoded },
  getSdJwtCredentialRevocationStatus: { isRevoked: false },
  setSdJwtCredentialRevocationStatus: {},
  listSdJwtCredentialTemplates: page(template),
  createSdJwtCredentialTemplate: template,
  getSdJwtCredentialTemplate: template,
  updateSdJwtCredentialTemplate: { ...template, version: 2 },
  signSdJwtCredentialFromTemplate: { ...signed, template_id: TEMPLATE_ID, template_version: 1 },
  getSdJwtTypeMetadata: {
    vct: VCT,
    name: 'Identity',
    display: [{ locale: 'en', name: 'Identity' }],
    claims: [{ path: ['given_name'], sd: 'always', display: [{ locale: 'en', label: 'Given name' }] }],
  },
  getJwtVcIssuerMetadata: {
    issuer: 'https://issuer.example',
    jwks: {
      keys: [
        {
          kty: 'OKP',
          crv: 'Ed25519',
          x: 'bOTy7u1NTVUBhYmo1_lEA5MCbG28_8PHRl9pC6R3vXM',
          kid: ISSUER_KEY,
          use: 'sig',
          alg: 'EdDSA',
        },
      ],
    },
  },
}
