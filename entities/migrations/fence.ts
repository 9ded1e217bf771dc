/**
 * Row-level security of a table with an owner. Forced: the tables' owner is held by it too. nullif, because a pooled
 * connection keeps '' after a transaction.
 */
export const fence = (table: string, column = 'tenant_id') => `
alter table ${table} enable row level security;
alter table ${table} force row level security;
create policy tenant on ${table} using (${column} = nullif(current_setting('app.tenant', true), '')::uuid);`
