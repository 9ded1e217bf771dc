import type { MOBILE_CREDENTIAL_OPERATIONS } from '../../protocol/mobile-credentials/operations.ts'
import type { AreaDocument } from '../frame/openapi/document.ts'
import { ENCODED, MOBILE_CREDENTIAL_ANSWERS, MOBILE_SIGN_EXAMPLE } from './answers.ts'
import { MOBILE_CREDENTIAL_SCHEMAS } from './schemas.ts'

type Published =
  | 'getPublishedIacas'
  | 'getPublishedIacaCertificate'
  | 'getPublishedIacaCertificatePem'
  | 'getPublishedIacaCrl'

/** Facts of this area's operations that the generator cannot derive (api/frame/openapi/document.ts). */
export const MOBILE_CREDENTIAL_DOCUMENT: AreaDocument<keyof typeof MOBILE_CREDENTIAL_OPERATIONS | Published> = {
  examples: {
    signMobileCredential: MOBILE_SIGN_EXAMPLE,
    verifyMobileCredential: { payload: ENCODED },
    createMobileCredentialsIaca: { country: 'NL', commonName: 'Example State IACA' },
    updateMobileCredentialsIaca: { active: true },
    createMobileCredentialsDocumentSigner: { active: true, commonName: 'Example State Document Signer' },
    updateMobileCredentialsDocumentSigner: { active: true },
  },
  notFound: {
    '/v1/credentials/mobile/{id}': 'credential.not_found',
    '/v1/credentials/mobile/iacas/{id}': 'iaca.not_found',
    '/v1/credentials/mobile/document-signers/{id}': 'document_signer.not_found',
    '/v1/iacas/{id}': 'iaca.not_found',
  },
  answers: MOBILE_CREDENTIAL_ANSWERS,
  schemas: MOBILE_CREDENTIAL_SCHEMAS,
  refusals: {
    signMobileCredential: {
      400: 'credential.invalid',
      404: 'document_signer.not_found',
      409: 'document_signer.not_usable',
    },
    createMobileCredentialsIaca: { 400: 'iaca.certificate_invalid', 409: 'iaca.too_many' },
    deleteMobileCredentialsIaca: { 409: 'iaca.in_use' },
    createMobileCredentialsDocumentSigner: { 404: 'iaca.not_found', 409: 'document_signer.too_many' },
    updateMobileCredentialsDocumentSigner: {
      400: 'document_signer.certificate_invalid',
      409: 'document_signer.not_usable',
    },
    getPublishedIacas: { 404: 'iaca.not_found' },
  },
  problems: {
    400: {
      'certificate.malformed': 'The certificate is not one X.509 certificate in PEM.',
      'document_signer.certificate_invalid':
        'The certificate does not fit the document signer and its IACA; errors names each rule that it breaks.',
      'iaca.certificate_invalid':
        'The certificate is not an IACA root certificate of ISO/IEC 18013-5; errors names each rule that it breaks.',
    },
    404: {
      'document_signer.not_found': 'The tenant has no such document signer.',
      'iaca.not_found': 'The tenant has no such IACA.',
    },
    409: {
      'document_signer.missing': 'The tenant has no usable document signer; create one first.',
      'document_signer.certified': 'The document signer has its certificate of an IACA of the platform.',
      'document_signer.not_usable':
        'The document signer cannot sign: it is inactive, not certified, not valid now, or revoked.',
      'document_signer.too_many': 'The tenant has five document signers that are neither deleted, revoked nor expired.',
      'iaca.in_use': 'The IACA has document signers; delete them first.',
      'iaca.missing': 'The tenant has no usable IACA of its own; create one first, or name one.',
      'iaca.not_usable': 'The IACA is inactive or not valid now, and certifies no document signer.',
      'iaca.taken': 'The tenant has an IACA with this certificate already.',
      'iaca.too_many': 'The tenant has as many IACAs as it may have; delete one first.',
    },
  },
}
