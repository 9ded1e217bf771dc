import type { Sql } from '../../../entities/orm.ts'
import { byProfile } from '../../../protocol/administration/ecosystems/participants.ts'
import type { ParticipantFacts, PolicyCredential } from '../../../protocol/administration/ecosystems/policy.ts'

/** What an ecosystem enforces, as rows have it. */
export interface PolicyFacts {
  participants: ParticipantFacts[]
  credentials: PolicyCredential[]
}

interface ParticipantRow {
  id: string
  name: string
  is_issuer: boolean
  is_issuer_constrained: boolean
  is_verifier: boolean
  is_verifier_constrained: boolean
  web_semantic: string | null
  compact: string | null
  compact_semantic: string | null
  mobile_keys: string[]
  sd_jwt_vc: string | null
  issues: string[]
  verifies: string[]
}

const PARTICIPANTS = `select id, name, is_issuer, is_issuer_constrained, is_verifier, is_verifier_constrained,
  web_semantic, compact, compact_semantic, mobile_keys, sd_jwt_vc,
  array(select credential_id::text from ecosystem_allowances a where a.participant_id = p.id and role = 'issuer') as issues,
  array(select credential_id::text from ecosystem_allowances a where a.participant_id = p.id and role = 'verifier') as verifies
from ecosystem_participants p where ecosystem_id = $1`

const CREDENTIALS = 'select id, profile, type from ecosystem_credentials where ecosystem_id = $1'

const participantIn = (row: ParticipantRow): ParticipantFacts => ({
  id: row.id,
  name: row.name,
  issuer: { isHeld: row.is_issuer, isConstrained: row.is_issuer_constrained, allowed: new Set(row.issues) },
  verifier: { isHeld: row.is_verifier, isConstrained: row.is_verifier_constrained, allowed: new Set(row.verifies) },
  identifiers: byProfile({
    webSemantic: row.web_semantic,
    compact: row.compact,
    compactSemantic: row.compact_semantic,
    mobileKeys: row.mobile_keys,
    sdJwtVc: row.sd_jwt_vc,
  }),
})

/** Reads what an ecosystem enforces. `sql` is the system role's. */
export async function readPolicyFacts(sql: Sql, ecosystemId: string): Promise<PolicyFacts> {
  const values = [ecosystemId]
  const [participants, credentials] = await Promise.all([
    sql.query<ParticipantRow>({ name: 'policy-participants', text: PARTICIPANTS, values }),
    sql.query<PolicyCredential>({ name: 'policy-credentials', text: CREDENTIALS, values }),
  ])
  return { participants: participants.rows.map(participantIn), credentials: credentials.rows }
}
