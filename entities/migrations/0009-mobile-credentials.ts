import { Migration } from '@mikro-orm/migrations'
import { fence } from './fence.ts'

/** Owner of a key besides a DID: an IACA or a document signer. A key without any owner is destroyed after a while. */
const KEYS = `
alter table keys add column owner_id uuid,
  add constraint keys_one_owner check (did_id is null or owner_id is null);
drop index keys_unowned;
create index keys_unowned on keys (created_at) where did_id is null and owner_id is null;
create index keys_owner on keys (owner_id) where owner_id is not null;`

const IACAS = `
create table mobile_iacas (
  id uuid primary key, tenant_id uuid not null references tenants, key_id uuid, active boolean not null,
  certificate bytea not null, fingerprint text not null, not_before timestamptz not null, not_after timestamptz not null,
  crl bytea, crl_number integer not null default 0, crl_signed_at timestamptz, crl_due boolean not null default false,
  warned_days integer, created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
  deleted_at timestamptz, unique (tenant_id, id));
create unique index mobile_iacas_once on mobile_iacas (tenant_id, fingerprint) where deleted_at is null;
create index mobile_iacas_expiring on mobile_iacas (not_after) where deleted_at is null;
create index mobile_iacas_crl on mobile_iacas (crl_signed_at) where key_id is not null;`

const SIGNERS = `
create table mobile_document_signers (
  id uuid primary key, tenant_id uuid not null references tenants, iaca_id uuid not null, key_id uuid not null,
  public_key bytea not null, active boolean not null, csr bytea, certificate bytea, fingerprint text,
  serial_number text, not_before timestamptz, not_after timestamptz, revoked_at timestamptz, warned_days integer,
  renewed_by_id uuid, created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
  deleted_at timestamptz, unique (tenant_id, id),
  foreign key (tenant_id, iaca_id) references mobile_iacas (tenant_id, id),
  check (csr is not null or certificate is not null), check (not active or certificate is not null),
  check (num_nonnulls(certificate, fingerprint, serial_number, not_before, not_after) in (0, 5)));
create index mobile_document_signers_list on mobile_document_signers (tenant_id, created_at desc, id)
  where deleted_at is null;
create index mobile_document_signers_iaca on mobile_document_signers (tenant_id, iaca_id);
create index mobile_document_signers_expiring on mobile_document_signers (not_after)
  where deleted_at is null and revoked_at is null;`

/** A mobile credential is signed by a document signer, every other one by a DID. */
const CREDENTIALS = `
alter table credentials alter column did_id drop not null, add column document_signer_id uuid,
  add constraint credentials_one_issuer check (num_nonnulls(did_id, document_signer_id) = 1),
  add foreign key (tenant_id, document_signer_id) references mobile_document_signers (tenant_id, id);
create index credentials_document_signer on credentials (tenant_id, document_signer_id)
  where document_signer_id is not null;`

export class MobileCredentials extends Migration {
  override name = '0009-mobile-credentials'

  override up() {
    this.addSql([KEYS, IACAS, SIGNERS, CREDENTIALS].join('\n'))
    this.addSql(['mobile_iacas', 'mobile_document_signers'].map((table) => fence(table)).join('\n'))
  }
}
