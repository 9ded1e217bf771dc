/**
 * Whether a registration `r` of `inbox_dids` stands: one of somebody else, whose control was proved, or one of a DID of the
 * tenant for as long as the tenant has its keys. It has them no more when it deletes the DID (D-387), and never had them
 * where the DID came with a file (D-770): whoever names a DID in a file would read its messages otherwise.
 */
export const STANDS = `(r.did_id is null or exists (
  select from dids d join keys k on k.tenant_id = d.tenant_id and k.did_id = d.id and k.public_key is not null
  where d.tenant_id = r.tenant_id and d.id = r.did_id and d.did = r.did and d.deleted_at is null))`

/** Whether the tenant has keys of one of its DIDs. */
export const HAS_KEYS = 'select 1 from keys where did_id = ? and public_key is not null limit 1'
