import {
  COMPACT_ID,
  COMPACT_ISSUER,
  CREATED_AT,
  DECODED,
  ENCODED,
  LIST_ID,
  SEMANTIC_DECODED,
  SEMANTIC_ENCODED,
  SEMANTIC_ID,
} from './examples.ts'

const pageOf = (row: object) => ({ data: [row], limit: 20, total_count: 1, total_pages: 1 })

const stored = { issuer: COMPACT_ISSUER, issuance_date: CREATED_AT, revocable: false, is_revoked: false }
const compact = { id: COMPACT_ID, encoded: ENCODED, decoded: DECODED }
const semantic = { id: SEMANTIC_ID, encoded: SEMANTIC_ENCODED, decoded: SEMANTIC_DECODED }

const template = {
  id: '5e0f3a7c-8f04-4f5b-9d0a-0d7a2cf5f3b1',
  version: 1,
  type: 'CourseCredential',
  credential_mappings: { course: { map_from: 'claims.course', required: true }, grade: { default_value: 'A' } },
  expiration: { years: 1 },
  revocable: true,
}

/** A success of each operation of this area that its controller has no example of. */
export const COMPACT_ANSWERS = {
  signCompactCredential: compact,
  listCompactCredentials: pageOf({ ...compact, ...stored }),
  getCompactCredential: { ...compact, ...stored },
  getCompactCredentialRevocationStatus: { isRevoked: false },
  setCompactCredentialRevocationStatus: {},
  signCompactSemanticCredential: semantic,
  listCompactSemanticCredentials: pageOf({ ...semantic, ...stored }),
  getCompactSemanticCredential: { ...semantic, ...stored },
  getCompactSemanticCredentialRevocationStatus: { isRevoked: false },
  setCompactSemanticCredentialRevocationStatus: {},
  getCompactSchemas: { templates: [template], limit: 20, total_count: 1, total_pages: 1 },
  createCompactCredentialTemplate: template,
  getCompactCredentialTemplate: template,
  updateCompactCredentialTemplate: { ...template, version: 2, expiration: { months: 18 } },
  signCompactCredentialFromTemplate: { ...compact, template_id: template.id, template_version: 1 },
  getCompactSemanticCredentialTemplates: { templates: [template], limit: 20, total_count: 1, total_pages: 1 },
  createCompactSemanticCredentialTemplate: template,
  getCompactSemanticCredentialTemplate: template,
  updateCompactSemanticCredentialTemplate: { ...template, version: 2, expiration: { months: 18 } },
  signCompactSemanticCredentialFromTemplate: { ...semantic, template_id: template.id, template_version: 1 },
  getCompactRevocationLists: pageOf({
    id: LIST_ID,
    issuer: COMPACT_ISSUER,
    url: `https://platform.example/v1/credentials/compact/revocation-lists/${LIST_ID}`,
  }),
}
