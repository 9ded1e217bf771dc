import { cpSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'

/** What the API and the worker load. */
const SOURCES = ['{api,activities,entities,protocol,workflows}/**/*.ts', 'config*.ts', 'build/routes.ts']
/** What they read beside their code. */
const FILES = ['entities/functions/*.sql']

/**
 * Compiles the services to `build/app`, each file to one of the same name: a process that compiles its code at every
 * start needs 25 MB more, and starts later. Types are not checked: `npm run check` does.
 */
export function compileServices(root: string): void {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => readFileSync(path, 'utf8'))
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root)
  const compilerOptions = {
    ...options,
    module: ts.ModuleKind.ESNext,
    noEmit: false,
    isolatedModules: true,
    rewriteRelativeImportExtensions: true,
  }
  const target = join(root, 'build', 'app')
  const next = `${target}.new`
  rmSync(next, { recursive: true, force: true })
  for (const file of globSync(SOURCES, { cwd: root, exclude: ['**/*.d.ts'] })) {
    const fileName = join(root, file)
    const { outputText } = ts.transpileModule(readFileSync(fileName, 'utf8'), { fileName, compilerOptions })
    const to = join(next, file.replace(/\.ts$/, '.js'))
    mkdirSync(dirname(to), { recursive: true })
    writeFileSync(to, outputText)
  }
  for (const file of globSync(FILES, { cwd: root })) cpSync(join(root, file), join(next, file))
  rmSync(target, { recursive: true, force: true })
  renameSync(next, target)
}
