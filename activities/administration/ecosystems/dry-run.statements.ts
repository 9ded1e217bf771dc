/** Credentials of a tenant that are counted at most; a tenant with more has "at least". */
export const MAX_COUNTED = 200_000

/** Issued, in force, and by whom; no row names a person. */
export const LIVE = `select c.format, c.types, d.did, i.id::text as iaca, count(*)::int as count
from (select format, types, did_id, document_signer_id from credentials
  where tenant_id = ?::uuid and not revoked and (expiration_date is null or expiration_date > ?::timestamptz)
  limit ${MAX_COUNTED}) c
left join dids d on d.id = c.did_id
left join mobile_document_signers s on s.id = c.document_signer_id
left join mobile_iacas i on i.id = s.iaca_id
group by 1, 2, 3, 4`

export interface LiveRow {
  format: string
  types: string[]
  did: string | null
  iaca: string | null
  count: number
}

/** IACAs that document signers of the tenant lead to, also deleted ones, whose credentials live on. */
export const IACAS = `select id::text, certificate, key_id is not null and active and deleted_at is null as signs
from mobile_iacas where tenant_id = ?`

export interface IacaRow {
  id: string
  certificate: Buffer
  signs: boolean
}

/** DIDs of the tenant that sign, among those that the policy names. */
export const ISSUERS = `select did from dids where tenant_id = ? and deleted_at is null
and registration_status = 'COMPLETED' and did = any(?)`

export const MAX_TEMPLATES = 1_000

export const TEMPLATES = `select t.id::text, t.format, v.definition ->> 'type' as type, v.definition -> 'additionalTypes' as more
from semantic_templates t join semantic_template_versions v on v.tenant_id = t.tenant_id and v.id = t.version_id
where t.tenant_id = ? and t.deleted_at is null order by t.created_at desc, t.id limit ${MAX_TEMPLATES}`

export interface TemplateRow {
  id: string
  format: string
  type: string
  more: string[] | null
}

export const BOUND = `select id::text, ecosystem_participant_id::text as participant from tenants where ecosystem_id = ?
order by created_at, id`

export interface BoundRow {
  id: string
  participant: string | null
}
