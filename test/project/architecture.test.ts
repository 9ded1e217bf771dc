import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { ARROWS, blindSpots, environmentReads, type SourceFile, wrongArrows } from '../support/frame/architecture.ts'
import { circlesOf, crowdedFolders, wrongAreas } from '../support/frame/areas.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const LAYERS = ['api', 'workflows', 'activities', 'entities', 'protocol']
const MAX_LINES = 300
const MAX_FILES = 20
/** Read in the order of their numbers, and never moved: databases know them by their names. */
const MIGRATION = /^entities\/migrations\/\d{4}-[^/]+\.ts$/

const files: SourceFile[] = globSync(
  '{*,{api,workflows,activities,entities,protocol,stack,client,console,bench,test}/**/*}.{ts,tsx}',
  { cwd: root, exclude: ['client/api.ts'] }, // generated
).map((path) => ({ path: path.replaceAll('\\', '/'), text: readFileSync(`${root}/${path}`, 'utf8') }))

const inLayers = files.filter(({ path }) => LAYERS.includes(path.split('/')[0] ?? ''))

/** The areas built so far and the layers they are in. A missing layer has its reason here. */
const EVERYWHERE = [...LAYERS, 'test']
const AREAS: Record<string, string[]> = {
  dids: EVERYWHERE,
  domains: EVERYWHERE,
  credentials: EVERYWHERE,
  // its long-running work is that of the engine, credentials
  'semantic-credentials': EVERYWHERE.filter((layer) => layer !== 'workflows'),
  // its tables and its long-running work are those of the engine, credentials
  'compact-credentials': ['api', 'activities', 'entities', 'protocol', 'test'],
  // its operations end with their request
  messaging: ['api', 'activities', 'entities', 'protocol', 'test'],
  // it is called by the workflow that issues through OpenID, which comes with its own issue
  'claim-sources': EVERYWHERE.filter((layer) => layer !== 'workflows'),
  // its long-running work is issuance, which comes with its own issue
  openid: EVERYWHERE.filter((layer) => layer !== 'workflows'),
  'tokens-logs': EVERYWHERE,
  webhooks: EVERYWHERE,
  // environments, tenants and clients are made at bootstrap; their operations come with their own issue
  administration: EVERYWHERE,
}

test('the arrows between the layers hold', (t) => {
  t.true(inLayers.length > 50, 'the files are found')
  t.deepEqual(files.flatMap(wrongArrows), [])
})

const planted: Array<[path: string, text: string]> = [
  ['api/planted.ts', `import { Did } from '../entities/dids.ts'`],
  ['api/planted.ts', `import type { Did } from '../entities/dids.ts'`],
  ['api/planted.ts', `import { registerWebDid } from '../workflows/dids.ts'`],
  ['api/planted.ts', `import { loadConfig } from '../config.ts'`],
  ['workflows/planted.ts', `import { createDids } from '../activities/dids/index.ts'`],
  ['workflows/planted.ts', `import { type Purge, createPurge } from '../activities/administration/purge.ts'`],
  ['workflows/planted.ts', `import '../activities/dids/index.ts'`],
  ['activities/planted.ts', `export * from '../workflows/dids.ts'`],
  ['activities/keys/planted.ts', `import { createApp } from '../../api/app.ts'`],
  ['activities/planted.ts', `const later = () => import('../api/app.ts')`],
  ['entities/planted.ts', `import { Refusal } from '../protocol/errors.ts'`],
  ['entities/migrations/planted.ts', `import type { Dids } from '../../activities/dids.ts'`],
  ['client/planted.ts', `import type { Refusal } from '../protocol/errors.ts'`],
  ['protocol/planted.ts', `import type { Config } from '../config.ts'`],
  ['protocol/contexts/planted.ts', `type Did = import('../../entities/dids.ts').Did`],
]

for (const [path, text] of planted) {
  test(`a planted wrong arrow is found: ${path}: ${text}`, (t) => {
    t.is(wrongArrows({ path, text }).length, 1)
  })
}

test('right arrows pass, in whatever way they are written', (t) => {
  const right: Array<[path: string, text: string]> = [
    [
      'api/planted.ts',
      `import { createDids } from '../activities/dids/index.ts'; import type { registerWebDid } from '../workflows/dids.ts'`,
    ],
    [
      'workflows/planted.ts',
      `import type { Dids } from '../activities/dids/index.ts'; import { Refusal } from '../protocol/errors.ts'`,
    ],
    ['workflows/planted.ts', `import { type Purge } from '../activities/administration/purge.ts'`],
    ['activities/worker.ts', `import { loadConfig } from '../config.ts'`],
    ['protocol/planted.ts', `import { importJWK } from 'jose'; import { Refusal } from './errors.ts'`],
    ['stack/planted.ts', `import { migrate } from '../entities/migrate.ts'`],
  ]
  for (const [path, text] of right) t.deepEqual(wrongArrows({ path, text }), [], text)
})

