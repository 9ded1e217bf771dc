import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import test from 'ava'
import { type Environment, loadConfig, readStackConfig, readVaultSetup, VARIABLES } from '../../config.ts'
import { renderExample } from '../../stack/env-example.ts'

const usable = {
  DATABASE_URL: 'postgresql://owner@db.example/countersign',
  TEMPORAL_ADDRESS: 'temporal.example:7233',
  KEY_STORE_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
}

const example = readFileSync('.env.example', 'utf8')

test('.env.example lists exactly the variables of config.ts, each with its comment and default', (t) => {
  t.is(example, renderExample(VARIABLES), 'write it again: node --import=tsx stack/env-example.ts')
  const listed = [...example.matchAll(/^# (.+)\n# ([A-Z][A-Z0-9_]*)=(.*)$/gm)].map(([, about, name, value]) => ({
    about,
    name,
    value,
  }))
  t.deepEqual(
    listed,
    Object.entries(VARIABLES).map(([name, { about, default: value }]) => ({ about, name, value })),
  )
})

test('a copied .env.example changes nothing: every line of it is a comment', (t) => {
  for (const line of example.split('\n')) t.regex(line, /^(#.*)?$/)
})

test('the comment of a number tells its unit', (t) => {
  const units =
    /\b(seconds?|milliseconds|days|bytes|port|connections|processes|requests|notifications|messages|times|credentials|entries)\b/
  for (const [name, { default: value, about }] of Object.entries(VARIABLES))
    if (/^\d+$/.test(value)) t.regex(about, units, name)
})

test('loadConfig takes its defaults from the table, and an empty variable counts as not set', (t) => {
  const config = loadConfig({ ...usable, PORT: ' ', HOST: '' })
  t.is(config.port, 3000)
  t.is(config.host, '127.0.0.1')
  t.is(config.vault, undefined)
  t.is(config.masterKey.length, 32)
  t.is(config.apiProcesses, Math.min(4, availableParallelism()))
})

const BAD: [name: string, value: string][] = [
  ['CLAIM_SOURCE_TIMEOUT_MS', '99'],
  ['CLAIM_SOURCE_PATIENCE_MS', '25001'],
  ['CLAIM_SOURCE_RETRY_SECONDS', '2,1'],
  ['CLAIM_SOURCE_RETRY_SECONDS', '1,1,1,1,1,1,1,1,1,1,1'],
  ['CLAIM_SOURCE_ALLOW_PRIVATE', 'yes'],
  ['PUBLIC_URL', 'localhost:3000'],
  ['PUBLIC_URL', 'ftp://example.com'],
  ['CLOCK_TOLERANCE_SECONDS', '601'],
  ['CLOCK_TOLERANCE_SECONDS', '-1'],
  ['PORT', '65536'],
  ['PORT', '3000.5'],
  ['PORT', '-1'],
  ['PORT', '0x50'],
  ['PORT', '3e3'],
  ['TRUSTED_PROXIES', 'proxy.example'],
  ['TRUSTED_PROXIES', '10.0.0.0/33'],
  ['TRUSTED_PROXIES', '10.0.0.0/8/8'],
  ['TRUSTED_PROXIES', '2001:db8::/129'],
  ['TRUSTED_PROXIES', '10.0.0.1, 127.1'],
  ['TRUSTED_PROXIES', '10.0.0.0/'],
  ['OPERATOR_PORT', '65535'],
  ['OPERATOR_PORT', 'none'],
  ['API_PROCESSES', '0'],
  ['API_PROCESSES', '65'],
  ['DATABASE_URL', ''],
  ['DATABASE_URL', 'mysql://db.example'],
  ['DATABASE_POOL_SIZE', '1'],
  ['TEMPORAL_ADDRESS', ''],
  ['TEMPORAL_UI_PUBLIC_URL', 'ui.example'],
  ['TEMPORAL_TLS', 'yes'],
  ['OUTBOUND_READS_PER_MINUTE', '5'],
  ['KEY_STORE_MASTER_KEY', ''],
  ['KEY_STORE_MASTER_KEY', Buffer.alloc(31).toString('base64')],
  ['KEY_STORE_MASTER_KEY', 'correct horse battery staple'],
  ['VAULT_ADDR', 'vault.example:8200'],
  ['VAULT_TIMEOUT_MS', '99'],
  ['VAULT_TOKEN_FILE', '/run/token'],
  ['VAULT_SECRET_ID_FILE', '/run/secret-id'],
  ['OUTBOUND_TIMEOUT_MS', '18446744073709551615'],
  ['OUTBOUND_MAX_BYTES', '1 MiB'],
  ['ACCESS_TOKEN_LIFETIME_SECONDS', '0'],
  ['RATE_LIMIT_PER_MINUTE', 'unlimited'],
  ['TOKEN_RATE_LIMIT_PER_MINUTE', '٣'],
  ['PUBLIC_RATE_LIMIT_PER_MINUTE', '0'],
  ['THREAD_BUDGET_MS_PER_MINUTE', '99'],
  ['OUTBOUND_ALLOWED_RANGES', 'localhost'],
  ['STATUS_WINDOW_SECONDS', '3601'],
  ['DID_WEB_CHECK_SECONDS', ' 5s'],
  ['DID_WEB_PATIENCE_DAYS', '91'],
  ['BATCH_PATIENCE_SECONDS', '0'],
  ['SHUTDOWN_SECONDS', '601'],
  ['CODEC_ENDPOINT', 'yes'],
  ['LOG_LEVEL', 'verbose'],
]

test('TLS for Temporal has all that belongs together, and nothing of it is sent without', (t) => {
  const tls = (env: Environment) => loadConfig({ ...usable, ...env }).temporal.tls
  t.is(tls({}), undefined)
  t.deepEqual(tls({ TEMPORAL_TLS: 'true' }), { ca: '', cert: '', key: '', apiKey: '' })
  for (const name of ['TEMPORAL_TLS_SERVER_CA_CERT_PATH', 'TEMPORAL_TLS_CLIENT_KEY_PATH', 'TEMPORAL_API_KEY'])
    t.throws(() => tls({ [name]: 'a value' }), { message: /^TEMPORAL_TLS is not usable: expected true/ })
  for (const name of ['TEMPORAL_TLS_CLIENT_CERT_PATH', 'TEMPORAL_TLS_CLIENT_KEY_PATH'])
    t.throws(() => tls({ TEMPORAL_TLS: 'true', [name]: 'a.pem' }), { message: /^TEMPORAL_TLS_CLIENT_KEY_PATH is not/ })
})

for (const [name, value] of BAD)
  test(`the start fails and names ${name} when it is ${JSON.stringify(value)}`, (t) => {
    const beside = name.endsWith('_FILE') ? { [name.replace('_FILE', '')]: 'another one' } : {}
    const vault = name.startsWith('VAULT_') ? { VAULT_ADDR: 'http://vault.example:8200', ...beside } : {}
    t.throws(() => loadConfig({ ...usable, ...vault, [name]: value }), {
      message: new RegExp(`^${name} is not usable`),
    })
  })

test('setting up Vault needs its own variables alone, and names all that are missing at once', (t) => {
  const { message } = t.throws(() => readVaultSetup({})) ?? { message: '' }
  for (const name of ['VAULT_ADDR', 'VAULT_ROLE_ID', 'VAULT_SECRET_ID', 'VAULT_SECRET_ID_FILE'])
    t.true(message.includes(name))
  for (const name of ['DATABASE_URL', 'TEMPORAL_ADDRESS', 'KEY_STORE_MASTER_KEY']) t.false(message.includes(name), name)
  t.throws(() => readVaultSetup({ VAULT_ADDR: 'http://vault.example:8200', VAULT_SECRET_ID: 's' }), {
    message: /missing: VAULT_ROLE_ID\./,
  })
  const own = { VAULT_ADDR: 'http://vault.example:8200', VAULT_ROLE_ID: 'countersign', VAULT_SECRET_ID: 's' }
  t.like(readVaultSetup(own), { roleId: 'countersign', secretId: 's', transitMount: 'transit' })
})

test('no message about a bad variable repeats its value: it may be a secret', (t) => {
  const error = t.throws(() => loadConfig({ ...usable, KEY_STORE_MASTER_KEY: 'c2VjcmV0' }))
  t.false(error.message.includes('c2VjcmV0'))
})

test('npm start needs no variable at all, and brings up what has no address', (t) => {
  const stack = readStackConfig({})
  t.is(stack.databaseUrl, undefined)
  t.is(stack.temporalAddress, undefined)
  t.is(stack.masterKey, undefined)
  t.is(stack.publicUrl, 'http://localhost:3000')
})

test('npm start skips what has an address', (t) => {
  const stack = readStackConfig(usable)
  t.is(stack.databaseUrl, usable.DATABASE_URL)
  t.is(stack.temporalAddress, usable.TEMPORAL_ADDRESS)
  t.is(stack.masterKey, usable.KEY_STORE_MASTER_KEY)
})

test('the public URL follows PORT until it is set', (t) => {
  t.is(readStackConfig({ PORT: '4000' }).publicUrl, 'http://localhost:4000')
  t.is(readStackConfig({ PORT: '4000', PUBLIC_URL: 'https://id.example' }).publicUrl, 'https://id.example')
})

test('npm start checks every variable before it brings anything up', (t) => {
  for (const [name, value] of [
    ['DATABASE_PORT', '0'],
    ['TEMPORAL_UI_PORT', 'x'],
    ['LOG_LEVEL', 'loud'],
    ['STATUS_WINDOW_SECONDS', '0'],
    ['KEY_STORE_MASTER_KEY', 'short'],
  ] as const)
    t.throws(() => readStackConfig({ [name]: value }), { message: new RegExp(`^${name} is not usable`) })
})

test('what opens the machine that the platform runs on needs a HOST that nobody else reaches', (t) => {
  for (const name of ['WEBHOOK_ALLOW_PRIVATE', 'CLAIM_SOURCE_ALLOW_PRIVATE']) {
    const error = t.throws(() => loadConfig({ ...usable, [name]: 'true', HOST: '0.0.0.0' }))
    t.true(error?.message.includes(name), name)
    t.notThrows(() => loadConfig({ ...usable, [name]: 'true', HOST: '127.0.0.1' }))
  }
})
