import { execFile } from 'node:child_process'
import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import test from 'ava'
import { PACKAGE } from '../support/client/programs.ts'
import { importsOf } from '../support/frame/architecture.ts'
import { operations } from '../support/frame/openapi.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)
const manifestOf = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

test('the package has every operation of the document, by its path and method', (t) => {
  const types = readFileSync(join(PACKAGE, 'api.d.ts'), 'utf8')
  const missing = operations.filter(({ operationId, method, path }) => {
    const [, methods = ''] = types.split(`\n    "${path}": {`)
    return !methods.split('\n    };')[0]?.includes(`\n        ${method.toLowerCase()}: operations["${operationId}"];`)
  })
  t.deepEqual(missing, [])
})

test('what the package imports is itself or one of its dependencies, in the version that this project tests', (t) => {
  const { dependencies } = manifestOf(PACKAGE) as { dependencies: Record<string, string> }
  const files = globSync('**/*.{js,d.ts}', { cwd: PACKAGE })
  t.true(files.length >= 10)
  for (const path of files)
    for (const { specifier } of importsOf({ path, text: readFileSync(join(PACKAGE, path), 'utf8') }))
      t.true(/^\.{1,2}\/|^node:/.test(specifier) || specifier in dependencies, `${path}: ${specifier}`)
  const { dependencies: ours } = manifestOf(root) as { dependencies: Record<string, string> }
  for (const [name, version] of Object.entries(dependencies)) t.is(ours[name], version, name)
})

test('version and license of the package are those of the platform, and its file has no more than it needs', async (t) => {
  const [ours, theirs] = [manifestOf(root), manifestOf(PACKAGE)]
  t.deepEqual([theirs.version, theirs.license], [ours.version, ours.license])
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json', PACKAGE])
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }]
  const packed = files.map(({ path }) => path)
  for (const name of ['LICENSE', 'README.md', 'index.js', 'index.d.ts', 'api.d.ts', 'package.json'])
    t.true(packed.includes(name), name)
  t.deepEqual(
    packed.filter((name) => !/^(LICENSE|README\.md|package\.json|(.+)(\.js|\.d\.ts))$/.test(name)),
    [],
  )
})

test('npm run client builds nothing when nothing has changed', async (t) => {
  const built = () => statSync(join(PACKAGE, 'index.js')).mtimeMs
  const before = built()
  const { stdout } = await run(process.execPath, ['--import=tsx', 'stack/client.ts'], { cwd: root })
  t.is(stdout, `The client is in ${PACKAGE}\n`)
  t.is(built(), before)
})
