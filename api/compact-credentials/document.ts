import type { COMPACT_CREDENTIAL_OPERATIONS } from '../../protocol/compact-credentials/operations.ts'
import type { AreaDocument } from '../frame/openapi/document.ts'
import { HOLDER, ISSUER } from '../frame/openapi/examples.ts'
import { COMPACT_ANSWERS } from './answers.ts'
import { ENCODED, SEMANTIC_ENCODED } from './examples.ts'
import { PDF_ANSWERS, PDF_EXAMPLES, PDF_NOT_FOUND, PDF_PROBLEMS, PDF_REFUSALS, PDF_SCHEMAS } from './pdf.document.ts'
import { COMPACT_SCHEMAS } from './schemas.ts'

const TEMPLATE = {
  type: 'CourseCredential',
  credential_mappings: { course: { map_from: 'claims.course', required: true }, grade: { default_value: 'A' } },
  expiration: { years: 1 },
  revocable: true,
}

const QR_CODE = {
  replaces: 'payload',
  description: 'A PNG, JPEG or PDF of at most 1 MiB with the QR code of the credential.',
  types: ['image/png', 'image/jpeg', 'application/pdf'],
}

const IMAGES = { 'image/png': '<a PNG>', 'image/svg+xml': '<svg xmlns="http://www.w3.org/2000/svg"/>' }

/** Facts of this area's operations that the generator cannot derive (api/frame/openapi/document.ts). */
export const COMPACT_CREDENTIAL_DOCUMENT: AreaDocument<
  keyof typeof COMPACT_CREDENTIAL_OPERATIONS | 'getCompactRevocationLists' | 'getCompactRevocationList'
