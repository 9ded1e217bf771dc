import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import test from 'ava'
import { parse } from 'yaml'
import { VARIABLES } from '../../config.ts'
import { compiled, NODE_ENVIRONMENT } from '../../stack/parts/services.ts'
import { inImage } from '../support/stack/stack.ts'

interface Service {
  image?: string
  restart?: string
  build?: string
  command?: string[]
  container_name?: string
  environment?: Record<string, string>
  env_file?: { path: string; required: boolean }[]
  ports?: string[]
  volumes?: string[]
  healthcheck?: { test: string[] }
  depends_on?: Record<string, { condition: string }>
}

const text = readFileSync('docker-compose.yml', 'utf8')
const compose = parse(text, { merge: true, strict: true }) as {
  services: Record<string, Service>
  volumes: Record<string, null>
}
const services = Object.entries(compose.services)
const ours = services.filter(([, { build }]) => build !== undefined)

/** Variables of the images, not of Countersign, that docker-compose.yml takes from .env. */
const OF_IMAGES = ['POSTGRES_PASSWORD']

test('docker-compose.yml has two databases, Temporal and its UI, Vault, API, worker', (t) => {
  for (const name of ['postgres', 'temporal-postgres', 'temporal', 'temporal-ui', 'vault', 'api', 'worker', 'prepare'])
    t.truthy(compose.services[name], name)
})

test('every variable that a service of ours gets is one of config.ts', (t) => {
  for (const [name, { environment = {} }] of ours)
    for (const variable of Object.keys(environment)) t.true(variable in VARIABLES, `${name}: ${variable}`)
})

test('every variable that docker-compose.yml reads is one of config.ts or of an image', (t) => {
  const read = [...text.replaceAll(/^\s*#.*$/gm, '').matchAll(/\$\{([A-Z0-9_]+)/g)].map(([, name = '']) => name)
  t.true(read.length > 5)
  for (const name of read) t.true(name in VARIABLES || OF_IMAGES.includes(name), name)
})

/** A value as compose makes it of the variables of .env; throws where one is missing that has to be there. */
function interpolated(value: string, env: Record<string, string> = {}): string {
  const innermost = /\$\{([A-Z0-9_]+)(?:(:?[-?])([^${}]*))?\}/.exec(value)
  if (!innermost) return value
  const [whole, name = '', operator, rest = ''] = innermost
  const given = env[name]
  const isMissing = operator?.startsWith(':') ? !given : given === undefined
  if (isMissing && operator?.endsWith('?')) throw new Error(`${name}: ${rest}`)
  return interpolated(value.replace(whole, isMissing ? rest : (given ?? '')), env)
}

test('addresses of parts of one’s own in .env take the place of those of the services here', (t) => {
  const own = {
    DATABASE_URL: 'postgresql://me@db.example/mine',
    TEMPORAL_ADDRESS: 'temporal.example:7233',
    TEMPORAL_UI_URL: 'https://temporal.example',
    VAULT_ADDR: 'https://vault.example',
    VAULT_SECRET_ID: 'of mine',
  }
  const secrets = { POSTGRES_PASSWORD: 'pg', KEY_STORE_MASTER_KEY: 'key' }
  for (const [service, { environment = {} }] of ours)
    for (const [name, value] of Object.entries(own))
      t.is(interpolated(environment[name] ?? '', { ...secrets, ...own }), value, `${service}: ${name}`)
  t.is(
    interpolated(compose.services.api?.environment?.VAULT_SECRET_ID ?? '?', secrets),
    '',
    'VAULT_SECRET_ID_FILE may count',
  )
})

test('API, worker and preparation run the entries of npm start, with the same variables', (t) => {
  t.deepEqual(compose.services.api?.command, [compiled('api/server.ts')])
  t.deepEqual(compose.services.worker?.command, [compiled('activities/worker.ts')])
  t.deepEqual(compose.services.prepare?.command, ['--import=tsx', 'stack/prepare.ts'])
  const start = readFileSync('stack/start.ts', 'utf8')
  for (const entry of ['api/server.ts', 'activities/worker.ts', 'stack/prepare.ts'])
    t.true(start.includes(`'${entry}'`))
  const [first, ...rest] = ours.map(([, { environment }]) => environment)
  for (const other of rest) t.deepEqual(other, first)
  for (const [name, { env_file }] of ours) t.deepEqual(env_file, [{ path: '.env', required: false }], name)
})

test('every command of ours points at a file that is there', (t) => {
  for (const [name, { command = [] }] of ours) {
    const entry = command.find((word) => !word.startsWith('-'))
    t.true(existsSync(entry ?? ''), `${name}: ${entry}`)
  }
})

/** Scripts that people are told to run in the image. */
const COMMANDS = new Set(
  ['README.md', 'docker-compose.yml', ...globSync('docs/*.md')].flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/(?:docker compose run|command:).*? ?(stack\/[\w/-]+\.ts)\b/g)].map(
      ([, script = '']) => script,
    ),
  ),
)

test('every command for the image runs by its entrypoint alone', async (t) => {
  for (const name of ['backup', 'restore', 'restored', 'keys', 'tenants', 'logs/command', 'prepare', 'vault-setup'])
    t.true(COMMANDS.has(`stack/${name}.ts`), name)
  for (const command of COMMANDS) {
    const { lines, ended } = inImage([command, '--no-such-option'], { DATABASE_URL: 'not a URL', VAULT_ADDR: '' })
    t.is((await ended).code, 1, command)
    // its own words: the code was read, and began to work
    t.regex(lines.join('\n'), /Unknown option|DATABASE_URL is not usable|variables are missing/, command)
  }
})

