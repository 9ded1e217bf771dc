import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import test from 'ava'
import { promisedSecret, writeFirstTenant } from '../../stack/local/first-tenant.ts'
import { logTo, notable } from '../../stack/local/log-file.ts'
import { masterKeyFrom } from '../../stack/local/master-key.ts'
import { privateDirectory, privateFiles } from '../../stack/local/private.ts'
import { unprivilegedOwner } from '../../stack/local/unprivileged.ts'
import { needs } from '../support/parts.ts'
import { eventually, temporary } from '../support/stack/stack.ts'

test('the master key is made once, 32 bytes, readable by us alone; a file that others may read is refused', (t) => {
  const file = join(temporary(t, 'key'), 'local', 'master.key')
  const key = masterKeyFrom(file)
  t.is(Buffer.from(key, 'base64').length, 32)
  t.is(statSync(file).mode & 0o777, 0o600)
  t.is(masterKeyFrom(file), key)
  writeFileSync(`${file}.open`, key)
  chmodSync(`${file}.open`, 0o644)
  t.throws(() => masterKeyFrom(`${file}.open`), { message: /chmod 600/ })
})

test('the first secret is on disk before it is in the database: a start that is cut off in between does not lose it', (t) => {
  const file = join(temporary(t, 'tenant'), 'first-tenant.json')
  const addresses = { baseUrl: 'http://localhost:3000', docsUrl: 'http://localhost:3000/docs', temporalUiUrl: '' }
  const clientSecret = promisedSecret(file)
  t.is(Buffer.from(clientSecret, 'base64url').length, 32)
  t.is(statSync(file).mode & 0o777, 0o600)
  t.is(promisedSecret(file), clientSecret)
  const first = writeFirstTenant(file, { tenantId: 'T', clientId: 'C', clientSecret }, addresses)
  t.is(statSync(file).mode & 0o777, 0o600)
  t.deepEqual(JSON.parse(readFileSync(file, 'utf8')), first)
  t.is(promisedSecret(file), clientSecret)
})

const modeOf = (path: string) => statSync(path).mode & 0o777

test('what earlier releases left open to others is closed: directories 0700, files 0600; links are left alone (D-166)', (t) => {
  const root = temporary(t, 'private')
  const local = join(root, 'local')
  mkdirSync(local, { mode: 0o755 })
  chmodSync(local, 0o755)
  for (const name of ['temporal.db', 'temporal.db-wal', 'first-tenant.json', 'master.key']) {
    writeFileSync(join(local, name), '')
    chmodSync(join(local, name), 0o644)
  }
  writeFileSync(join(root, 'elsewhere'), '')
  chmodSync(join(root, 'elsewhere'), 0o644)
  symlinkSync(join(root, 'elsewhere'), join(local, 'link'))
  privateDirectory(local)
  privateFiles(local, ['master.key'])
  t.is(modeOf(local), 0o700)
  for (const name of ['temporal.db', 'temporal.db-wal', 'first-tenant.json'])
    t.is(modeOf(join(local, name)), 0o600, name)
  t.is(modeOf(join(local, 'master.key')), 0o644, 'it is refused, not closed in silence')
  t.is(modeOf(join(root, 'elsewhere')), 0o644)
  privateDirectory(join(root, 'new', 'inner'))
  t.is(modeOf(join(root, 'new', 'inner')), 0o700)
})

const asRoot = needs('the root user')
asRoot('as root, the user that PostgreSQL runs as passes through, and nobody lists what is there (D-166)', (t) => {
  const path = join(temporary(t, 'through'), 'local')
  const owner = unprivilegedOwner()
  t.truthy(owner)
  privateDirectory(path, owner)
  t.is(modeOf(path), 0o710)
  t.like(statSync(path), { uid: 0, gid: owner?.gid })
})

test('the console shows warnings, errors and crashes, and nothing else of the logs', (t) => {
  t.is(notable('API', '{"level":30,"msg":"request"}'), undefined)
  t.is(notable('API', ''), undefined)
  t.is(notable('API', '{"level":40,"msg":"slow"}'), 'API: warning: slow')
  t.is(
    notable('API', '{"level":50,"msg":"failed","err":{"message":"no database"}}'),
    'API: error: failed (no database)',
  )
  t.is(
    notable('API', '{"level":50,"time":1,"status":500,"route":"/v1/dids","requestId":"5f0c","msg":"createDID"}'),
    'API: error: createDID [status 500, route /v1/dids, requestId 5f0c]',
  )
  t.is(notable('API', 'TypeError: x'), 'API: TypeError: x')
})

test('a log on a full disk loses its lines, says so once, and ends nobody', async (t) => {
  if (!existsSync('/dev/full')) return t.pass('this system has no device that is always full')
  const log = logTo('/dev/full')
  t.teardown(log.close)
  const stream = new PassThrough()
  const lines: string[] = []
  log.follow(stream, (line) => lines.push(line))
  for (let n = 0; n < 3; n++) stream.write(`line ${n}\n`)
  stream.end()
  t.true(await eventually(() => lines.length >= 4))
  const [told = '', ...rest] = lines
  t.regex(told, /^\/dev\/full cannot be written, and loses lines \(ENOSPC/)
  t.deepEqual(rest, ['line 0', 'line 1', 'line 2'])
})

test('a log file stays bounded, with the one before it kept', async (t) => {
  const path = join(temporary(t, 'log'), 'log', 'api.log')
  const log = logTo(path, 1_000)
  const stream = new PassThrough()
  const lines: string[] = []
  log.follow(stream, (line) => lines.push(line))
  for (let n = 0; n < 100; n++) stream.write(`line ${n} ${'x'.repeat(40)}\n`)
  stream.end()
  t.true(await eventually(() => lines.length === 100))
  log.close()
  t.true(statSync(path).size <= 1_100)
  t.true(statSync(path.replace('.log', '.1.log')).size <= 1_100)
  t.is(statSync(path).mode & 0o777, 0o600)
})
