/** How a table goes along when a tenant moves to another environment (docs/transfers.md). */
export type Transfer =
  /** Its rows are in the file, under these kinds. */
  | { exported: readonly string[] }
  /** The platform that imports makes its rows itself. */
  | { derived: string }
  /** Why its rows stay behind. */
  | { leftOut: string }

const exported = (...kinds: string[]): Transfer => ({ exported: kinds })
const derived = (reason: string): Transfer => ({ derived: reason })
const leftOut = (reason: string): Transfer => ({ leftOut: reason })

const PLATFORM = leftOut('it belongs to the platform, and to no tenant')
const PEOPLE = leftOut('people belong to the platform: their accounts work in the tenants of their organizations')
const UNDER_WAY = leftOut('it is work under way, which ends where it began')
const USED_ONCE = leftOut('it remembers what was used once, at addresses that the tenant leaves')
const SECRET = leftOut('it is a private key or a secret')

/** Every table of the database: a new one says here whether a tenant takes its rows along, and why not. */
export const TRANSFERS: Readonly<Record<string, Transfer>> = {
  account_attempts: PEOPLE,
  account_authenticators: PEOPLE,
  account_mails: PEOPLE,
  account_recovery_codes: PEOPLE,
  account_registrations: PEOPLE,
  account_sessions: PEOPLE,
  account_tokens: PEOPLE,
  accounts: PEOPLE,
  authentication_providers: exported('authenticationProviders'),
  blog_categories: PLATFORM,
  blog_posts: PLATFORM,
  claim_sources: exported('claimSources'),
  compact_pdf_files: exported('pdfTemplates'),
  compact_pdf_templates: exported('pdfTemplates'),
  credential_batch_rows: UNDER_WAY,
  credential_batches: leftOut('its credentials go along, and no longer name it; its files and errors stay'),
  credential_holders: exported('credentialHolders'),
  credential_notifications: leftOut('the messages were sent, or go on, from the keys that stay'),
  credential_revocations: leftOut('what it changed is in the status of each credential'),
  credential_status_changes: exported('credentials'),
  credentials: exported('credentials'),
  deleted_tenants: PLATFORM,
  dids: exported('dids'),
  domain_linkages: leftOut('it is signed by a key that stays, and made again by the key of a new DID'),
  domains: exported('domains'),
  ecosystem_allowances: PLATFORM,
  ecosystem_credentials: PLATFORM,
  ecosystem_identifiers: PLATFORM,
  ecosystem_participants: PLATFORM,
  ecosystems: PLATFORM,
  environments: PLATFORM,
  help_articles: PLATFORM,
  idempotency_keys: USED_ONCE,
  inbox_did_proofs: USED_ONCE,
  inbox_dids: exported('inboxDids'),
  inbox_messages: leftOut('they are encrypted to keys that stay, and nobody could read them elsewhere'),
  inboxes: exported('inboxes'),
  jsonld_contexts: exported('contexts'),
  key_envelopes: SECRET,
  key_store_logins: PLATFORM,
  keys: derived('public keys are in the documents of DIDs and in certificates; new DIDs get new keys'),
  legal_acceptances: PEOPLE,
  legal_policies: PLATFORM,
  legal_policy_versions: PLATFORM,
  log_chain: leftOut('the chain of the log is signed by the platform that wrote it; see docs/logs.md for its export'),
  log_keys: PLATFORM,
  log_pending: leftOut('the log stays with the platform that wrote it'),
  log_seals: leftOut('the log stays with the platform that wrote it'),
  logs: leftOut('the log stays with the platform that wrote it; see docs/logs.md for its export'),
  migrations: PLATFORM,
  mobile_document_signers: exported('documentSigners'),
  mobile_iacas: exported('iacas'),
  oauth2_clients: exported('clients'),
  oidc_clients: exported('verifierClients'),
  oidc_keys: derived('the verifier gets new keys with rotateOidcVerifierKeys'),
  oidc_payloads: UNDER_WAY,
  oidc_sign_ins: UNDER_WAY,
  oidc_verifiers: exported('verifiers'),
  openid_authorizations: UNDER_WAY,
  openid_configurations: exported('interactionHooks'),
  openid_issuances: UNDER_WAY,
  openid_sessions: UNDER_WAY,
  openid_used_jtis: USED_ONCE,
  openid_used_nonces: USED_ONCE,
  openid_user_claims: derived('they are digests under the key of a platform, made again of the claims of users'),
  openid_users: exported('users'),
  openid_wallet_logins: UNDER_WAY,
  openid_wallet_policies: exported('walletPolicies'),
  openid_wallets: exported('wallets'),
  organization_invitations: PEOPLE,
  organization_members: PEOPLE,
  organizations: PEOPLE,
  outbox: UNDER_WAY,
  platform_epoch: PLATFORM,
  platform_keys: PLATFORM,
  presentation_requests: UNDER_WAY,
  presentation_templates: exported('presentationTemplates'),
  rate_limits: PLATFORM,
  semantic_template_versions: exported('credentialTemplates', 'credentialTemplateVersions'),
  semantic_templates: exported('credentialTemplates'),
  sent_messages: UNDER_WAY,
  status_list_publications: leftOut('it says when lists were published at addresses that stay'),
  status_lists: exported('statusLists'),
  tenant_export_chunks: leftOut('a file does not hold itself'),
  tenant_exports: leftOut('a file does not hold itself'),
  tenant_import_segments: PLATFORM,
  tenant_imports: PLATFORM,
  tenants: exported('settings'),
  webhook_deliveries: UNDER_WAY,
  webhook_events: leftOut('events were sent, or go on, where they happened'),
  webhook_keys: PLATFORM,
  webhooks: exported('webhooks'),
}
