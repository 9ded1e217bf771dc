import { lifetime, PAGE, type Row, row, SNAKE_TOTALS, within } from './rows.ts'

const BASE = '/v1/credentials/web-semantic'
const CONFIGURATIONS = `${BASE}/configurations`
const PRESENTATIONS = `${BASE}/presentations`

const BRANDING = within('credential_branding', 'backgroundColor? watermarkImageUrl?')
const LOGOS = within('issuer', 'icon_url? logo_url?')

const TEMPLATE_BODY = [
  'additional_types claim_mappings^ claim_source_id^ contexts? credential_branding^ description^ expires_in^',
  `issuer name proof_type^ revocable type ${BRANDING} ${lifetime('expires_in')} ${LOGOS} issuer.name`,
].join(' ')

const TEMPLATE = [
  'additional_types claim_mappings? claim_source_id? contexts? credential_branding? description? expires_in? id',
  `issuer name proof_type? revocable type ${BRANDING} ${lifetime('expires_in')} ${LOGOS} issuer.name`,
].join(' ')

const STORED = [
  'credential credential_status? id issuance_date tag?',
  within('credential_status', 'id type revocation_list_credential revocation_list_index'),
].join(' ')

/** Of the template's members, and `context` in place of `contexts`. */
const DETAILS = [
  'additional_types claim_mappings? claim_source_id? context credential_branding? description? expires_in? id',
  `issuer name? persist proof_type revocable type ${lifetime('expires_in')} ${LOGOS} issuer.name?`,
].join(' ')

const UNSIGNED = [
  '@context? credentialBranding? credentialSubject description? expirationDate? issuer name? type?',
  `credentialSubject.id? ${within('credentialBranding', 'backgroundColor? watermarkImageUrl?')}`,
  within('issuer', 'iconUrl? id logoUrl? name?'),
].join(' ')

const PRESENTATION_TEMPLATE = 'domain id name query'

export const SEMANTIC_ROWS: Row[] = [
  row('signWebSemanticCredential', `POST ${BASE}/sign`, 200, {
    body: `payload proofType revocable tag ${within('payload', UNSIGNED)}`,
    answer: 'credential id tag~',
  }),
  row('verifyWebSemanticCredentials', `POST ${BASE}/verify`, 200, {
    body: 'payload',
    answer: 'reason verified reason[].message reason[].type',
  }),
  row('listWebSemanticCredentials', `GET ${BASE}`, 200, {
    query: `${PAGE} tag type`,
    answer: `data ${SNAKE_TOTALS} ${within('data[]', STORED)}`,
  }),
  row('getWebSemanticCredentialDetails', `GET ${BASE}/{id}`, 200, { answer: DETAILS, also: [404] }),
  row('setWebSemanticRevocationStatus', `POST ${BASE}/{id}/revocation-status`, 200, { body: 'is_revoked', answer: '' }),
  row('webSemanticRevocationStatusNotification', `POST ${BASE}/{id}/revocation-status/notification`, 200, {
    body: 'from? to?',
  }),
  row('getWebSemanticCredentialRevocationList', `GET ${BASE}/revocation-lists/{id}`, 200, {
    answer: 'created_at credential credential_id id org_did_id updated_at',
  }),
  row('getWebSemanticPresentationTemplatesLists', `GET ${PRESENTATIONS}/templates`, 200, {
    query: PAGE,
    answer: `data ${SNAKE_TOTALS} ${within('data[]', PRESENTATION_TEMPLATE)}`,
  }),
  row('createWebSemanticPresentationTemplate', `POST ${PRESENTATIONS}/templates`, 200, {
    body: 'domain name query',
    answer: PRESENTATION_TEMPLATE,
  }),
  row('getWebSemanticPresentationTemplate', `GET ${PRESENTATIONS}/templates/{id}`, 200, {
    answer: PRESENTATION_TEMPLATE,
  }),
  row('updateWebSemanticPresentationTemplate', `PUT ${PRESENTATIONS}/templates/{id}`, 200, {
    body: 'domain id^ name query',
    answer: PRESENTATION_TEMPLATE,
  }),
  row('createWebSemanticPresentationRequest', `POST ${PRESENTATIONS}/requests`, 200, {
    body: 'domain name query',
    answer: PRESENTATION_TEMPLATE,
  }),
  row('verifyWebSemanticPresentationTemplate', `POST ${PRESENTATIONS}/verify`, 200, {
    body: 'challenge^ domain^ presentation',
    answer: 'reason verified',
  }),
  row('convertLinkedData', `POST ${BASE}/linkeddata/convert`, 200, {
    body: `data options ${within('options', 'input_format output_encoding output_format')}`,
    answer: 'data metadata metadata.encoding metadata.format',
  }),
  row('getWebSemanticCredentialTemplateLists', `GET ${CONFIGURATIONS}`, 200, {
    query: `${PAGE} type`,
    answer: `data ${SNAKE_TOTALS} ${within('data[]', TEMPLATE)}`,
  }),
  row('createWebSemanticCredentialTemplate', `POST ${CONFIGURATIONS}`, 200, { body: TEMPLATE_BODY, answer: TEMPLATE }),
  row('getWebSemanticCredentialTemplate', `GET ${CONFIGURATIONS}/{id}`, 200, { answer: TEMPLATE }),
  row('updateWebSemanticCredentialTemplate', `PUT ${CONFIGURATIONS}/{id}`, 200, {
    body: TEMPLATE_BODY,
    answer: TEMPLATE,
  }),
]
