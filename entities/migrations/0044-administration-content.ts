import { Migration } from '@mikro-orm/migrations'

/** Of the platform and no tenant: without row-level security, and without rights of the application's role. */
const CONTENT = `
create table help_articles (
  id uuid primary key, slug text not null unique, title text not null, content text not null, html text not null,
  rendering int not null, is_published boolean not null,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now());
create index help_articles_list on help_articles (created_at desc, id);

create table blog_categories (
  id uuid primary key, slug text not null unique, name text not null, description text not null,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now());

create table blog_posts (
  id uuid primary key, slug text not null unique, category_id uuid not null references blog_categories,
  author_id uuid not null, title text not null, excerpt text not null, image text, content text not null,
  html text not null, rendering int not null, is_published boolean not null, published_at timestamptz,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now());
create index blog_posts_list on blog_posts (created_at desc, id);
create index blog_posts_of_category on blog_posts (category_id, created_at desc, id);

create table legal_policies (
  id uuid primary key, slug text not null unique, name text not null, version int not null,
  created_at timestamptz not null default now());
create table legal_policy_versions (
  id uuid primary key, policy_id uuid not null references legal_policies, version int not null, title text not null,
  content text not null, html text not null, rendering int not null, created_at timestamptz not null default now(),
  unique (policy_id, version));
create table legal_acceptances (
  id uuid primary key, policy_id uuid not null, version int not null, account_id uuid not null,
  accepted_at timestamptz not null, unique (account_id, policy_id, version),
  foreign key (policy_id, version) references legal_policy_versions (policy_id, version));`

export class AdministrationContent extends Migration {
  override name = '0044-administration-content'

  override up() {
    this.addSql(CONTENT)
  }
}
