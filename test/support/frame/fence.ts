import { randomBytes, randomUUID } from 'node:crypto'
import { RIGHTS, sqlOf } from '../../../entities/orm.ts'
import { openDatabase } from '../parts/database.ts'

type Row = Record<string, unknown>

const none = Buffer.alloc(0)
const DIGEST = Buffer.alloc(32)

/** One row of every kind for a tenant, by table. */
function rowsFor(tenant: string): [table: string, row: Row][] {
  const id = () => randomUUID()
  const [did, list] = [id(), id()]
  const of = (row: Row): Row => ({ id: id(), tenant_id: tenant, ...row })
  return [
    ['oauth2_clients', of({ name: '', description: '', secret_hash: none, scopes: '{}' })],
    ['domains', of({ name: '', domain: 'example.org', verification_token: '' })],
    [
      'dids',
      of({
        id: did,
        did: 'did:key:x',
        method: 'KEY',
        registration_status: 'COMPLETED',
        document: '{}',
        hosting: 'none',
      }),
    ],
    ['keys', of({ did_id: did, key_type: 'ed25519' })],
    ['key_envelopes', { key_id: id(), tenant_id: tenant, key_type: 'ed25519', public_key: none, envelope: none }],
    [
      'status_lists',
      of({
        id: list,
        did_id: did,
        kind: 'BitstringStatusList',
        purpose: 'revocation',
        proof_type: '',
        size: 8,
        permutation_key: none,
      }),
    ],
    [
      'credentials',
      of({
        did_id: did,
        format: 'semantic',
        document: '{}',
        proof_type: '',
        types: '{}',
        issuance_date: new Date(),
        status_list_id: list,
        status_index: 1,
      }),
    ],
    [
      'status_list_publications',
      { list_id: list, changes: 0, tenant_id: tenant, published_at: new Date(), scheduled: true },
    ],
    ['jsonld_contexts', of({ url: 'x', sha256: '', document: '', source: 'fetched' })],
    ['logs', of({ category: '', type: '', timestamp: new Date(), request_id: id(), data: '{}', metadata: '{}' })],
    ['log_pending', { tenant_id: tenant, entry_id: id() }],
    ['log_chain', { tenant_id: tenant, position: 1, entry_id: id(), hash: DIGEST, chained_at: new Date() }],
    ['log_counts', { tenant_id: tenant, hour: new Date(), type: '', count: 1 }],
    [
      'log_seals',
      { tenant_id: tenant, kind: 'head', position: 1, hash: DIGEST, key_id: id(), signed_at: new Date(), jws: '' },
    ],
    ['outbox', of({ area: '', object_id: '', workflow_type: '', workflow_id: id(), summary: '', payload: none })],
    ['idempotency_keys', { tenant_id: tenant, key: 'k', request_hash: none }],
  ]
}

/** Tables that the application's role has no rights to, whoever's row it is. */
export const SYSTEMS_ALONE: ReadonlySet<string> = new Set(
  RIGHTS.flatMap(([table, { app, system }]) => (system && !app ? [table] : [])),
)

