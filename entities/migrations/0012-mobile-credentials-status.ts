import { Migration } from '@mikro-orm/migrations'

/**
 * The list of a mobile credential belongs to an IACA, every other one to a DID. Its entries are given out by
 * reserve_status_entries, which finds the open list of an issuer of either kind by the same index.
 */
const LISTS = `
alter table status_lists alter column did_id drop not null, add column iaca_id uuid,
  add constraint status_lists_one_issuer check (num_nonnulls(did_id, iaca_id) = 1),
  add foreign key (tenant_id, iaca_id) references mobile_iacas (tenant_id, id);
alter table status_lists drop constraint status_lists_kind_check;
alter table status_lists add constraint status_lists_kind_check
  check (kind in ('RevocationList2020', 'BitstringStatusList', 'BitIndexRevocationList', 'TokenStatusList'));
create index status_lists_open_iaca on status_lists (tenant_id, iaca_id, kind, purpose, proof_type, epoch)
  where used < size and iaca_id is not null;
create index status_lists_iaca on status_lists (tenant_id, iaca_id) where iaca_id is not null;`

/** Bulk revocation walks through the credentials of a document signer in the order of their recording. */
const CREDENTIALS = `
create index credentials_document_signer_order on credentials (tenant_id, document_signer_id, created_at, id)
  where document_signer_id is not null;
drop index credentials_document_signer;`

/** Only those with a certificate of an IACA whose key is here can be renewed, whatever the column says. */
const SIGNERS = `
alter table mobile_document_signers add column renew boolean not null default true, add column renewal_fault text;
create index mobile_document_signers_renewing on mobile_document_signers (not_after)
  where renew and active and deleted_at is null and revoked_at is null and renewed_by_id is null;`

export class MobileCredentialsStatus extends Migration {
  override name = '0012-mobile-credentials-status'

  override up() {
    this.addSql([LISTS, CREDENTIALS, SIGNERS].join('\n'))
  }
}
