import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { type Environment, VARIABLES, type Variable } from './config.variables.ts'

export { type Environment, VARIABLES, type Variable } from './config.variables.ts'

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

/** Seconds, as fractions too, between the attempts of a delivery. */
const waits = (
  env: Environment,
  name: 'WEBHOOK_RETRY_SECONDS' | 'MESSAGE_RETRY_SECONDS' | 'CLAIM_SOURCE_RETRY_SECONDS' | 'MAIL_RETRY_SECONDS',
  { isRight, count }: { isRight: (count: number) => boolean; count: string },
): readonly number[] => {
  const texts = list(read(env, name))
  const seconds = texts.map(Number)
  const isGrowing = seconds.every((wait, at) => wait > 0 && wait <= 86_400 && wait >= (seconds[at - 1] ?? 0))
  if (isRight(seconds.length) && texts.every((text) => /^\d{1,5}(\.\d{1,3})?$/.test(text)) && isGrowing) return seconds
  return fail(name, `${count} numbers from 0.001 to 86400, none less than the one before`)
}

/** Everybody who may create a webhook or a claim source could make the platform call what listens on its machine. */
const openPrivate = (env: Environment, name: 'WEBHOOK_ALLOW_PRIVATE' | 'CLAIM_SOURCE_ALLOW_PRIVATE'): boolean => {
  const open = flag(env, name)
  if (open && !LOOPBACK.test(read(env, 'HOST'))) fail(name, 'false, unless HOST is a loopback address')
  return open
}

/** One line with one address, in brackets or alone. */
const MAILBOX = /^(?:[^<>@,;:\p{Cc}]*<[^<>@\s]+@[^<>@\s]+>|[^<>@,;:\s]+@[^<>@,;:\s]+)$/u

/** Where mails go; undefined: nowhere, and nobody can register. */
function mailConfig(env: Environment): { url: URL | undefined; directory: string; from: string } | undefined {
  const [directory, from] = [read(env, 'MAIL_DIRECTORY'), read(env, 'MAIL_FROM')]
  if (!MAILBOX.test(from)) fail('MAIL_FROM', 'one mailbox, such as Countersign <no-reply@id.university.example>')
  if (!read(env, 'SMTP_URL')) return directory ? { url: undefined, directory, from } : undefined
  if (directory) fail('MAIL_DIRECTORY', 'no value while SMTP_URL has one')
  const server = url(env, 'SMTP_URL', ['smtp:', 'smtps:'])
  if (!server.hostname) fail('SMTP_URL', 'a URL with a host')
  return { url: server, directory, from }
}

/** Names of files, or empty texts. */
interface TemporalTls {
  ca: string
  cert: string
  key: string
  apiKey: string
}