/** One row of every further kind, which the application's role alone may add: they refer to the rows above. */
export function furtherRowsFor(tenant: string, rows: ReadonlyMap<string, Row>): [table: string, row: Row][] {
  const id = () => randomUUID()
  const [template, version, batch, provider, user] = [id(), id(), id(), id(), id()]
  const [did, credential] = [rows.get('dids')?.id, rows.get('credentials')?.id]
  const asked = { request_id: id(), client_id: id() }
  const of = (row: Row): Row => ({ id: id(), tenant_id: tenant, ...row })
  const presentation = { name: '', domain: '', query: '[]' }
  const [iaca, pdfTemplate, inbox, webhook, event, session] = [id(), id(), id(), id(), id(), id()]
  const [asking, verifier, relying, file, grant] = [id(), id(), id(), id(), id()]
  const times = { created_at: new Date(), expires_at: new Date() }
  const devices = { other_device_digest: none, same_device_digest: none, content: none, expires_at: new Date() }
  const validity = { not_before: new Date(), not_after: new Date() }
  return [
    ['domain_linkages', of({ did_id: did, origin: '', credential: '{}', valid_until: new Date() })],
    ['semantic_templates', of({ id: template, type: '', version_id: version })],
    ['semantic_template_versions', of({ id: version, template_id: template, version: 1, definition: '{}' })],
    [
      'credential_batches',
      of({ id: batch, attempt: id(), format: 'web-semantic', source: 'csv', state: 'PAUSED', options: '{}', ...asked }),
    ],
    ['tenant_exports', of({ id: file, state: 'DONE', counts: '{}', ...asked, ...times })],
    ['tenant_export_chunks', { tenant_id: tenant, export_id: file, place: 0, content: none }],
    ['credential_batch_rows', { batch_id: batch, row_number: 1, tenant_id: tenant, state: 'pending' }],
    ['credential_revocations', of({ scope: 'batch', subject: batch, ...asked })],
    ['credential_notifications', of({ credential_id: credential, recipient: '', sender: '', message: '{}', ...asked })],
    [
      'credential_status_changes',
      { tenant_id: tenant, credential_id: credential, purpose: 'revocation', value: true, changed_at: new Date() },
    ],
    ['presentation_templates', of({ id: asking, ...presentation })],
    ['presentation_requests', of({ ...presentation, challenge: '', expires_at: new Date() })],
    ['mobile_iacas', of({ id: iaca, active: true, certificate: none, fingerprint: '', ...validity })],
    ['compact_pdf_templates', of({ id: pdfTemplate, definition: '{}', revision: id() })],
    ['compact_pdf_files', of({ template_id: pdfTemplate, revision: id(), name: '', content: none })],
    ['inboxes', of({ id: inbox, name: '' })],
    ['inbox_dids', of({ inbox_id: inbox, did: 'did:key:x', did_id: did })],
    ['inbox_did_proofs', { tenant_id: tenant, digest: none, expires_at: new Date() }],
    ['sent_messages', of({ content: none, ...asked })],
    ['inbox_messages', of({ inbox_id: inbox, payload: none, size: 0 })],
    [
      'authentication_providers',
      of({
        ...{ id: provider, url: '', client_id: '', scope: '{}' },
        claims_to_persist: '{}',
        forwarded_parameters: '{}',
        static_parameters: '{}',
        auth_method: '',
      }),
    ],
    ['openid_authorizations', of({ provider_id: provider, state_digest: none, content: none, expires_at: new Date() })],
    ['openid_users', of({ id: user, provider_id: provider, subject_index: none, content: none })],
    ['credential_holders', { tenant_id: tenant, holder_id: user, credential_id: credential }],
    ['openid_user_claims', { tenant_id: tenant, claim_index: none, user_id: user }],
    ['openid_configurations', of({ url: '', claims: '{}', disabled: false, session_timeout_seconds: 0, secret: none })],
    [
      'openid_sessions',
      of({
        ...{ id: session, grant_type: 'pre-authorized_code', state: 'OFFERED', steps: '[]' },
        ...{ ...asked, ends_at: new Date() },
      }),
    ],
    [
      'openid_issuances',
      of({ session_id: session, place: 0, template_id: template, format: 'semantic', state: 'OFFERED' }),
    ],
    [
      'openid_reissuances',
      of({
        ...{ id: grant, session_id: session, grant_type: 'pre-authorized_code', token_digest: none },
        bound_to: 'registration',
        ...{ granted_ids: '{}', uses_identifiers: false, client_id: id(), ends_at: new Date() },
      }),
    ],
    ['openid_reissuance_credentials', { tenant_id: tenant, credential_id: credential, reissuance_id: grant }],
    ['openid_used_nonces', { tenant_id: tenant, nonce_digest: none, issuance_id: id(), expires_at: new Date() }],
    ['openid_wallets', of({ client_id: '', name: '', redirect_uris: '{}' })],
    ['openid_wallet_providers', of({ name: '', attests_wallets: true, attests_keys: true, certificates: '{}' })],
    [
      'openid_wallet_policies',
      of({
        ...{ requires_par: false, requires_dpop: false },
        ...{ requires_client_authentication: false, allows_wallet_initiated: false },
      }),
    ],
    ['openid_wallet_logins', of({ session_id: session, state: 'LOGIN', content: none, expires_at: new Date() })],
    ['openid_used_jtis', { tenant_id: tenant, jti_digest: none, expires_at: new Date() }],
    [
      'oidc_verifiers',
      of({
        id: verifier,
        verifier_did: '',
        presentation_template_id: asking,
        include_presentation: false,
        claim_mappings: '[]',
      }),
    ],
    [
      'oidc_clients',
      of({
        id: relying,
        verifier_id: verifier,
        name: '',
        application_type: 'web',
        redirect_uris: '{}',
        grant_types: '{}',
        response_types: '{}',
        token_endpoint_auth_method: 'none',
        id_token_signed_response_alg: 'ES256',
      }),
    ],
    ['oidc_keys', of({ verifier_id: verifier, key_type: 'p256', public_key: none })],
    [
      'oidc_sign_ins',
      of({
        verifier_id: verifier,
        client_id: relying,
        interaction_digest: none,
        ...devices,
        state: 'WAITING',
        request_id: id(),
      }),
    ],
    [
      'openid_presentations',
      of({
        ...{ verifier_did: '', client_identifier: '', response_mode: 'direct_post', state: 'PENDING' },
        ...{ ...devices, ...asked, kept_until: new Date() },
      }),
    ],
    [
      'oidc_payloads',
      {
        tenant_id: tenant,
        verifier_id: verifier,
        kind: 'Session',
        name_digest: none,
        content: none,
        expires_at: new Date(),
      },
    ],
    ['claim_sources', of({ name: '', url: '' })],
    ['trust_lists', of({ name: '', formats: '{}', enforced: false, entries: '[]' })],
    ['privacy_retentions', of({ counts: '{}' })],
    [
      'erasures',
      of({
        kind: 'subject',
        subject_digest: none,
        subject: none,
        credential_status: 'keep',
        state: 'ERASING',
        step: 'batches',
        counts: '{}',
        ...asked,
        started_at: new Date(),
      }),
    ],
    ['webhooks', of({ id: webhook, url: '', events: '{}' })],
    ['webhook_events', of({ id: event, type: '' })],
    ['webhook_deliveries', of({ webhook_id: webhook, event_id: event, event_type: '' })],
    ['mobile_document_signers', of({ iaca_id: iaca, key_id: id(), public_key: none, active: false, csr: none })],
  ]
}

