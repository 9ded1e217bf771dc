/** Every variable the platform reads. `.env.example` repeats this table; a test holds the two together. */
export const VARIABLES = {
  PUBLIC_URL: {
    default: 'http://localhost:3000',
    about: 'base URL under which callers reach the API; tenants live at <subdomain>.<host>',
  },
  HOST: { default: '127.0.0.1', about: 'address the API listens on' },
  PORT: { default: '3000', about: 'port of the API' },
  OPERATOR_HOST: {
    default: '127.0.0.1',
    about: 'address of the operator port (metrics, codec endpoint); keep it private',
  },
  OPERATOR_PORT: { default: '9464', about: 'port of the operator endpoints of the API; the worker takes the next one' },
  TRUSTED_PROXIES: {
    default: '',
    about:
      'comma-separated addresses and CIDR ranges of the proxies in front of the API, whose Forwarded or X-Forwarded-For header it uses; empty: no proxy',
  },
  API_PROCESSES: { default: '', about: 'processes that share the API port; empty: one per core, 4 at most' },
  DATABASE_URL: { default: '', about: 'PostgreSQL of the owner role (migrations); empty: an embedded one is started' },
  DATABASE_POOL_SIZE: { default: '8', about: 'connections per process and role' },
  DATABASE_TIMEOUT_MS: {
    default: '2000',
    about: 'milliseconds that a request waits for a database connection; then the response is 503',
  },
  POSTGRES_BINARIES: {
    default: '',
    about: 'directory of initdb and postgres, for tests with another version; empty: the embedded one',
  },
  DATABASE_PORT: { default: '54329', about: 'port of the embedded PostgreSQL' },
  TEMPORAL_ADDRESS: { default: '', about: 'host:port of Temporal; empty: a development server is started' },
  TEMPORAL_NAMESPACE: { default: 'default', about: 'Temporal namespace' },
  TEMPORAL_TLS: { default: 'false', about: 'true: Temporal is called with TLS, as Temporal Cloud wants it' },
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: {
    default: '',
    about: 'PEM file of the certificate authorities of Temporal; empty: those of the operating system',
  },
  TEMPORAL_TLS_CLIENT_CERT_PATH: { default: '', about: 'PEM file of our certificate for Temporal, for mutual TLS' },
  TEMPORAL_TLS_CLIENT_KEY_PATH: { default: '', about: 'PEM file of the key of our certificate for Temporal' },
  TEMPORAL_API_KEY: { default: '', about: 'API key for Temporal, which is not sent without TLS' },
  TEMPORAL_TASK_QUEUE: { default: 'countersign', about: 'task queue of the workflows and activities' },
  TEMPORAL_UI_URL: { default: '', about: 'address of the Temporal UI, for links; empty: that of the started server' },
  TEMPORAL_UI_PUBLIC_URL: {
    default: '',
    about: 'address of the Temporal UI that every caller may see, for links in the API; empty: the API shows no links',
  },
  TEMPORAL_PORT: { default: '7233', about: 'port of the started Temporal server; its UI takes TEMPORAL_UI_PORT' },
  TEMPORAL_UI_PORT: { default: '8233', about: 'port of the started Temporal UI' },
  TEMPORAL_CLI: { default: '', about: 'path of a temporal binary; empty: PATH, the cache, then a build or download' },
  KEY_STORE_MASTER_KEY: {
    default: '',
    about: '32 bytes in base64 that protect local keys and stored answers; empty: .local/master.key',
  },
  EPOCH_DIRECTORY: {
    default: '',
    about:
      'folder outside of the database backup, with a mark that shows a restored database; empty: the mark is in Vault, if Vault is used',
  },
  VAULT_ADDR: { default: '', about: 'address of Vault or OpenBao; empty: keys stay in the local key store' },
  VAULT_TOKEN: { default: '', about: 'Vault token, where AppRole is not used' },
  VAULT_TOKEN_FILE: {
    default: '',
    about:
      'file with the Vault token in place of VAULT_TOKEN, as Vault Agent writes it; a change takes effect within a second',
  },
  VAULT_ROLE_ID: { default: '', about: 'AppRole role id' },
  VAULT_SECRET_ID: { default: '', about: 'AppRole secret id' },
  VAULT_SECRET_ID_FILE: {
    default: '',
    about: 'file with the AppRole secret id in place of VAULT_SECRET_ID; a change takes effect within a second',
  },
  VAULT_TRANSIT_MOUNT: { default: 'transit', about: 'mount of the transit engine' },
  VAULT_KV_MOUNT: { default: 'secret', about: 'mount of the KV version 2 engine' },
  VAULT_TIMEOUT_MS: { default: '2000', about: 'milliseconds until a Vault call counts as failed' },
  VAULT_BINARY: { default: '', about: 'path of a vault binary, for tests only; empty: PATH, the cache, then a build' },
  OUTBOUND_TIMEOUT_MS: { default: '5000', about: 'milliseconds for a whole outbound request' },
  OUTBOUND_MAX_BYTES: { default: '1048576', about: 'most bytes that are read of an outbound response' },
  OUTBOUND_CA_FILE: { default: '', about: 'PEM file of further certificate authorities for outbound HTTPS' },
  OUTBOUND_DNS_SERVER: {
    default: '',
    about:
      'ip:port of the DNS server for outbound names and the TXT records of domains; empty: the hosts file and the servers of the system',
  },
  OUTBOUND_ALLOWED_RANGES: {
    default: '',
    about: 'comma-separated CIDR ranges of addresses that may be called although they are not public',
  },
  OUTBOUND_READS_PER_MINUTE: {
    default: '300',
    about:
      'DID documents, JSON-LD contexts and status lists that are read of one domain for one tenant in a minute; a sixth of them within 10 seconds',
  },
  CLOCK_TOLERANCE_SECONDS: {
    default: '60',
    about: 'most seconds by which the clocks of issuers, holders and wallets may be ahead of or behind ours',
  },
  ACCESS_TOKEN_LIFETIME_SECONDS: { default: '3600', about: 'seconds an access token lives' },
  TOKEN_KEY_DAYS: {
    default: '90',
    about: 'days after which another key signs access tokens; 0: only npm run keys changes the key',
  },
  LOG_KEY_DAYS: {
    default: '365',
    about:
      'days after which another key signs heads of the log; former keys stay, to verify what they signed; 0: never',
  },
  OIDC_KEY_DAYS: {
    default: '90',
    about: 'days after which other keys sign the ID tokens of verifiers; 0: only rotate-keys changes them',
  },
  RATE_LIMIT_PER_MINUTE: { default: '60000', about: 'requests per client and minute' },
  TOKEN_RATE_LIMIT_PER_MINUTE: {
    default: '600',
    about:
      'token requests per minute: successful ones of one client, and failed ones from one address or for one client id',
  },
  PUBLIC_RATE_LIMIT_PER_MINUTE: {
    default: '60000',
    about:
      'reads of public documents (DID documents, status lists, key sets, presentation requests) per address and minute',
  },
  LOGIN_FAILURES_PER_MINUTE: {
    default: '30',
    about:
      'login requests of people that fail, from one address in a minute; those for one account are slowed down besides',
  },
  ACCOUNT_REQUESTS_PER_HOUR: {
    default: '100',
    about: 'registrations, and requests to reset a password, from one address in an hour',
  },
  SMTP_URL: {
    default: '',
    about:
      'mail server: smtp://user:password@host:587 with STARTTLS, or smtps://; empty: nobody can register, but by npm start, which writes mails into .local/mail',
  },
  MAIL_FROM: { default: 'Countersign <countersign@localhost>', about: 'sender of mails, as a mailbox of RFC 5322' },
  MAIL_DIRECTORY: {
    default: '',
    about: 'folder into which mails are written as files in place of sending them, for trying out; not with SMTP_URL',
  },
  MAIL_RETRY_SECONDS: {
    default: '30,120,600,3600,21600',
    about: 'seconds between the attempts to send a mail, none less than the one before',
  },
  THREAD_BUDGET_MS_PER_MINUTE: {
    default: '30000',
    about:
      'milliseconds per minute of thread work (BBS, large documents, QR codes) for one tenant in one API process, while other tenants wait',
  },
  NOTIFICATION_LIMIT_PER_HOUR: {
    default: '100',
    about: 'notifications to recipients at one host, per tenant and hour',
  },
  MESSAGE_LIMIT_PER_HOUR: {
    default: '1000',
    about: 'messages of sendMessage to services at one host, per tenant and hour',
  },
  MESSAGE_RETRY_SECONDS: {
    default: '60,600,3600,10800,28800',
    about: 'seconds between the attempts to deliver a message to a service elsewhere, none less than the one before',
  },
  STATUS_WINDOW_SECONDS: { default: '10', about: 'seconds between two signings of a changed status list' },
  DID_WEB_CHECK_SECONDS: {
    default: '5',
    about: 'seconds before the second check of a did:web document; the pause doubles up to an hour',
  },
  DID_WEB_PATIENCE_DAYS: {
    default: '7',
    about: 'days after which a did:web registration that does not resolve is FAILED',
  },
  DOMAIN_CHECK_SECONDS: {
    default: '30',
    about: 'seconds before the second look for the TXT record of a custom domain; the pause doubles up to an hour',
  },
  DOMAIN_PATIENCE_SECONDS: {
    default: '604800',
    about:
      'seconds after which a custom domain without its TXT record is given up: a new one, or a verified one since the record was first missed',
  },
  DOMAIN_RECHECK_SECONDS: {
    default: '604800',
    about: 'seconds between two looks for the TXT record of a verified domain',
  },
  BATCH_PATIENCE_SECONDS: {
    default: '600',
    about: 'seconds that a batch waits for the key store before it pauses',
  },
  CLAIM_SOURCE_TIMEOUT_MS: {
    default: '5000',
    about: 'milliseconds for one attempt to read claims from a claim source, with the access token for it',
  },
  CLAIM_SOURCE_PATIENCE_MS: {
    default: '15000',
    about:
      'milliseconds for all attempts to read claims from a claim source: keep it below what wallets wait; 25000 at most',
  },
  CLAIM_SOURCE_RETRY_SECONDS: {
    default: '0.5,1.5,3',
    about: 'seconds between the attempts to read claims from a claim source: none less than the one before',
  },
  CLAIM_SOURCE_ALLOW_PRIVATE: {
    default: 'false',
    about:
      'true: claim sources may have http URLs and ports, and be on this machine, for trying out; only when HOST is loopback',
  },
  WEBHOOK_TIMEOUT_MS: {
    default: '3000',
    about: 'milliseconds for a whole attempt to deliver to a webhook: DNS, connection and answer',
  },
  WEBHOOK_RETRY_SECONDS: {
    default: '10,60,360',
    about: 'seconds between the 4 attempts of a webhook delivery: three numbers, none less than the one before',
  },
  WEBHOOK_KEY_DAYS: {
    default: '90',
    about: 'days after which another key signs webhook deliveries; 0: only npm run keys changes the key',
  },
  WEBHOOK_RETENTION_DAYS: {
    default: '30',
    about: 'days after which ended webhook deliveries, and events without deliveries, are deleted',
  },
  WEBHOOK_ALLOW_PRIVATE: {
    default: 'false',
    about: 'true: webhooks may have http URLs and be on this machine, for trying out; only when HOST is loopback',
  },
  SHUTDOWN_SECONDS: {
    default: '10',
    about:
      'seconds in which accepted work may finish after SIGTERM; above 14, raise stop_grace_period in docker-compose.yml too',
  },
  CODEC_ENDPOINT: { default: 'false', about: 'true: the operator port decodes workflow payloads for the Temporal UI' },
  VC_API: {
    default: 'false',
    about: 'true: /vc-api answers without a token, for test suites; only when HOST is loopback',
  },
  LOG_LEVEL: { default: 'info', about: 'fatal, error, warn, info, debug or trace' },
} as const

export type Variable = keyof typeof VARIABLES
export type Environment = Readonly<Record<string, string | undefined>>
