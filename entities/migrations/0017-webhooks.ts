import { Migration } from '@mikro-orm/migrations'
import { fence } from './fence.ts'

const WEBHOOKS = `
create table webhook_keys (
  id uuid primary key, key_type text not null, public_key bytea not null, created_at timestamptz not null default now());
create table webhooks (
  id uuid primary key, tenant_id uuid not null references tenants, url text not null, events text[] not null,
  disabled boolean not null default false, secret bytea, created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(), unique (tenant_id, id));
create index webhooks_list on webhooks (tenant_id, created_at desc, id);`

/**
 * An event is a tenant's once, by its id; of the deliveries of one event to one webhook each has a round of its own, so
 * that concurrent requests for the same make one.
 */
const DELIVERIES = `
create table webhook_events (
  id uuid primary key, tenant_id uuid not null, type text not null, payload bytea,
  created_at timestamptz not null default now(), unique (tenant_id, id));
create index webhook_events_age on webhook_events (created_at);
create table webhook_deliveries (
  id uuid primary key, tenant_id uuid not null, webhook_id uuid not null, event_id uuid not null, event_type text not null,
  round integer not null default 0,
  state text not null default 'PENDING' check (state in ('PENDING', 'DELIVERED', 'FAILED', 'STOPPED')),
  attempts json not null default '[]', next_attempt_at timestamptz, ended_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  foreign key (tenant_id, webhook_id) references webhooks (tenant_id, id) on delete cascade,
  foreign key (tenant_id, event_id) references webhook_events (tenant_id, id) on delete cascade,
  check ((state = 'PENDING') = (ended_at is null)), check (ended_at is null or next_attempt_at is null));
create unique index webhook_deliveries_once on webhook_deliveries (event_id, webhook_id, round);
create index webhook_deliveries_list on webhook_deliveries (tenant_id, created_at desc, id);
create index webhook_deliveries_webhook on webhook_deliveries (webhook_id, created_at desc, id);
create index webhook_deliveries_failed on webhook_deliveries (webhook_id, ended_at) where state = 'FAILED';
create index webhook_deliveries_pending on webhook_deliveries (id) where state = 'PENDING';
create index webhook_deliveries_ended on webhook_deliveries (ended_at);`

const OWNED = ['webhooks', 'webhook_events', 'webhook_deliveries']

export class Webhooks extends Migration {
  override name = '0017-webhooks'

  override up() {
    this.addSql([WEBHOOKS, DELIVERIES, ...OWNED.map((table) => fence(table))].join('\n'))
  }
}