/** How Temporal is called with TLS; nothing: without. */
function temporalTls(env: Environment): { tls?: TemporalTls } {
  const [ca, cert] = [read(env, 'TEMPORAL_TLS_SERVER_CA_CERT_PATH'), read(env, 'TEMPORAL_TLS_CLIENT_CERT_PATH')]
  const [key, apiKey] = [read(env, 'TEMPORAL_TLS_CLIENT_KEY_PATH'), read(env, 'TEMPORAL_API_KEY')]
  // without it a key of ours would go out in clear, and a certificate would be checked by nobody
  if (!flag(env, 'TEMPORAL_TLS'))
    return ca || cert || key || apiKey
      ? fail('TEMPORAL_TLS', 'true where a file for it or TEMPORAL_API_KEY is set')
      : {}
  if (Boolean(cert) !== Boolean(key))
    fail('TEMPORAL_TLS_CLIENT_KEY_PATH', 'a value where TEMPORAL_TLS_CLIENT_CERT_PATH has one, and none where not')
  return { tls: { ca, cert, key, apiKey } }
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
      ...temporalTls(env),
    },
    temporalUiPublicUrl: read(env, 'TEMPORAL_UI_PUBLIC_URL')
      ? url(env, 'TEMPORAL_UI_PUBLIC_URL', ['http:', 'https:']).href
      : undefined,
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
    outboundReadsPerMinute: integer(env, 'OUTBOUND_READS_PER_MINUTE', 6, 1_000_000),
    clockToleranceMs: integer(env, 'CLOCK_TOLERANCE_SECONDS', 0, 600) * 1000,
    accessTokenLifetimeSeconds: integer(env, 'ACCESS_TOKEN_LIFETIME_SECONDS', 1, 86_400),
    tokenKeyDays: integer(env, 'TOKEN_KEY_DAYS', 0, 3650),
    logKeyDays: integer(env, 'LOG_KEY_DAYS', 0, 3650),
    oidcKeyDays: integer(env, 'OIDC_KEY_DAYS', 0, 3650),
    rateLimitPerMinute: integer(env, 'RATE_LIMIT_PER_MINUTE', 1, 100_000_000),
    tokenRateLimitPerMinute: integer(env, 'TOKEN_RATE_LIMIT_PER_MINUTE', 1, 100_000_000),
    publicRateLimitPerMinute: integer(env, 'PUBLIC_RATE_LIMIT_PER_MINUTE', 1, 100_000_000),
    accounts: {
      failuresPerMinute: integer(env, 'LOGIN_FAILURES_PER_MINUTE', 1, 100_000_000),
      requestsPerHour: integer(env, 'ACCOUNT_REQUESTS_PER_HOUR', 1, 100_000_000),
      mailRetrySeconds: waits(env, 'MAIL_RETRY_SECONDS', { isRight: (count) => count <= 10, count: 'at most 10' }),
    },
    mail: mailConfig(env),
    threadBudgetMsPerMinute: integer(env, 'THREAD_BUDGET_MS_PER_MINUTE', 100, 100_000_000),
    notificationLimitPerHour: integer(env, 'NOTIFICATION_LIMIT_PER_HOUR', 1, 1_000_000),
    messages: {
      limitPerHour: integer(env, 'MESSAGE_LIMIT_PER_HOUR', 1, 1_000_000),
      retrySeconds: waits(env, 'MESSAGE_RETRY_SECONDS', { isRight: (count) => count <= 20, count: 'at most 20' }),
    },
    statusWindowSeconds: integer(env, 'STATUS_WINDOW_SECONDS', 1, 3600),
    didWeb: {
      checkSeconds: integer(env, 'DID_WEB_CHECK_SECONDS', 1, 3600),
      patienceDays: integer(env, 'DID_WEB_PATIENCE_DAYS', 1, 90),
    },
    domains: {
      checkSeconds: integer(env, 'DOMAIN_CHECK_SECONDS', 1, 3600),
      patienceSeconds: integer(env, 'DOMAIN_PATIENCE_SECONDS', 1, 90 * 86_400),
      recheckSeconds: integer(env, 'DOMAIN_RECHECK_SECONDS', 1, 90 * 86_400),
    },
    batchPatienceSeconds: integer(env, 'BATCH_PATIENCE_SECONDS', 1, 86_400),
    claimSources: {
      timeoutMs: integer(env, 'CLAIM_SOURCE_TIMEOUT_MS', 100, 30_000),
      // below the 30 s that Temporal gives one call of the activity (workflows/options.ts)
      patienceMs: integer(env, 'CLAIM_SOURCE_PATIENCE_MS', 100, 25_000),
      retrySeconds: waits(env, 'CLAIM_SOURCE_RETRY_SECONDS', { isRight: (count) => count <= 10, count: 'at most 10' }),
      allowPrivate: openPrivate(env, 'CLAIM_SOURCE_ALLOW_PRIVATE'),
    },
    webhooks: {
      timeoutMs: integer(env, 'WEBHOOK_TIMEOUT_MS', 100, 10_000),
      retrySeconds: waits(env, 'WEBHOOK_RETRY_SECONDS', { isRight: (count) => count === 3, count: 'three' }),
      keyDays: integer(env, 'WEBHOOK_KEY_DAYS', 0, 3650),
      retentionDays: integer(env, 'WEBHOOK_RETENTION_DAYS', 1, 3650),
      allowPrivate: openPrivate(env, 'WEBHOOK_ALLOW_PRIVATE'),
    },
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
    smtp: read(env, 'SMTP_URL') || undefined,
    mailDirectory: read(env, 'MAIL_DIRECTORY') || undefined,
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
