import type { ProblemTable } from '../frame/openapi/document.ts'
import { ref, text } from '../frame/openapi/json.ts'
import { printedPattern } from '../frame/openapi/patterns.ts'
import type { Schemas } from '../frame/openapi/schemas.ts'
import { ENCODED } from './examples.ts'
import { PDF_TEMPLATE_ANSWER, PDF_TEMPLATE_EXAMPLE } from './pdf.examples.ts'

export const PDF_SCHEMAS: Schemas = {
  PdfName: { type: 'string', minLength: 1, maxLength: 255, pattern: printedPattern() },
  PdfFileName: {
    type: 'string',
    minLength: 1,
    maxLength: 255,
    pattern: printedPattern('/\\\\:*?"<>|', '.'),
    example: 'pass.pdf',
  },
  PdfValue: { ...text(1_000), example: '{{ given_name }} until {{ date expiry "dd MMM yyyy" }}' },
  PdfBytes: {
    type: 'string',
    format: 'byte',
    minLength: 4,
    maxLength: 1_048_576,
    pattern: '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)$',
  },
  PdfFontFile: {
    type: 'string',
    pattern: '^[A-Za-z0-9_][A-Za-z0-9._ -]{0,99}\\.([oO][tT][fF]|[tT][tT][fF])$',
    example: 'Regular.ttf',
  },
  PdfTemplateNewIn: {
    allOf: [
      ref('PdfTemplateIn'),
      { type: 'object', required: ['template_file'], properties: { template_file: ref('PdfBytes') } },
    ],
  },
  PdfMetadata: {
    type: 'object',
    properties: Object.fromEntries(
      ['title', 'author', 'subject', 'keywords'].map((name) => [
        name,
        { type: 'string', minLength: 1, maxLength: 500, pattern: printedPattern() },
      ]),
    ),
    additionalProperties: false,
  },
}

export const PDF_EXAMPLES = {
  createCompactCredentialPdf: { templateId: PDF_TEMPLATE_ANSWER.id, payload: ENCODED },
  createCompactCredentialPdfTemplate: PDF_TEMPLATE_EXAMPLE,
  updateCompactCredentialPdfTemplate: PDF_TEMPLATE_EXAMPLE,
}

export const PDF_ANSWERS = {
  listCompactCredentialPdfTemplates: { data: [PDF_TEMPLATE_ANSWER], limit: 20, total_count: 1, total_pages: 1 },
  createCompactCredentialPdfTemplate: PDF_TEMPLATE_ANSWER,
  getCompactCredentialPdfTemplateById: PDF_TEMPLATE_ANSWER,
  updateCompactCredentialPdfTemplate: PDF_TEMPLATE_ANSWER,
}

const UPLOAD = { 400: 'pdf_template.invalid', 413: 'pdf_template.too_large' }

export const PDF_REFUSALS = {
  createCompactCredentialPdf: {
    400: 'pdf.not_filled',
    404: 'pdf_template.not_found',
    413: 'compact_credential.too_long',
  },
  createCompactCredentialPdfTemplate: { ...UPLOAD, 409: 'pdf_template.too_many' },
  updateCompactCredentialPdfTemplate: { ...UPLOAD, 409: 'pdf_template.changed' },
}

export const PDF_NOT_FOUND = { '/v1/credentials/compact/pdf/templates/{id}': 'pdf_template.not_found' }

export const PDF_PROBLEMS: ProblemTable = {
  400: {
    'compact_credential.not_verified': {
      meaning: 'The credential does not verify, so no PDF of it is made; the code in errors is the failed check.',
      remedy:
        'Send a credential that verifyCompactCredential verifies: not expired, not revoked, of an issuer that can be reached.',
    },
    'pdf.not_filled': {
      meaning: 'The claims of the credential do not fill the PDF template.',
      remedy:
        'Correct what errors names: add the claim, shorten the text, or add a font that has the characters to the template.',
    },
    'pdf_template.archive_invalid': {
      meaning: 'The ZIP archive cannot be read, or has files that a PDF template does not have.',
      remedy: 'Send template.pdf and config.json at the top of the archive and the fonts in fonts/, and no other file.',
    },
    'pdf_template.font_invalid': {
      meaning: 'A font is missing, is not named, or is no TrueType or OpenType font that can be read.',
      remedy:
        'Send each font that fonts names as a complete .ttf or .otf file; collections and WOFF are not supported.',
    },
    'pdf_template.invalid': {
      meaning: 'The members of the PDF template break a rule, or do not agree with the fields of the PDF.',
      remedy: 'Correct the members that errors names; fields needs one entry for each text field of the PDF.',
    },
    'pdf_template.pdf_invalid': {
      meaning:
        'The PDF cannot be a template: it cannot be read or filled, is encrypted, contains code, files or links of other schemes, or lacks the button qrCode.',
      remedy:
        'Save the PDF again without protection, scripts and attachments, with links to https, http, mailto or tel only, with text fields and one button qrCode on page 1.',
    },
    'pdf_template.too_complex': {
      meaning: 'The PDF takes too much time or memory to process.',
      remedy: 'Simplify the PDF: fewer pages, objects, fields and fonts.',
    },
  },
  404: {
    'pdf_template.not_found': {
      meaning: 'There is no such PDF template.',
      remedy: 'Look the id up with listCompactCredentialPdfTemplates.',
    },
  },
  409: {
    'pdf_template.changed': {
      meaning: 'Another request changed the template while this one was checked, and this one leaves files out.',
      remedy: 'Read the template, and send the change again.',
    },
    'pdf_template.too_many': {
      meaning: 'The tenant has as many PDF templates as it may have: 100.',
      remedy: 'Delete a PDF template that you no longer need.',
    },
  },
  413: {
    'pdf_template.too_large': {
      meaning: 'A file of the PDF template is too large; errors names it and the limit.',
      remedy: 'Reduce the images and fonts of the PDF, or upload fonts with fewer characters.',
    },
  },
}