/** A statement that adds a row. */
export const insertion = (table: string, row: Row) => ({
  text: `insert into ${table} (${Object.keys(row)}) values (${Object.keys(row).map((_, at) => `$${at + 1}`)})`,
  values: Object.values(row),
})

/** A database with two tenants who have one of everything. */
export async function openFence() {
  const masterKey = randomBytes(32)
  const database = await openDatabase(masterKey)
  const sql = await sqlOf(database.tenants)
  const [ours, theirs] = [randomUUID(), randomUUID()]
  const environment = {
    id: randomUUID(),
    name: '',
    domain: '',
    authorization_server_domain: '',
    deployment_model: 'private',
    region: '{}',
  }
  await database.systemSql.query(insertion('environments', environment))
  const rows = { ours: new Map(rowsFor(ours)), theirs: new Map(rowsFor(theirs)) }
  for (const [tenant, owned] of [
    [ours, rows.ours],
    [theirs, rows.theirs],
  ] as const) {
    await database.systemSql.query(
      insertion('tenants', { id: tenant, environment_id: environment.id, name: '', subdomain: tenant }),
    )
    for (const [table, row] of owned) await database.systemSql.query(insertion(table, row))
  }
  /** As the system role, which sees all. */
  const asked = async <Found extends object>(text: string, values: unknown[] = []): Promise<Found[]> =>
    (await database.systemSql.query<Found>({ text, values })).rows
  return {
    masterKey,
    database,
    ours,
    theirs,
    rows,
    asked,
    /** As the application's role, outside of any tenant. */
    query: async <Found extends object>(text: string, values: unknown[] = []): Promise<Found[]> =>
      (await sql.query<Found>({ text, values })).rows,
    /** Tables with an owner, from the catalogue: a new one joins by itself. */
    ownedTables: async (): Promise<string[]> => {
      const found = await asked<{ name: string }>(
        `select c.relname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
         where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and a.attname = 'tenant_id' order by 1`,
      )
      return found.map(({ name }) => name)
    },
    close: () => database.close(),
  }
}

export type Fence = Awaited<ReturnType<typeof openFence>>
