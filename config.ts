import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'

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
      'comma-separated addresses and CIDR ranges of the proxies in front of the API, whose Forwarded or X-Forwarded-For header is believed; empty: none is',
  },
  API_PROCESSES: { default: '', about: 'processes that share the API port; empty: one per core, 4 at most' },
  DATABASE_URL: { default: '', about: 'PostgreSQL of the owner role (migrations); empty: an embedded one is started' },
  DATABASE_POOL_SIZE: { default: '8', about: 'connections per process and role' },
  DATABASE_TIMEOUT_MS: {
    default: '2000',
    about: 'milliseconds a request waits for a database connection before it is a 503',
  },
  POSTGRES_BINARIES: {
    default: '',
    about: 'directory of initdb and postgres, for tests with another version; empty: the embedded one',
  },
  DATABASE_PORT: { default: '54329', about: 'port of the embedded PostgreSQL' },
  TEMPORAL_ADDRESS: { default: '', about: 'host:port of Temporal; empty: a development server is started' },
  TEMPORAL_NAMESPACE: { default: 'default', about: 'Temporal namespace' },
  TEMPORAL_TASK_QUEUE: { default: 'countersign', about: 'task queue of the workflows and activities' },
  TEMPORAL_UI_URL: { default: '', about: 'address of the Temporal UI, for links; empty: that of the started server' },
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
      'folder, not in the database backup, that remembers how far the database has come; empty: Vault, where it is used',
  },
  VAULT_ADDR: { default: '', about: 'address of Vault or OpenBao; empty: keys stay in the local key store' },
  VAULT_TOKEN: { default: '', about: 'Vault token, where AppRole is not used' },
  VAULT_TOKEN_FILE: {
    default: '',
    about:
      'file with the Vault token in place of VAULT_TOKEN, as Vault Agent writes it; another content counts at once',
  },
  VAULT_ROLE_ID: { default: '', about: 'AppRole role id' },
  VAULT_SECRET_ID: { default: '', about: 'AppRole secret id' },
  VAULT_SECRET_ID_FILE: {
    default: '',
    about: 'file with the AppRole secret id in place of VAULT_SECRET_ID; another content counts at once',
  },
  VAULT_TRANSIT_MOUNT: { default: 'transit', about: 'mount of the transit engine' },
  VAULT_KV_MOUNT: { default: 'secret', about: 'mount of the KV version 2 engine' },
  VAULT_TIMEOUT_MS: { default: '2000', about: 'milliseconds until a Vault call counts as failed' },
  VAULT_BINARY: { default: '', about: 'path of a vault binary, for tests alone; empty: PATH, the cache, then a build' },
  OUTBOUND_TIMEOUT_MS: { default: '5000', about: 'milliseconds for a whole outbound request' },
  OUTBOUND_MAX_BYTES: { default: '1048576', about: 'bytes read of an outbound answer at most' },
  OUTBOUND_CA_FILE: { default: '', about: 'PEM file of further certificate authorities for outbound HTTPS' },
  OUTBOUND_DNS_SERVER: {
    default: '',
    about: 'ip:port of the DNS server for outbound names; empty: the system resolver',
  },
  OUTBOUND_ALLOWED_RANGES: {
    default: '',
    about: 'comma-separated CIDR ranges, otherwise refused as not public, that may be called',
  },
  CLOCK_TOLERANCE_SECONDS: {
    default: '60',
    about: 'seconds by which the clocks of issuers, holders and wallets may differ from ours, either way',
  },
  ACCESS_TOKEN_LIFETIME_SECONDS: { default: '3600', about: 'seconds an access token lives' },
  TOKEN_KEY_DAYS: {
    default: '90',
    about: 'days after which another key signs access tokens; 0: none does by itself (stack/token-keys.ts)',
  },
  RATE_LIMIT_PER_MINUTE: { default: '60000', about: 'requests per client and minute' },
  TOKEN_RATE_LIMIT_PER_MINUTE: {
    default: '600',
    about:
      'token requests per minute: those that succeed of one client, and those that fail from one address or for one client id',
  },
  PUBLIC_RATE_LIMIT_PER_MINUTE: {
    default: '60000',
    about:
      'reads of public documents (DID documents, status lists, key sets, presentation requests) per address and minute',
  },
  THREAD_BUDGET_MS_PER_MINUTE: {
    default: '30000',
    about:
      'milliseconds per minute that threads of one API process work for one tenant, while others want them: BBS, large documents, QR codes',
  },
  NOTIFICATION_LIMIT_PER_HOUR: {
    default: '100',
    about: 'requests with a notification to recipients at one host, per tenant and hour',
  },
  STATUS_WINDOW_SECONDS: { default: '10', about: 'seconds between two signings of a changed status list' },
  DID_WEB_CHECK_SECONDS: {
    default: '5',
    about: 'seconds before the second look for a did:web document; doubles up to an hour',
  },
  DID_WEB_PATIENCE_DAYS: {
    default: '7',
    about: 'days after which a did:web registration that does not resolve is FAILED',
  },
  BATCH_PATIENCE_SECONDS: {
    default: '600',
    about: 'seconds that a batch waits for the key store before it pauses',
  },
  SHUTDOWN_SECONDS: { default: '10', about: 'seconds that accepted work has to finish after SIGTERM' },
  CODEC_ENDPOINT: { default: 'false', about: 'true: the operator port decodes workflow payloads for the Temporal UI' },
  VC_API: {
    default: 'false',
    about: 'true: /vc-api answers without a token, for test suites; only when HOST is loopback',
  },
  LOG_LEVEL: { default: 'info', about: 'fatal, error, warn, info, debug or trace' },
} as const