for (const [area, layers] of Object.entries(AREAS)) {
  test(`ls */${area}* shows the area in ${layers.join(', ')}`, (t) => {
    const named = files
      .map(({ path }) => path)
      .filter((path) => new RegExp(`^[a-z]+/${area}(/.+|(\\.[a-z0-9.-]+)?\\.ts)$`).test(path))
    const missing = layers.filter((layer) => !named.some((path) => path.startsWith(`${layer}/`)))
    t.deepEqual(missing, [])
  })
}

test('the arrows between the areas hold', (t) => {
  t.deepEqual(inLayers.flatMap(wrongAreas), [])
})

const strayed: Array<[path: string, text: string]> = [
  ['activities/dids/planted.ts', `import type { Batches } from '../credentials/batches/index.ts'`],
  ['activities/credentials/planted.ts', `import { SemanticTemplate } from '../../entities/semantic-credentials.ts'`],
  ['activities/credentials/batches/planted.ts', `import { sign } from '../../semantic-credentials/sign.ts'`],
  ['activities/tokens-logs/planted.ts', `import { parseDid } from '../../protocol/dids/syntax.ts'`],
  ['activities/frame/planted.ts', `import { createDids } from '../dids/index.ts'`],
  ['activities/keys/planted.ts', `import type { Tokens } from '../tokens-logs/tokens.ts'`],
  ['api/dids/planted.ts', `import type { SignIn } from '../semantic-credentials/wire.ts'`],
  ['protocol/credentials/planted.ts', `export * from '../semantic-credentials/templates.ts'`],
  ['workflows/dids.ts', `import { signBatch } from './credentials.batches.ts'`],
]

for (const [path, text] of strayed) {
  test(`a planted arrow to a foreign area is found: ${path}: ${text}`, (t) => {
    t.is(wrongAreas({ path, text }).length, 1)
  })
}

test('arrows that areas may have pass', (t) => {
  const right: Array<[path: string, text: string]> = [
    ['activities/semantic-credentials/planted.ts', `import { record } from '../credentials/record.ts'`],
    ['activities/dids/planted.ts', `import type { Outbox } from '../frame/outbox.ts'`],
    ['activities/index.ts', `import { createDids } from './dids/index.ts'`],
    ['api/frame/planted.ts', `import type { Token } from '../../activities/tokens-logs/tokens.ts'`],
  ]
  for (const [path, text] of right) t.deepEqual(wrongAreas({ path, text }), [], text)
})

test('no imports go round in a circle', (t) => {
  t.deepEqual(circlesOf(inLayers), [])
  const planted = [
    { path: 'activities/a.ts', text: `import type { B } from './dids/b.ts'` },
    { path: 'activities/dids/b.ts', text: `import { c } from '../c.ts'` },
    { path: 'activities/c.ts', text: `export * from './a.ts'` },
  ]
  t.deepEqual(circlesOf(planted), [['activities/a.ts', 'activities/dids/b.ts', 'activities/c.ts']])
})

test('at most 20 files stand side by side', (t) => {
  t.deepEqual(
    crowdedFolders(
      files.map(({ path }) => path).filter((path) => !MIGRATION.test(path)),
      MAX_FILES,
    ),
    [],
  )
  t.deepEqual(crowdedFolders(['a/b.ts', 'a/c.ts', 'd.ts'], 1), ['a: 2'])
})

test('no file is longer than 300 lines', (t) => {
  t.deepEqual(
    files.filter(({ text }) => text.split('\n').length - 1 > MAX_LINES).map(({ path }) => path),
    [],
  )
})

test('no file is called by what says nothing', (t) => {
  const empty = /(^|[/.])(utils?|helpers?|common|services?|misc|shared)(\.|\/)/
  t.deepEqual(
    inLayers.map(({ path }) => path).filter((path) => empty.test(path)),
    [],
  )
})

test('config.ts alone reads the environment', (t) => {
  t.deepEqual(inLayers.flatMap(environmentReads), [])
  for (const text of [
    'const port = process.env.PORT',
    `const port = process['env'].PORT`,
    'const { env } = process',
    `import { env } from 'node:process'`,
    'loadConfig(process.env)',
  ]) {
    t.is(environmentReads({ path: 'activities/planted.ts', text }).length, 1, text)
  }
  t.deepEqual(environmentReads({ path: 'activities/worker.ts', text: 'const config = loadConfig(process.env)' }), [])
})

test('no file tells the compiler to look away: any, !, as unknown as', (t) => {
  const published = files.filter(({ path }) => path.startsWith('client/'))
  t.true(published.length >= 4)
  t.deepEqual([...inLayers, ...published].flatMap(blindSpots), [])
  for (const text of ['const a: any = 1', 'const b = a!', 'const c = a as unknown as string', 'let d: Array<any>']) {
    t.is(blindSpots({ path: 'protocol/planted.ts', text }).length, 1, text)
  }
})

test('the table of arrows names every layer', (t) => {
  for (const layer of LAYERS) t.truthy(ARROWS[layer], layer)
})
