import { Migration } from '@mikro-orm/migrations'
import { fence } from './fence.ts'

const PRESENTATIONS = `
create table openid_presentations (
  id uuid primary key, tenant_id uuid not null references tenants, verifier_did text not null, certificate_chain text[],
  client_identifier text not null, client_name text, response_mode text not null, redirect_uri text,
  other_device_digest bytea not null, same_device_digest bytea not null,
  state text not null check (state in ('PENDING', 'FETCHED', 'VERIFIED', 'REFUSED', 'EXPIRED')),
  answered_by text check (answered_by in ('other', 'same')), failures integer not null default 0, failure_code text,
  content bytea not null, request_id uuid not null, client_id text not null, expires_at timestamptz not null,
  fetched_at timestamptz, ended_at timestamptz, redeemed_at timestamptz, kept_until timestamptz not null,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
  unique (tenant_id, id), unique (tenant_id, other_device_digest), unique (tenant_id, same_device_digest));
create index openid_presentations_list on openid_presentations (tenant_id, created_at desc, id);
create index openid_presentations_age on openid_presentations (kept_until);
create index openid_presentations_open on openid_presentations (expires_at) where ended_at is null;`

export class OpenIdPresentations extends Migration {
  override name = '0061-openid-presentations'

  override up() {
    this.addSql([PRESENTATIONS, fence('openid_presentations')].join('\n'))
  }
}