export type Variable = keyof typeof VARIABLES
export type Environment = Readonly<Record<string, string | undefined>>

/** Reads one variable, with its default. */
export const read = (env: Environment, name: Variable): string => {
  const value = env[name]?.trim()
  return value === undefined || value === '' ? VARIABLES[name].default : value
}

const fail = (name: Variable, expected: string): never => {
  throw new Error(`${name} is not usable: expected ${expected}. See .env.example.`)
}

const required = (env: Environment, name: Variable) =>
  read(env, name) || fail(name, `a value (${VARIABLES[name].about})`)

export const integer = (env: Environment, name: Variable, minimum: number, maximum: number): number => {
  const text = read(env, name)
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < minimum || value > maximum)
    fail(name, `a whole number from ${minimum} to ${maximum}`)
  return value
}

const flag = (env: Environment, name: Variable): boolean => {
  const text = read(env, name)
  if (text !== 'true' && text !== 'false') fail(name, 'true or false')
  return text === 'true'
}

const url = (env: Environment, name: Variable, schemes: string[]): URL => {
  const text = required(env, name)
  const value = URL.canParse(text) ? new URL(text) : fail(name, 'an absolute URL')
  if (!schemes.includes(value.protocol)) fail(name, `a URL that starts with ${schemes.join(' or ')}`)
  return value
}

const masterKey = (env: Environment): Buffer => {
  const key = Buffer.from(required(env, 'KEY_STORE_MASTER_KEY'), 'base64')
  return key.length === 32 ? key : fail('KEY_STORE_MASTER_KEY', '32 bytes in base64')
}

const list = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)

/** Addresses or CIDR ranges; checked before anything is started. */
const addressRanges = (env: Environment, name: Variable): string[] => {
  const ranges = list(read(env, name))
  const isRange = (range: string) => {
    const [address = '', bits, ...more] = range.split('/')
    const version = isIP(address)
    const longest = version === 4 ? 32 : 128
    return (
      version > 0 && more.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= longest))
    )
  }
  return ranges.every(isRange) ? ranges : fail(name, 'addresses and CIDR ranges, separated by commas')
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/

/** Whoever reaches the port may sign with the first tenant's keys, so nobody but this machine may. */
const openVcApi = (env: Environment): boolean => {
  const open = flag(env, 'VC_API')
  if (open && !LOOPBACK.test(read(env, 'HOST'))) fail('VC_API', 'false, unless HOST is a loopback address')
  if (open && read(env, 'TRUSTED_PROXIES')) fail('VC_API', 'false when TRUSTED_PROXIES is set: a proxy lets others in')
  return open
}

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

