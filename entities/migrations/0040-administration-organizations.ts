import { Migration } from '@mikro-orm/migrations'

/** `content` has everything but the name, encrypted: e-mail, phone and address may be a person's. */
const ORGANIZATIONS = `
create table organizations (
  id uuid primary key, name text not null, content bytea not null, created_at timestamptz not null default now(),
  updated_at timestamptz not null default now());
create index organizations_list on organizations (created_at desc, id);
create table organization_members (
  organization_id uuid not null references organizations on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  role text not null check (role in ('admin', 'issuer', 'verifier', 'auditor')),
  created_at timestamptz not null default now(), primary key (organization_id, account_id));
create index organization_members_account on organization_members (account_id, organization_id);
create table organization_invitations (
  id uuid primary key, organization_id uuid not null references organizations on delete cascade,
  email_index bytea not null, content bytea not null, role text not null check (role in ('admin', 'issuer', 'verifier', 'auditor')),
  token_digest bytea not null unique, expires_at timestamptz not null, created_at timestamptz not null default now(),
  unique (organization_id, email_index));
create index organization_invitations_age on organization_invitations (expires_at);`

const TENANTS = `
alter table tenants add column organization_id uuid references organizations;
create index tenants_organization on tenants (organization_id) where organization_id is not null;`

export class AdministrationOrganizations extends Migration {
  override name = '0040-administration-organizations'

  override up() {
    this.addSql([ORGANIZATIONS, TENANTS].join('\n'))
  }
}