test('dependencies are services with the condition they can meet', (t) => {
  for (const [name, { depends_on = {} }] of services)
    for (const [other, { condition }] of Object.entries(depends_on)) {
      const target = compose.services[other]
      t.truthy(target, `${name} needs ${other}`)
      if (condition === 'service_healthy') t.truthy(target?.healthcheck, `${other} has no health check`)
      else t.is(condition, 'service_completed_successfully', `${name} needs ${other}`)
    }
})

test('who opens Vault stays, because Vault is sealed after each start', (t) => {
  const { command = [], restart, healthcheck } = compose.services['vault-setup'] ?? {}
  t.is(restart, 'unless-stopped')
  t.is(command.at(-1), 'http://vault:8200')
  const [file = ''] = healthcheck?.test.slice(-1) ?? []
  t.true(readFileSync('stack/vault-setup.ts', 'utf8').includes(`'${basename(file)}'`), file)
})

test('no service waits for itself, however many are between', (t) => {
  const reach = (name: string, path: string[]): void => {
    t.false(path.includes(name), [...path, name].join(' → '))
    if (path.includes(name)) return
    for (const other of Object.keys(compose.services[name]?.depends_on ?? {})) reach(other, [...path, name])
  }
  for (const [name] of services) reach(name, [])
})

test('addresses name services and the ports these listen on', (t) => {
  const listens: Record<string, number> = { postgres: 5432, 'temporal-postgres': 5432, temporal: 7233, vault: 8200 }
  const { environment = {} } = compose.services.api ?? {}
  const [DATABASE_URL = '', TEMPORAL_ADDRESS, VAULT_ADDR] = ['DATABASE_URL', 'TEMPORAL_ADDRESS', 'VAULT_ADDR'].map(
    (name) => interpolated(environment[name] ?? '', { POSTGRES_PASSWORD: 'pg' }),
  )
  t.regex(DATABASE_URL, /@postgres:5432\/countersign$/)
  t.is(TEMPORAL_ADDRESS, `temporal:${listens.temporal}`)
  t.is(VAULT_ADDR, `http://vault:${listens.vault}`)
  const { POSTGRES_SEEDS = '', DB_PORT } = compose.services.temporal?.environment ?? {}
  t.is(listens[POSTGRES_SEEDS], Number(DB_PORT))
  t.is(compose.services['temporal-ui']?.environment?.TEMPORAL_ADDRESS, TEMPORAL_ADDRESS)
})

test('--scale worker=4 --scale api=2 is possible: no fixed name, no single host port', (t) => {
  for (const [name, { container_name }] of services) t.is(container_name, undefined, name)
  t.is(compose.services.worker?.ports, undefined)
  const [port = ''] = compose.services.api?.ports ?? []
  const [, from, to, inside] = /^127\.0\.0\.1:(\d+)-(\d+):(\d+)$/.exec(port) ?? []
  t.true(Number(to) - Number(from) >= 1, port)
  t.is(inside, compose.services.api?.environment?.PORT)
})

test('only loopback ports are published, and neither databases nor Vault nor operator ports', (t) => {
  for (const [name, { ports = [] }] of services) {
    for (const port of ports) t.regex(port, /^127\.0\.0\.1:/, name)
    if (ports.length) t.true(['api', 'temporal-ui'].includes(name), name)
  }
})

test('health checks ask the ports that the services listen on', (t) => {
  const { environment = {}, healthcheck } = compose.services.api ?? {}
  t.true(healthcheck?.test.join(' ').includes(`:${environment.PORT}/health/ready`))
  const worker = compose.services.worker?.healthcheck?.test.join(' ') ?? ''
  t.true(worker.includes(`:${Number(environment.OPERATOR_PORT) + 1}/health/ready`))
})

test('every volume is declared, every image has a version', (t) => {
  for (const [name, { volumes = [], image = '', build }] of services) {
    for (const volume of volumes) t.true((volume.split(':')[0] ?? '') in compose.volumes, `${name}: ${volume}`)
    if (!build) t.regex(image, /:\d[\w.]*$/, name)
  }
})

test('no secret has a default: compose refuses to start without it', (t) => {
  for (const name of ['POSTGRES_PASSWORD', 'KEY_STORE_MASTER_KEY']) {
    t.regex(text, new RegExp(`\\$\\{${name}:\\?`))
    t.notRegex(text, new RegExp(`\\$\\{${name}(:?-|\\})`))
  }
})

test('the image is built in two stages on Node 24, runs without root, and starts the API unless told otherwise', (t) => {
  const dockerfile = readFileSync('Dockerfile', 'utf8')
  t.deepEqual(
    [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image),
    ['node:24-bookworm-slim', 'node:24-bookworm-slim'],
  )
  t.regex(dockerfile, /^USER node$/m)
  // where the image may write, and compose keeps a volume
  t.regex(dockerfile, /EPOCH_DIRECTORY=\/app\/\.local\/epoch$/m)
  for (const [name, value] of Object.entries(NODE_ENVIRONMENT)) t.true(dockerfile.includes(` ${name}=${value} `), name)
  t.true(dockerfile.endsWith(`ENTRYPOINT ["node"]\nCMD ["${compiled('api/server.ts')}"]\n`))
  for (const [, copied = ''] of dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm))
    for (const file of copied.split(' ')) t.true(existsSync(file), file)
})
