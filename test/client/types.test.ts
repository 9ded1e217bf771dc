import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import test from 'ava'
import ts from 'typescript'
import { COMPILER, type Consumer, openConsumer, PACKAGE } from '../support/client/programs.ts'
import { RIGHT } from '../support/client/right.ts'
import { WRONG, WRONG_LINE } from '../support/client/wrong.ts'
import { blocksOf } from '../support/frame/docs.ts'
import { openWorld, type World } from '../support/world.ts'

const run = promisify(execFile)

const GUIDE = 'docs/client.md'

let world: World
let consumer: Consumer
let first: string
test.before(async () => {
  world = await openWorld()
  const [program = '', ...parts] = (await blocksOf(GUIDE)).flatMap(({ language, code }) =>
    language === 'ts' ? [code] : [],
  )
  first = program
  consumer = await openConsumer({
    'first.ts': program,
    'parts.ts': parts.join('\n'),
    'right.ts': RIGHT,
    ...Object.fromEntries(WRONG.map(({ text }, index) => [`wrong-${index}.ts`, text])),
  })
})
test.after.always(async () => {
  await world?.close()
  await consumer?.close()
})

test('a program in strict TypeScript compiles against the package, as docs/client.md sets the compiler', (t) => {
  t.deepEqual(consumer.optionErrors(), [])
  for (const name of ['first.ts', 'parts.ts', 'right.ts']) t.deepEqual(consumer.errorsIn(name), [], name)
})

for (const [index, { what, code }] of WRONG.entries())
  test(`a program with ${what} does not compile (issue 14, Must show 6)`, (t) => {
    const errors = consumer.errorsIn(`wrong-${index}.ts`)
    const found = new Set(errors.map((error) => `${error.line}: ${error.code}`)) // one error per branch of a union
    t.deepEqual([...found], [`${WRONG_LINE}: ${code}`], JSON.stringify(errors))
  })

const environment = () => ({
  ...process.env,
  COUNTERSIGN_URL: world.url,
  COUNTERSIGN_CLIENT_ID: world.first.clientId,
  COUNTERSIGN_CLIENT_SECRET: world.first.clientSecret,
})

test('docs/client.md: 30 lines get a token, make a DID and a template, sign, verify and revoke, and print what it says', async (t) => {
  const lines = first.split('\n').filter((line) => line !== '')
  t.true(lines.length <= 30, `${lines.length} lines`)
  const { stdout } = await run(process.execPath, [consumer.pathOf('first.ts')], { env: environment() })
  const promised = (await blocksOf(GUIDE)).find(({ language }) => language === 'text')?.code
  t.is(stdout, String(promised))
})

interface Parts {
  namesOf(client: unknown): Promise<string[]>
  locationOf(client: unknown, body: object): Promise<string | null>
  uploadCsv(
    client: unknown,
    csv: string,
    upload: { templateId: string; issuerDid: string; key: string },
  ): Promise<string>
  readResults(client: unknown, id: string): Promise<string[]>
}

const TEMPLATE = {
  name: 'Course',
  type: 'AlumniCredential',
  additional_types: [],
  contexts: ['https://www.w3.org/ns/credentials/v2', { '@vocab': 'https://example.edu/terms#' }],
  issuer: { name: 'Example University' },
  claim_mappings: { course: 'claims.course' },
  revocable: false,
}

test('the parts of docs/client.md list names, read a Location, upload a CSV and read results as lines', async (t) => {
  const { connect } = (await import(
    pathToFileURL(`${PACKAGE}/index.js`).href
  )) as typeof import('../../client/index.ts')
  const parts = (await import(pathToFileURL(consumer.pathOf('parts.ts')).href)) as Parts
  const client = connect({ baseUrl: world.url, ...(await world.addTenant()) })
  const location = await parts.locationOf(client, { method: 'KEY', options: { keyType: 'ed25519' } })
  t.regex(String(location), /^\/v1\/dids\/did%3Akey%3Az6Mk/)
  const { dids } = await client.get('/v1/dids')
  const template = await client.post('/v1/credentials/web-semantic/configurations', { body: TEMPLATE })
  t.deepEqual(await parts.namesOf(client), ['Course'])
  const csv = 'id,course\ndid:example:ada,CS-101\ndid:example:grace,CS-102\n'
  const upload = { templateId: template.id, issuerDid: dids[0]?.did ?? '', key: 'courses.csv' }
  const id = await parts.uploadCsv(client, csv, upload)
  t.is(await parts.uploadCsv(client, csv, upload), id, 'once, with its key')
  t.like(await client.get('/v1/credentials/batches/{id}', { params: { path: { id } } }), { source: 'csv', total: 2 })
  t.deepEqual(await parts.readResults(client, id), [])
})

test('docs/client.md names the versions of package.json, and the settings that this test compiles with', async (t) => {
  const blocks = await blocksOf(GUIDE)
  const { dependencies, devDependencies } = JSON.parse(
    await readFile(new URL('../../package.json', import.meta.url), 'utf8'),
  ) as Record<'dependencies' | 'devDependencies', Record<string, string>>
  const versions = { ...dependencies, ...devDependencies }
  const text = blocks.map(({ code }) => code).join('\n')
  for (const name of ['openapi-typescript', 'typescript', '@types/node'])
    t.true(text.includes(`${name}@${versions[name]}`), name)
  const settings = blocks.find(({ language }) => language === 'json')?.code ?? ''
  const { compilerOptions } = JSON.parse(settings) as { compilerOptions: Record<string, unknown> }
  const { options, errors } = ts.convertCompilerOptionsFromJson(compilerOptions, '')
  t.deepEqual(errors, [])
  t.deepEqual(options, COMPILER)
})

test('docs/client.md: the generator takes the document of a running platform', async (t) => {
  const command = (await blocksOf(GUIDE)).at(-1)?.code.trim().split(' ') ?? []
  const [program = '', address = '', ...options] = command.slice(1)
  t.is(program.split('@')[0], 'openapi-typescript')
  t.is(address, 'http://localhost:3000/openapi.json')
  const to = consumer.pathOf('generated.ts')
  const binary = new URL('../../node_modules/.bin/openapi-typescript', import.meta.url).pathname
  await run(binary, [`${world.url}/openapi.json`, ...options.map((word) => (word === 'api.ts' ? to : word))])
  t.regex(await readFile(to, 'utf8'), /"\/v1\/credentials\/web-semantic\/sign"/)
})

type Run = (url: string, clientId: string, clientSecret: string) => Promise<unknown>

// serial, so that it comes first: it counts the DIDs of the tenant
test.serial('a long program that compiles runs against the platform', async (t) => {
  const { run: program } = (await import(pathToFileURL(consumer.pathOf('right.ts')).href)) as { run: Run }
  const { clientId, clientSecret } = world.first
  t.deepEqual(await program(world.url, clientId, clientSecret), {
    seconds: world.config.accessTokenLifetimeSeconds,
    state: 'COMPLETED',
    total: 1,
    key: true,
    verified: true,
    isRevoked: true,
    after: ['Revoked'],
    rows: 1,
    version: true,
    open: true,
    failedChecks: ['holderProof', 'holderBinding'],
    missing: 'credential.not_found',
  })
})
