import { cpSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript'
import ts from 'typescript'
import type { GeneratedOpenApi } from '../api/frame/openapi/generated.ts'
import { completeOpenApi } from '../api/frame/openapi/index.ts'
import { buildAll, fingerprintOf } from './build.ts'
import { asCommand } from './command.ts'
import { withLock } from './local/lock.ts'
import type { Say } from './local/progress.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const source = join(root, 'client')
/** Generated from the API document; git ignores it, as it does what is built. */
const types = join(source, 'api.ts')
/** The package, complete: it can be installed from here, packed and published. */
const target = join(root, 'build', 'client')
const stamp = join(root, 'build', 'client.sha256')

/** Each refusal is a problem, as `default` is: one of them is enough for types. */
export function documentForTypes<Document extends GeneratedOpenApi>(document: Document): Document {
  const paths = Object.entries(document.paths).map(([path, methods]) => {
    const lean = Object.entries(methods).map(([method, operation]) => {
      const answers = Object.entries(operation.responses).filter(([status]) => !/^[45]/.test(status))
      return [method, { ...operation, responses: Object.fromEntries(answers) }]
    })
    return [path, Object.fromEntries(lean)]
  })
  return { ...document, paths: Object.fromEntries(paths) }
}

/** The types of every operation, from the document that the API serves. */
async function typesOfDocument(): Promise<string> {
  const generated = JSON.parse(readFileSync(join(root, 'build', 'openapi.json'), 'utf8')) as GeneratedOpenApi
  const document = documentForTypes(completeOpenApi(generated)) as unknown as OpenAPI3
  const blob = ts.factory.createTypeReferenceNode('Blob')
  return astToString(await openapiTS(document, { transform: ({ format }) => (format === 'binary' ? blob : undefined) }))
}

/** The document comes from all of these, and the package from the rest. */
const INPUTS = [
  'build/openapi.json',
  '{api,protocol}/**/*.ts',
  'client/**/*',
  'LICENSE',
  'stack/client.ts',
  'package-lock.json',
]

/** What this command and `npm run collection` write. */
const GENERATED = /^client\/(api\.ts|\w+\.postman_collection\.json)$/

/** As a consumer's compiler is set, or stricter. */
const OPTIONS: ts.CompilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  declaration: true,
  rewriteRelativeImportExtensions: true,
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.dom.asynciterable.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  rootDir: source,
  skipLibCheck: true,
  types: ['node'],
}

/** Checks and compiles the package's modules. */
function compile(outDir: string): void {
  const files = globSync('**/*.ts', { cwd: source }).map((file) => join(source, file))
  const program = ts.createProgram(files, { ...OPTIONS, outDir })
  const found = [...ts.getPreEmitDiagnostics(program), ...program.emit().diagnostics]
  if (found.length === 0) return
  const host = { getCurrentDirectory: () => root, getCanonicalFileName: (name: string) => name, getNewLine: () => '\n' }
  throw new Error(`${ts.formatDiagnostics(found, host)}The client could not be compiled.`)
}

async function buildWhatChanged(say: Say): Promise<void> {
  const current = fingerprintOf(INPUTS, (file) => !GENERATED.test(file))
  const isCurrent = existsSync(stamp) && readFileSync(stamp, 'utf8') === current
  if (isCurrent && [types, join(target, 'index.js')].every((file) => existsSync(file))) return
  say('Generating the client …')
  writeFileSync(`${types}.new`, await typesOfDocument())
  renameSync(`${types}.new`, types)
  const next = `${target}.new`
  rmSync(next, { recursive: true, force: true })
  mkdirSync(next, { recursive: true })
  compile(next)
  for (const file of globSync(['package.json', '**/*.md'], { cwd: source }))
    cpSync(join(source, file), join(next, file))
  cpSync(join(root, 'LICENSE'), join(next, 'LICENSE'))
  rmSync(target, { recursive: true, force: true })
  renameSync(next, target)
  writeFileSync(stamp, current)
}

/** The client of the API as a package in `build/client`, when the API or the client has changed. */
export async function buildClient(say: Say): Promise<void> {
  await buildAll(say)
  await withLock(
    join(root, '.local', 'build.lock'),
    () => buildWhatChanged(say),
    () => say('Waiting for another build …'),
  )
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  await asCommand(async () => {
    await buildClient(console.log)
    console.log(`The client is in ${target}`)
  })
