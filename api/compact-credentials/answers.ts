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
  getCompactRevocationLists: pageOf({
    id: LIST_ID,
    issuer: COMPACT_ISSUER,
    url: `https://platform.example/v1/credentials/compact/revocation-lists/${LIST_ID}`,
  }),
}
