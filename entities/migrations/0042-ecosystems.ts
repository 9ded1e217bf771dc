import { Migration } from '@mikro-orm/migrations'

/** `policy_modified_before`: the change before the last one, by which a conditional request knows two of one second. */
const ECOSYSTEMS = `
create table ecosystems (
  id uuid primary key, name text not null, policy_version int not null default 1,
  policy_modified_at timestamptz not null, policy_modified_before timestamptz,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now());
create index ecosystems_list on ecosystems (created_at desc, id);
create table ecosystem_participants (
  id uuid primary key, ecosystem_id uuid not null references ecosystems on delete cascade, name text not null,
  is_issuer boolean not null, is_issuer_constrained boolean not null,
  is_verifier boolean not null, is_verifier_constrained boolean not null,
  web_semantic text, compact text, compact_semantic text,
  mobile text[] not null default '{}', mobile_keys text[] not null default '{}',
  created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
  unique (ecosystem_id, id), check (cardinality(mobile) = cardinality(mobile_keys)));
create index ecosystem_participants_list on ecosystem_participants (ecosystem_id, created_at desc, id);
create table ecosystem_credentials (
  id uuid primary key, ecosystem_id uuid not null references ecosystems on delete cascade, name text not null,
  profile text not null check (profile in ('web-semantic', 'compact', 'compact-semantic', 'mobile')), type text not null,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
  unique (ecosystem_id, id), unique (ecosystem_id, profile, type));
create index ecosystem_credentials_list on ecosystem_credentials (ecosystem_id, created_at desc, id);`

/** An identifier names one participant of an ecosystem, whatever its profiles. */
const IDENTIFIERS = `
create table ecosystem_identifiers (
  ecosystem_id uuid not null, identifier text not null, participant_id uuid not null,
  primary key (ecosystem_id, identifier),
  foreign key (ecosystem_id, participant_id) references ecosystem_participants (ecosystem_id, id) on delete cascade);
create index ecosystem_identifiers_participant on ecosystem_identifiers (participant_id);`

/** A credential goes only when no participant is allowed it any more. */
const ALLOWANCES = `
create table ecosystem_allowances (
  ecosystem_id uuid not null, participant_id uuid not null, role text not null check (role in ('issuer', 'verifier')),
  credential_id uuid not null, created_at timestamptz not null default now(),
  primary key (participant_id, role, credential_id),
  foreign key (ecosystem_id, participant_id) references ecosystem_participants (ecosystem_id, id) on delete cascade,
  foreign key (ecosystem_id, credential_id) references ecosystem_credentials (ecosystem_id, id));
create index ecosystem_allowances_credential on ecosystem_allowances (credential_id);`

/** The application's role may not write them (entities/administration/tenants.ts): no tenant binds itself. */
const BINDINGS = `
alter table tenants add column ecosystem_id uuid references ecosystems, add column ecosystem_participant_id uuid,
  add foreign key (ecosystem_id, ecosystem_participant_id) references ecosystem_participants (ecosystem_id, id),
  add check (ecosystem_participant_id is null or ecosystem_id is not null);
create index tenants_ecosystem on tenants (ecosystem_id) where ecosystem_id is not null;`

export class Ecosystems extends Migration {
  override name = '0042-ecosystems'

  override up() {
    this.addSql([ECOSYSTEMS, IDENTIFIERS, ALLOWANCES, BINDINGS].join('\n'))
  }
}
