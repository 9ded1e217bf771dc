import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import test from 'ava'
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript'
import ts from 'typescript'
import { RIGHT } from '../../../support/client/programs.right.ts'
import { WRONG, WRONG_LINE } from '../../../support/client/programs.wrong.ts'
import { blocksOf } from '../../../support/frame/docs.ts'
import { document } from '../../../support/frame/openapi.ts'
import { openWorld, type World } from '../../../support/world.ts'

/** Below the project, so that the programs find its packages. */
const build = fileURLToPath(new URL('../../../../build/', import.meta.url))

const GUIDE = 'docs/client.md'
/** Where the guide expects the platform. */
const ADDRESS = 'http://localhost:3000'

let world: World
let directory: string
let program: ts.Program
const fileOf = (index: number) => join(directory, `wrong-${index}.ts`)

test.before(async () => {
  world = await openWorld()
  directory = await mkdtemp(join(build, 'client-'))
  const types = await openapiTS(document as unknown as OpenAPI3)
  await writeFile(join(directory, 'api.ts'), astToString(types))
  await writeFile(join(directory, 'right.ts'), RIGHT)
  await Promise.all(WRONG.map(({ text }, index) => writeFile(fileOf(index), text)))
  await writeFile(
    join(directory, 'docs.ts'),
    (await blocksOf(GUIDE))
      .filter(({ language }) => language === 'ts')
      .map(({ code }) => code)
      .join('\n'),
  )
  const main = (await blocksOf(GUIDE)).find(({ language }) => language === 'js')?.code ?? ''
  await writeFile(join(directory, 'main.ts'), main.replace('./client.ts', './docs.ts'))
  program = ts.createProgram(
    [
      ...['right.ts', 'docs.ts', 'main.ts'].map((name) => join(directory, name)),
      ...WRONG.map((_, index) => fileOf(index)),
    ],
    {
      strict: true,
      noEmit: true,
      noUncheckedIndexedAccess: true,
      target: ts.ScriptTarget.ES2023,
      lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      moduleDetection: ts.ModuleDetectionKind.Force,
      allowImportingTsExtensions: true,
      types: [],
    },
  )
})
test.after.always(async () => {
  await world?.close()
  if (directory) await rm(directory, { recursive: true, force: true })
})

/** The errors in a file, as the line and the code of each. */
function errorsIn(file: string): { line: number; code: number; message: string }[] {
  const source = program.getSourceFile(file)
  if (!source) throw new Error(`${file} is not in the program`)
  return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
    ({ start = 0, code, messageText }) => ({
      line: source.getLineAndCharacterOfPosition(start).line + 1,
      code,
      message: ts.flattenDiagnosticMessageText(messageText, ' ').slice(0, 300),
    }),
  )
}

test('a client in strict TypeScript compiles against the types of the API document', (t) => {
  t.deepEqual(program.getOptionsDiagnostics(), [])
  for (const name of ['api.ts', 'right.ts']) t.deepEqual(errorsIn(join(directory, name)), [], name)
})

for (const [index, { what, code }] of WRONG.entries())
  test(`a client with ${what} does not compile`, (t) => {
    const errors = errorsIn(fileOf(index))
    const found = new Set(errors.map((error) => `${error.line}: ${error.code}`)) // one error per branch of a union
    t.deepEqual([...found], [`${WRONG_LINE}: ${code}`], JSON.stringify(errors))
  })

test('docs/client.md works word for word: its command writes the types, and its client compiles', async (t) => {
  const [command] = await blocksOf(GUIDE)
  const { devDependencies } = JSON.parse(await readFile(join(build, '../package.json'), 'utf8')) as {
    devDependencies: Record<string, string>
  }
  const expected = ['npx', `openapi-typescript@${devDependencies['openapi-typescript']}`, `${ADDRESS}/openapi.json`]
  const words = command?.code.trim().split(' ') ?? []
  t.deepEqual(words.slice(0, 3), expected)
  const generated = join(directory, 'generated.ts')
  const options = words.slice(3).map((word) => (word === 'api.ts' ? generated : word))
  const binary = join(build, '../node_modules/.bin/openapi-typescript')
  await promisify(execFile)(binary, [`${world.url}/openapi.json`, ...options])
  t.is(
    (await readFile(generated, 'utf8')).replace(/^\/\*\*.*?\*\/\n\n/s, ''),
    await readFile(join(directory, 'api.ts'), 'utf8'),
  )
  for (const name of ['docs.ts', 'main.ts']) t.deepEqual(errorsIn(join(directory, name)), [], name)
})

const TEMPLATE = {
  name: 'Course',
  type: 'AlumniCredential',
  additional_types: [],
  contexts: ['https://www.w3.org/ns/credentials/v2', { '@vocab': 'https://example.edu/terms#' }],
  issuer: { name: 'Example University' },
  claim_mappings: { course: 'claims.course' },
  revocable: false,
}

interface Guide {
  connect(url: string, clientId: string, clientSecret: string): Promise<unknown>
  createDid(client: unknown): Promise<string>
  uploadCsv(client: unknown, csv: string, templateId: string, issuerDid: string): Promise<string>
  readResults(client: unknown, id: string): Promise<string[]>
}

test('the client of docs/client.md creates a DID, uploads a CSV and reads results as lines', async (t) => {
  const guide = (await import(pathToFileURL(join(directory, 'docs.ts')).href)) as Guide
  const { clientId, clientSecret } = world.first
  const client = await guide.connect(world.url, clientId, clientSecret)
  const did = await guide.createDid(client)
  t.regex(did, /^did:key:z6Mk/)
  const { token } = world
  const template = await world.ask('/v1/credentials/web-semantic/configurations', { token, body: TEMPLATE })
  const csv = 'id,course\ndid:example:ada,CS-101\ndid:example:grace,CS-102\n'
  const batch = await guide.uploadCsv(client, csv, template.json<{ id: string }>().id, did)
  t.like((await world.ask(`/v1/credentials/batches/${batch}`, { token })).json(), { source: 'csv', total: 2 })
  t.deepEqual(await guide.readResults(client, batch), [])
})

test('docs/client.md installs the versions of package.json, and has the settings that this test compiles with', async (t) => {
  const blocks = await blocksOf(GUIDE)
  const { dependencies, devDependencies } = JSON.parse(await readFile(join(build, '../package.json'), 'utf8')) as {
    dependencies: Record<string, string>
    devDependencies: Record<string, string>
  }
  const versions = { ...dependencies, ...devDependencies }
  const text = blocks.map(({ code }) => code).join('\n')
  for (const name of ['openapi-fetch', 'typescript']) t.true(text.includes(`${name}@${versions[name]}`), name)
  const settings = blocks.find(({ language }) => language === 'json')?.code ?? ''
  const { compilerOptions } = JSON.parse(settings) as { compilerOptions: Record<string, unknown> }
  const { options, errors } = ts.convertCompilerOptionsFromJson(compilerOptions, '')
  t.deepEqual(errors, [])
  t.deepEqual(options, { ...program.getCompilerOptions() })
})

type Run = (url: string, clientId: string, clientSecret: string) => Promise<unknown>

// serial, so that it comes first: it counts the DIDs of the tenant
test.serial('the client that compiles runs against the API', async (t) => {
  const { run } = (await import(pathToFileURL(join(directory, 'right.ts')).href)) as { run: Run }
  const { clientId, clientSecret } = world.first
  t.deepEqual(await run(world.url, clientId, clientSecret), {
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
    missing: '/problems#credential.not_found',
  })
})
