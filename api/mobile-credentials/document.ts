import type { MOBILE_CREDENTIAL_OPERATIONS } from '../../protocol/mobile-credentials/operations.ts'
import type { AreaDocument } from '../frame/openapi/document.ts'
import { ENCODED, MOBILE_CREDENTIAL_ANSWERS, MOBILE_SIGN_EXAMPLE, MOBILE_TEMPLATE_EXAMPLE } from './answers.ts'
import { MOBILE_CREDENTIAL_SCHEMAS } from './schemas.ts'

type Published =
  | 'getPublishedIacas'
  | 'getPublishedIacaCertificate'
  | 'getPublishedIacaCertificatePem'
  | 'getPublishedIacaCrl'
  | 'getMobileStatusList'

/** Facts of this area's operations that the generator cannot derive (api/frame/openapi/document.ts). */
export const MOBILE_CREDENTIAL_DOCUMENT: AreaDocument<keyof typeof MOBILE_CREDENTIAL_OPERATIONS | Published> = {
  examples: {
    signMobileCredential: MOBILE_SIGN_EXAMPLE,
    verifyMobileCredential: { payload: ENCODED },
    setMobileCredentialRevocationStatus: { isRevoked: true },
    createMobileCredentialTemplate: MOBILE_TEMPLATE_EXAMPLE,
    updateMobileCredentialTemplate: MOBILE_TEMPLATE_EXAMPLE,
    createMobileCredentialsIaca: { country: 'NL', commonName: 'Example State IACA' },
    updateMobileCredentialsIaca: { active: true },
    createMobileCredentialsDocumentSigner: { active: true, commonName: 'Example State Document Signer' },
    updateMobileCredentialsDocumentSigner: { active: true },
  },
  notFound: {
    '/v1/credentials/mobile/configurations/{id}': 'credential_template.not_found',
    '/v1/credentials/mobile/{id}': 'credential.not_found',
    '/v1/credentials/mobile/iacas/{id}': 'iaca.not_found',
    '/v1/credentials/mobile/document-signers/{id}': 'document_signer.not_found',
    '/v1/iacas/{id}': 'iaca.not_found',
    '/v1/credentials/mobile/status-lists/{id}': 'status_list.not_found',
  },
  answers: MOBILE_CREDENTIAL_ANSWERS,
  downloads: {
    getMobileStatusList: {
      'application/statuslist+cwt': '<a CWT>',
      'application/statuslist+jwt': 'eyJhbGciOiJFUzI1NiIsInR5cCI6InN0YXR1c2xpc3Qrand0In0.<claims>.<signature>',
    },
  },
  located: ['createMobileCredentialTemplate'],
  schemas: MOBILE_CREDENTIAL_SCHEMAS,
  refusals: {
    createMobileCredentialTemplate: { 400: 'credential_template.invalid' },
    updateMobileCredentialTemplate: { 400: 'credential_template.invalid' },
    getMobileStatusList: { 410: 'status_list.issuer_gone' },
    signMobileCredential: {
      400: 'credential.invalid',
      404: 'document_signer.not_found',
      409: 'document_signer.not_usable',
    },
    setMobileCredentialRevocationStatus: { 400: 'credential.not_revocable' },
    createMobileCredentialsIaca: { 400: 'iaca.certificate_invalid', 409: 'iaca.too_many' },
    deleteMobileCredentialsIaca: { 409: 'iaca.in_use' },
    createMobileCredentialsDocumentSigner: { 404: 'iaca.not_found', 409: 'document_signer.too_many' },
    updateMobileCredentialsDocumentSigner: {
      400: 'document_signer.certificate_invalid',
      409: 'document_signer.not_usable',
    },
    getPublishedIacas: { 404: 'iaca.not_found' },
  },
  problems: [
    {
      400: {
        'certificate.malformed': {
          meaning: 'The certificate is not one X.509 certificate in PEM.',
          remedy: 'Send one certificate between -----BEGIN CERTIFICATE----- and -----END CERTIFICATE-----.',
        },
        'document_signer.certificate_invalid': {
          meaning:
            'The certificate does not fit the document signer and its IACA; errors names each rule that it breaks.',
          remedy:
            'Have the IACA certify csrPem of the document signer again, with the profile of ISO/IEC 18013-5, annex B.',
        },
        'iaca.certificate_invalid': {
          meaning:
            'The certificate is not an IACA root certificate of ISO/IEC 18013-5; errors names each rule that it breaks.',
          remedy: 'Send the root certificate of the IACA, not that of a document signer.',
        },
      },
      404: {
        'document_signer.not_found': {
          meaning: 'The tenant has no such document signer.',
          remedy: 'Use an id that the list of document signers shows.',
        },
        'iaca.not_found': {
          meaning: 'The tenant has no such IACA.',
          remedy: 'Use an id that the list of IACAs shows.',
        },
      },
      409: {
        'document_signer.missing': {
          meaning: 'The tenant has no usable document signer.',
          remedy: 'Create one with createMobileCredentialsDocumentSigner, then repeat the request.',
        },
        'document_signer.certified': {
          meaning: 'The document signer has its certificate from an IACA of the platform.',
          remedy: 'Create a document signer with iacaId of an imported IACA to certify it yourself.',
        },
        'document_signer.not_usable': {
          meaning:
            'The document signer cannot sign: it is inactive, not certified, not valid now, or revoked. A revoked one takes no certificate.',
          remedy: 'Set active with updateMobileCredentialsDocumentSigner, or name another document signer.',
        },
        'document_signer.too_many': {
          meaning: 'The tenant has five document signers that are neither deleted, revoked nor expired.',
          remedy:
            'Delete one with deleteMobileCredentialsDocumentSigner: what it signed still verifies, but cannot be revoked any more where no other signer of its IACA is left. Revoke one only if nothing that it signed may verify. Then repeat the request.',
        },
        'iaca.in_use': {
          meaning:
            'The IACA has document signers, or certificates of it were revoked that have not expired: its list names them.',
          remedy:
            'Delete its document signers, then delete the IACA. Set it inactive where its list is needed until the time that detail names.',
        },
        'iaca.missing': {
          meaning: 'The tenant has no usable IACA of its own.',
          remedy: 'Create an IACA, or name an imported one as iacaId.',
        },
        'iaca.not_usable': {
          meaning: 'The IACA is inactive or not valid now, and certifies no document signer.',
          remedy: 'Name another IACA as iacaId, or create one.',
        },
        'iaca.taken': {
          meaning: 'The tenant has an IACA with this certificate already.',
          remedy: 'Use the IACA that the list of IACAs shows.',
        },
        'iaca.too_many': {
          meaning: 'The tenant has as many IACAs as it may have.',
          remedy: 'Delete an IACA that is not used any more.',
        },
      },
    },
  ],
}
