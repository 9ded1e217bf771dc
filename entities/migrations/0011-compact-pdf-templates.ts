import { Migration } from '@mikro-orm/migrations'
import { fence } from './fence.ts'

/** A template is bounded by its definition; its PDF and fonts by what an upload may have (MAX_ALL_BYTES). */
const TEMPLATES = `
create table compact_pdf_templates (
  id uuid primary key, tenant_id uuid not null references tenants, definition json not null, revision uuid not null,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now(), unique (tenant_id, id));
create index compact_pdf_templates_list on compact_pdf_templates (tenant_id, created_at desc, id);`

/** The files of a template stand apart, so that a list does not read them. */
const FILES = `
create table compact_pdf_files (
  id uuid primary key, tenant_id uuid not null references tenants, template_id uuid not null,
  name text not null, content bytea not null check (length(content) <= 6291456),
  created_at timestamptz not null default now(), revision uuid not null,
  foreign key (tenant_id, template_id) references compact_pdf_templates (tenant_id, id) on delete cascade,
  unique (template_id, revision, name));
alter table compact_pdf_files alter column content set storage external;
create index compact_pdf_files_template on compact_pdf_files (tenant_id, template_id, revision);`

export class CompactPdfTemplates extends Migration {
  override name = '0011-compact-pdf-templates'

  override up() {
    this.addSql([TEMPLATES, FILES].join('\n'))
    this.addSql(['compact_pdf_templates', 'compact_pdf_files'].map((table) => fence(table)).join('\n'))
  }
}
