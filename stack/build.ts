import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { asCommand } from './command.ts'
import { buildConsole, CONSOLE_INPUTS } from './console.ts'
import { withLock } from './local/lock.ts'
import type { Say } from './local/progress.ts'
import { run } from './parts/run.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const build = join(root, 'build')
const outputs = ['routes.ts', 'openapi.json', 'workflows.js', 'app/api/server.js', 'app/activities/worker.js'].map(
  (name) => join(build, name),
)
const stamp = join(build, 'inputs.sha256')

/** A controller's types may come from any of these. */
export const INPUTS = [
  '{api,activities,protocol,entities,workflows}/**/*.ts',
  '{api,activities,protocol,entities,workflows}/**/*.sql',
  'stack/compile.ts',
  '*.ts',
  'tsoa.json',
  'tsconfig.json',
  'package-lock.json',
]

/** Changes when a file of these, or its name, does. */
export function fingerprintOf(patterns: string[], counts: (file: string) => boolean = () => true): string {
  const hash = createHash('sha256')
  const files = globSync(patterns, { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
  for (const file of files.filter(counts).sort())
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(root, file)))
      .update('\0')
  return hash.digest('hex')
}

/** Routes and the OpenAPI document, generated from the controllers. */
async function generateRoutes(): Promise<void> {
  const tsoa = join(root, 'node_modules', 'tsoa', 'dist', 'cli.js')
  const { code, output } = await run(process.execPath, [tsoa, 'spec-and-routes'], { cwd: root })
  if (code !== 0) throw new Error(`${output}\nThe routes could not be generated: tsoa ended with ${code}.`)
}

async function buildServices(say: Say): Promise<void> {
  const current = fingerprintOf(INPUTS)
  if ([...outputs, stamp].every((file) => existsSync(file)) && readFileSync(stamp, 'utf8') === current) return
  say('Generating routes, OpenAPI document and workflow bundle, compiling the services …')
  mkdirSync(build, { recursive: true })
  await generateRoutes()
  const { prepareWorkflowBundle } = await import('../activities/frame/worker/bundle.ts')
  await prepareWorkflowBundle(build)
  const { compileServices } = await import('./compile.ts')
  compileServices(root)
  writeFileSync(`${stamp}.new`, current)
  renameSync(`${stamp}.new`, stamp)
}

/** `client/api.ts` is generated, and has types only. */
const consoleInputs = () => fingerprintOf(CONSOLE_INPUTS, (file) => file !== 'client/api.ts')

async function buildWhatChanged(say: Say): Promise<void> {
  await buildServices(say)
  await buildConsole(root, consoleInputs(), say)
}

/** Everything that is generated, when anything that it is made of has changed: one build at a time. */
export const buildAll = (say: Say): Promise<void> =>
  withLock(
    join(root, '.local', 'build.lock'),
    () => buildWhatChanged(say),
    () => say('Waiting for another build …'),
  )

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await asCommand(() => buildAll(console.log))