/** A value, or the file that holds it; both at once would leave open which one counts. */
const oneOf = (env: Environment, value: 'VAULT_TOKEN' | 'VAULT_SECRET_ID') => {
  const file = `${value}_FILE` as const
  if (read(env, value) && read(env, file)) fail(file, `no value while ${value} has one`)
  return { value: read(env, value), file: read(env, file) }
}

const vaultConfig = (env: Environment) => {
  const [token, secretId] = [oneOf(env, 'VAULT_TOKEN'), oneOf(env, 'VAULT_SECRET_ID')]
  return {
    address: url(env, 'VAULT_ADDR', ['http:', 'https:']).origin,
    token: token.value,
    tokenFile: token.file,
    roleId: read(env, 'VAULT_ROLE_ID'),
    secretId: secretId.value,
    secretIdFile: secretId.file,
    transitMount: read(env, 'VAULT_TRANSIT_MOUNT'),
    kvMount: read(env, 'VAULT_KV_MOUNT'),
    timeoutMs: integer(env, 'VAULT_TIMEOUT_MS', 100, 60_000),
  }
}

/** What stack/vault-setup.ts needs, which is nothing of the platform itself. Throws, naming all that is missing. */
export function readVaultSetup(env: Environment): VaultConfig {
  const needed: Variable[][] = [['VAULT_ADDR'], ['VAULT_ROLE_ID'], ['VAULT_SECRET_ID', 'VAULT_SECRET_ID_FILE']]
  const missing = needed.filter((either) => either.every((name) => !read(env, name)))
  if (missing.length > 0) {
    const names = missing.map((either) => either.join(' or ')).join(', ')
    throw new Error(`To set up Vault these variables are missing: ${names}. See .env.example.`)
  }
  return vaultConfig(env)
}

/** What a running process (API or worker) needs. Throws, naming the variable, when one is not usable. */
export function loadConfig(env: Environment) {
  const level = read(env, 'LOG_LEVEL')
  if (!LEVELS.includes(level)) fail('LOG_LEVEL', LEVELS.join(', '))
  return {
    publicUrl: url(env, 'PUBLIC_URL', ['http:', 'https:']),
    host: read(env, 'HOST'),
    port: integer(env, 'PORT', 0, 65535),
    trustedProxies: addressRanges(env, 'TRUSTED_PROXIES'),
    operatorHost: read(env, 'OPERATOR_HOST'),
    operatorPort: integer(env, 'OPERATOR_PORT', 0, 65534),
    apiProcesses: read(env, 'API_PROCESSES')
      ? integer(env, 'API_PROCESSES', 1, 64)
      : Math.min(4, availableParallelism()),
    database: {
      url: url(env, 'DATABASE_URL', ['postgres:', 'postgresql:']).href,
      poolSize: integer(env, 'DATABASE_POOL_SIZE', 2, 200),
      timeoutMs: integer(env, 'DATABASE_TIMEOUT_MS', 100, 60_000),
    },
    temporal: {
      address: required(env, 'TEMPORAL_ADDRESS'),
      namespace: read(env, 'TEMPORAL_NAMESPACE'),
      taskQueue: read(env, 'TEMPORAL_TASK_QUEUE'),
      uiUrl: read(env, 'TEMPORAL_UI_URL'),
    },
    masterKey: masterKey(env),
    epochDirectory: read(env, 'EPOCH_DIRECTORY') || undefined,
    vault: read(env, 'VAULT_ADDR') ? vaultConfig(env) : undefined,
    outbound: {
      timeoutMs: integer(env, 'OUTBOUND_TIMEOUT_MS', 100, 60_000),
      maxBytes: integer(env, 'OUTBOUND_MAX_BYTES', 1024, 64 * 1024 * 1024),
      caFile: read(env, 'OUTBOUND_CA_FILE') || undefined,
      dnsServer: read(env, 'OUTBOUND_DNS_SERVER') || undefined,
      allowedRanges: addressRanges(env, 'OUTBOUND_ALLOWED_RANGES'),
    },
    clockToleranceMs: integer(env, 'CLOCK_TOLERANCE_SECONDS', 0, 600) * 1000,
    accessTokenLifetimeSeconds: integer(env, 'ACCESS_TOKEN_LIFETIME_SECONDS', 1, 86_400),
    tokenKeyDays: integer(env, 'TOKEN_KEY_DAYS', 0, 3650),
    rateLimitPerMinute: integer(env, 'RATE_LIMIT_PER_MINUTE', 1, 100_000_000),
    tokenRateLimitPerMinute: integer(env, 'TOKEN_RATE_LIMIT_PER_MINUTE', 1, 100_000_000),
    publicRateLimitPerMinute: integer(env, 'PUBLIC_RATE_LIMIT_PER_MINUTE', 1, 100_000_000),
    threadBudgetMsPerMinute: integer(env, 'THREAD_BUDGET_MS_PER_MINUTE', 100, 100_000_000),
    notificationLimitPerHour: integer(env, 'NOTIFICATION_LIMIT_PER_HOUR', 1, 1_000_000),
    statusWindowSeconds: integer(env, 'STATUS_WINDOW_SECONDS', 1, 3600),
    didWeb: {
      checkSeconds: integer(env, 'DID_WEB_CHECK_SECONDS', 1, 3600),
      patienceDays: integer(env, 'DID_WEB_PATIENCE_DAYS', 1, 90),
    },
    batchPatienceSeconds: integer(env, 'BATCH_PATIENCE_SECONDS', 1, 86_400),
    shutdownSeconds: integer(env, 'SHUTDOWN_SECONDS', 1, 600),
    codecEndpoint: flag(env, 'CODEC_ENDPOINT'),
    vcApi: openVcApi(env),
    logLevel: level,
  }
}

