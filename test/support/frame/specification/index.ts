import { ADMINISTRATION_ROWS, CONTENT_ROWS, ECOSYSTEM_ROWS } from './administration.ts'
import { COMPACT_ROWS, MOBILE_ROWS } from './compact-credentials.ts'
import { DID_ROWS } from './dids.ts'
import { MESSAGING_ROWS, TOKEN_AND_LOG_ROWS, WEBHOOK_ROWS } from './messaging.ts'
import { OPENID_ROWS } from './openid.ts'
import type { Row } from './rows.ts'
import { SEMANTIC_ROWS } from './semantic-credentials.ts'

/** How many operations each table of the specification has: a row that is lost fails a test. */
export const TABLES: [table: string, rows: Row[], operations: number][] = [
  ['webhooks', WEBHOOK_ROWS, 4],
  ['tokens, logs', TOKEN_AND_LOG_ROWS, 2],
  ['mobile credentials', MOBILE_ROWS, 3],
  ['web semantic credentials', SEMANTIC_ROWS, 18],
  ['compact credentials', COMPACT_ROWS, 14],
  ['messaging and DID cryptography', MESSAGING_ROWS, 9],
  ['OIDC and users', OPENID_ROWS, 21],
  ['administration: ecosystems', ECOSYSTEM_ROWS, 13],
  ['administration: content', CONTENT_ROWS, 6],
  ['administration: the rest', ADMINISTRATION_ROWS, 13],
  // eight, and four of the "further domain operations"; last, for one deletes the issuer
  ['DIDs and domains', DID_ROWS, 12],
]

export const ROWS: Row[] = TABLES.flatMap(([, rows]) => rows)
