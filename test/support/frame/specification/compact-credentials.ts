import { lifetime, PAGE, type Row, row, SNAKE_TOTALS, within } from './rows.ts'

const BASE = '/v1/credentials/compact'
const SEMANTIC = '/v1/credentials/compact-semantic'
const TEMPLATES = `${BASE}/configurations`
const PDF_TEMPLATES = `${BASE}/pdf/templates`

const CLAIMS = 'aud? exp? iat? iss? nbf? sub? type?'

const TEMPLATE_BODY = `claim_source_id^ credential_mappings expiration^ revocable^ type ${lifetime('expiration')}`
const TEMPLATE = `claim_source_id? credential_mappings expiration? id revocable type ${lifetime('expiration')}`

const PDF_FIELD = 'alternative_text? font_name? is_required key value'
const PDF_TEMPLATE = `fields file_name fonts id metadata name ${within('fields[]', PDF_FIELD)}`

const QR = { body: 'payload width^' }
const REVOKED = { body: 'is_revoked', answer: '' }

export const COMPACT_ROWS: Row[] = [
  row('signCompactCredential', `POST ${BASE}/sign`, 200, {
    body: `payload revocable ${within('payload', CLAIMS)}`,
    answer: `decoded encoded id decoded.jti~ decoded.status? ${within('decoded', CLAIMS)}`,
  }),
  row('verifyCompactCredential', `POST ${BASE}/verify`, 200, {
    body: 'payload assert_expiry^ assert_not_before^ check_revocation^ trusted_issuers^',
    answer: `decoded? error? verified ${within('error', 'details message type')}`,
  }),
  row('setCompactCredentialRevocationStatus', `POST ${BASE}/{id}/revocation-status`, 200, REVOKED),
  row('getCompactCredentialQRCode', `POST ${BASE}/qrcode`, 200, QR),
  row('getCompactSchemas', `GET ${TEMPLATES}`, 200, {
    query: `${PAGE} type`,
    answer: `templates ${SNAKE_TOTALS} ${within('templates[]', TEMPLATE)}`,
  }),
  row('createCompactCredentialTemplate', `POST ${TEMPLATES}`, 200, { body: TEMPLATE_BODY, answer: TEMPLATE }),
  row('getCompactCredentialTemplate', `GET ${TEMPLATES}/{id}`, 200, { answer: TEMPLATE }),
  row('updateCompactCredentialTemplate', `PUT ${TEMPLATES}/{id}`, 200, { body: TEMPLATE_BODY, answer: TEMPLATE }),
  row('createCompactCredentialPdf', `POST ${BASE}/pdf`, 200),
  row('createCompactCredentialPdfTemplate', `POST ${PDF_TEMPLATES}`, 200, { answer: PDF_TEMPLATE }),
  row('getCompactCredentialPdfTemplateById', `GET ${PDF_TEMPLATES}/{id}`, 200, { answer: PDF_TEMPLATE }),
  row('updateCompactCredentialPdfTemplate', `PUT ${PDF_TEMPLATES}/{id}`, 200, { answer: PDF_TEMPLATE }),
  // "set the revocation status of a credential" and "get a QR code"
  row('setCompactSemanticCredentialRevocationStatus', `POST ${SEMANTIC}/{id}/revocation-status`, 200, REVOKED),
  row('getCompactSemanticCredentialQRCode', `POST ${SEMANTIC}/qrcode`, 200, QR),
]

const MOBILE = '/v1/credentials/mobile'
const BRANDING = 'backgroundColor? description? issuerIcon? issuerLogo? name? watermarkImage?'

export const MOBILE_ROWS: Row[] = [
  row('signMobileCredential', `POST ${MOBILE}/sign`, 200, {
    body: [
      'documentSignerId^ payload payload.branding? payload.docType payload.itemsToSign',
      within('payload.branding', BRANDING),
    ].join(' '),
    answer: `decoded encoded decoded.branding? decoded.issuerAuth decoded.namespaces ${within('decoded.branding', BRANDING)}`,
  }),
  row('createMobileCredentialsDocumentSigner', `POST ${MOBILE}/document-signers`, 201, { answer: 'id active' }),
  row('updateMobileCredentialsDocumentSigner', `PUT ${MOBILE}/document-signers/{id}`, 200, { answer: 'id active' }),
]