export type Config = ReturnType<typeof loadConfig>
export type VaultConfig = NonNullable<Config['vault']>
export type OutboundConfig = Config['outbound']

/**
 * What `npm start` brings up: a part is undefined where its address is given. Ports are those of the parts started here.
 * Throws like `loadConfig`, before anything is started.
 */
export function readStackConfig(env: Environment) {
  const port = integer(env, 'PORT', 1, 65535)
  const stack = {
    host: read(env, 'HOST'),
    port,
    publicUrl: env.PUBLIC_URL?.trim() || `http://localhost:${port}`,
    operatorHost: read(env, 'OPERATOR_HOST'),
    operatorPort: integer(env, 'OPERATOR_PORT', 1, 65534),
    shutdownSeconds: integer(env, 'SHUTDOWN_SECONDS', 1, 600),
    databaseUrl: read(env, 'DATABASE_URL') || undefined,
    databasePort: integer(env, 'DATABASE_PORT', 1, 65535),
    temporalAddress: read(env, 'TEMPORAL_ADDRESS') || undefined,
    temporalNamespace: read(env, 'TEMPORAL_NAMESPACE'),
    temporalPort: integer(env, 'TEMPORAL_PORT', 1, 65535),
    temporalUiPort: integer(env, 'TEMPORAL_UI_PORT', 1, 65535),
    temporalUiUrl: read(env, 'TEMPORAL_UI_URL') || undefined,
    masterKey: read(env, 'KEY_STORE_MASTER_KEY') || undefined,
    epochDirectory: read(env, 'EPOCH_DIRECTORY') || undefined,
    codecEndpoint: flag(env, 'CODEC_ENDPOINT'),
    vault: read(env, 'VAULT_ADDR') || undefined,
  }
  loadConfig({
    ...env,
    PUBLIC_URL: stack.publicUrl,
    DATABASE_URL: stack.databaseUrl ?? 'postgresql://127.0.0.1',
    TEMPORAL_ADDRESS: stack.temporalAddress ?? '127.0.0.1',
    KEY_STORE_MASTER_KEY: stack.masterKey ?? Buffer.alloc(32).toString('base64'),
  })
  return stack
}

export type StackConfig = ReturnType<typeof readStackConfig>
