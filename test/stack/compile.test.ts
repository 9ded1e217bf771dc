import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { compileServices } from '../../stack/compile.ts'
import { run } from '../../stack/parts/run.ts'
import { compiled } from '../../stack/parts/services.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const PARTS = [
  'api',
  'activities',
  'entities',
  'protocol',
  'workflows',
  'node_modules',
  'tsconfig.json',
  'package.json',
]

/** The project's sources, compiled elsewhere, so that no other test's build changes meanwhile. */
function compileAside(): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-compiled-'))
  for (const name of [...PARTS, 'config.ts', 'config.variables.ts']) symlinkSync(join(root, name), join(folder, name))
  compileServices(folder)
  return folder
}

const folder = compileAside()
test.after.always(() => rmSync(folder, { recursive: true, force: true }))

test('every source of the services is compiled, and what they read beside it is there', (t) => {
  const sources = globSync('{api,activities,entities,protocol,workflows}/**/*.ts', {
    cwd: root,
    exclude: ['**/*.d.ts'],
  })
  t.true(sources.length > 300)
  const missing = sources.filter((file) => !existsSync(join(folder, 'build', 'app', file.replace(/\.ts$/, '.js'))))
  t.deepEqual(missing, [])
  const functions = (directory: string) => globSync('entities/functions/*.sql', { cwd: directory }).sort()
  t.deepEqual(functions(join(folder, 'build', 'app')), functions(root))
  for (const entry of ['api/server.ts', 'activities/worker.ts'])
    t.true(existsSync(join(folder, compiled(entry))), entry)
})

test('compiled code names no TypeScript source that it would load', (t) => {
  const files = globSync('build/app/**/*.js', { cwd: folder })
  const naming = files.filter((file) =>
    /(?:from|import) ?\(?'\.[^']*\.ts'/.test(readFileSync(join(folder, file), 'utf8')),
  )
  t.deepEqual(naming, [])
})

test('the project stands where sources and compiled code say, and the schema has every migration', async (t) => {
  const script = `const { ROOT } = await import('./build/app/activities/frame/process/root.js')
const { SCHEMA } = await import('./build/app/entities/schema.js')
console.log(JSON.stringify([ROOT.href, SCHEMA]))`
  const { code, output } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: folder })
  t.is(code, 0, output)
  const migrations = globSync('entities/migrations/*-*.ts', { cwd: root }).map((file) => file.slice(20, -3))
  t.deepEqual(JSON.parse(output), [new URL(`file://${folder}/`).href, migrations.sort()])
})