> = {
  examples: {
    signCompactCredential: {
      payload: {
        iss: ISSUER,
        sub: HOLDER,
        type: 'CourseCredential',
        property_set: { course: 'CS-101', grade: 'A', passed: true },
      },
      revocable: true,
    },
    verifyCompactCredential: { payload: ENCODED },
    setCompactCredentialRevocationStatus: { is_revoked: true },
    signCompactSemanticCredential: {
      payload: {
        '@context': ['https://www.w3.org/2018/credentials/v1', { course: 'https://schema.org/courseCode' }],
        type: ['VerifiableCredential'],
        issuer: { id: ISSUER, name: 'Example University' },
        issuanceDate: '2026-01-01T00:00:00Z',
        credentialSubject: { id: HOLDER, course: 'CS-101' },
      },
      revocable: true,
    },
    verifyCompactSemanticCredential: { payload: SEMANTIC_ENCODED },
    setCompactSemanticCredentialRevocationStatus: { is_revoked: true },
    createCompactCredentialTemplate: TEMPLATE,
    updateCompactCredentialTemplate: { ...TEMPLATE, expiration: { months: 18 } },
    signCompactCredentialFromTemplate: { claims: { course: 'CS-101' }, issuer_did: ISSUER },
    createCompactSemanticCredentialTemplate: TEMPLATE,
    updateCompactSemanticCredentialTemplate: { ...TEMPLATE, expiration: { months: 18 } },
    signCompactSemanticCredentialFromTemplate: { claims: { course: 'CS-101' }, issuer_did: ISSUER },
    getCompactCredentialQRCode: { payload: ENCODED, width: 400 },
    getCompactSemanticCredentialQRCode: { payload: SEMANTIC_ENCODED },
    ...PDF_EXAMPLES,
  },
  answers: { ...COMPACT_ANSWERS, ...PDF_ANSWERS },
  archives: ['createCompactCredentialPdfTemplate', 'updateCompactCredentialPdfTemplate'],
  downloads: {
    getCompactCredentialQRCode: IMAGES,
    getCompactSemanticCredentialQRCode: IMAGES,
    getCompactRevocationList: {
      'application/cwt': '<a CWT>',
      'application/statuslist+jwt': 'eyJhbGciOiJFUzI1NiIsInR5cCI6InN0YXR1c2xpc3Qrand0In0.<claims>.<signature>',
      'application/statuslist+cwt': '<a CWT>',
    },
    createCompactCredentialPdf: { 'application/pdf': '<a PDF>' },
  },
  files: { verifyCompactCredential: QR_CODE, verifyCompactSemanticCredential: QR_CODE },
  schemas: { ...COMPACT_SCHEMAS, ...PDF_SCHEMAS },
  refusals: {
    getCompactRevocationList: { 410: 'status_list.issuer_gone' },
    createCompactCredentialTemplate: { 400: 'credential_template.invalid', 409: 'credential_template.type_taken' },
    updateCompactCredentialTemplate: { 400: 'credential_template.invalid', 409: 'credential_template.type_taken' },
    signCompactCredentialFromTemplate: {
      400: 'credential_template.claims_missing',
      409: 'credential.issuer_not_chosen',
    },
    createCompactSemanticCredentialTemplate: {
      400: 'credential_template.invalid',
      409: 'credential_template.type_taken',
    },
    updateCompactSemanticCredentialTemplate: {
      400: 'credential_template.invalid',
      409: 'credential_template.type_taken',
    },
    signCompactSemanticCredentialFromTemplate: {
      400: 'credential_template.claims_missing',
      409: 'credential.issuer_not_chosen',
    },
    signCompactCredential: { 400: 'credential.invalid', 409: 'credential.issuer_not_chosen' },
    signCompactSemanticCredential: { 400: 'credential.invalid', 409: 'credential.issuer_not_chosen' },
    setCompactCredentialRevocationStatus: { 400: 'credential.not_revocable' },
    getCompactCredentialQRCode: { 400: 'qr_code.too_narrow', 413: 'compact_credential.too_long' },
    getCompactSemanticCredentialQRCode: { 400: 'qr_code.too_narrow', 413: 'compact_credential.too_long' },
    setCompactSemanticCredentialRevocationStatus: { 400: 'credential.not_revocable' },
    ...PDF_REFUSALS,
  },
  notFound: {
    '/v1/credentials/compact/{id}': 'credential.not_found',
    '/v1/credentials/compact-semantic/{id}': 'credential.not_found',
    '/v1/credentials/compact/configurations/{id}': 'credential_template.not_found',
    '/v1/credentials/compact-semantic/configurations/{id}': 'credential_template.not_found',
    '/v1/credentials/compact/revocation-lists/{id}': 'status_list.not_found',
    ...PDF_NOT_FOUND,
  },
  problems: [
    {
      400: {
        'compact_credential.malformed': {
          meaning: 'The text is not a compact credential that can be read.',
          remedy: 'Send the member encoded of the answer to signing, or the text of its QR code, without changes.',
        },
        'qr_code.too_narrow': {
          meaning: 'The width is less than the QR code has modules; errors names the least one.',
          remedy: 'Send at least the width that errors names, or leave width out for the best one.',
        },
        'qr_code.too_wide': {
          meaning: 'The width is more than 2,048 pixels.',
          remedy: 'Send at most 2048 as width, or ask for image/svg+xml, which scales without loss.',
        },
        'scan.unreadable': {
          meaning: 'The file is damaged, protected by a password, or too large once it is unpacked.',
          remedy: 'Open the file yourself; then save it anew as PNG, JPEG or PDF without a password.',
        },
        'scan.too_complex': {
          meaning: 'The file takes too long to search for a QR code.',
          remedy: 'Cut the image to the QR code, or send only the page with the QR code.',
        },
      },
      409: {
        'credential_template.type_taken': {
          meaning: 'Another compact or compact-semantic template of the tenant has the type.',
          remedy: 'Choose another type, or change the template that has it.',
        },
      },
      413: {
        'compact_credential.too_long': {
          meaning: 'The credential is too long for a QR code.',
          remedy: 'Sign the credential with fewer or shorter claims.',
        },
        'scan.too_many_pixels': {
          meaning: 'The image has more than 16,000,000 pixels.',
          remedy: 'Make the image smaller, or cut it to the QR code.',
        },
      },
    },
    PDF_PROBLEMS,
  ],
}
