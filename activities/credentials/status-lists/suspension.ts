import type { Sql } from '../../../entities/orm.ts'
import type { CredentialRow } from '../record.ts'
import type { StatusEntry } from './allocation.ts'

const RECORD = `select record_suspendable_credential(r.tenant, r.credential_id, r.issuer, r.signed, r.proof, r.label,
  r.type_names, r.issued, r.expires, r.list, r.list_index, r.log_id, r.request, r.log_metadata, r.idempotency, $2, $3, $4,
  r.template, r.version) as outcome
from json_to_record($1) as r(tenant uuid, credential_id uuid, issuer uuid, signed json, proof text, label text,
  type_names text[], issued timestamptz, expires timestamptz, list uuid, list_index integer, log_id uuid, request uuid,
  log_metadata json, idempotency text, template uuid, version integer)`

/** Records a signed credential that has an entry to be suspended by; the outcomes are those of the others. */
export async function recordSuspendable(
  sql: Sql,
  { idempotent_effect: effect, ...row }: CredentialRow,
  { listId, index }: StatusEntry,
): Promise<string> {
  const { rows } = await sql.query<{ outcome: string }>({
    name: 'record-suspendable-credential',
    text: RECORD,
    values: [JSON.stringify(row), effect, listId, index],
  })
  return rows[0]?.outcome ?? ''
}
