import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** The package as `npm run client` builds it. */
export const PACKAGE = join(root, 'build', 'client')

/** As docs/client.md sets the compiler. */
export const COMPILER: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  noUncheckedIndexedAccess: true,
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  moduleDetection: ts.ModuleDetectionKind.Force,
  allowImportingTsExtensions: true,
  types: ['node'],
}

export interface CompileError {
  line: number
  code: number
  message: string
}

/** A folder of somebody who installed the package, with the programs given by name. */
export async function openConsumer(programs: Record<string, string>) {
  // below the project, so that the programs find the compiler's types
  const directory = await mkdtemp(join(root, 'build', 'consumer-'))
  const scope = join(directory, 'node_modules', '@countersign')
  await mkdir(scope, { recursive: true })
  await symlink(PACKAGE, join(scope, 'client'))
  await writeFile(join(directory, 'package.json'), '{ "type": "module" }')
  await Promise.all(Object.entries(programs).map(([name, text]) => writeFile(join(directory, name), text)))
  const pathOf = (name: string) => join(directory, name)
  const program = ts.createProgram(Object.keys(programs).map(pathOf), COMPILER)
  return {
    pathOf,
    /** Errors of the options themselves. */
    optionErrors: () => program.getOptionsDiagnostics(),
    /** The errors in a program, as the line and the code of each. */
    errorsIn(name: string): CompileError[] {
      const source = program.getSourceFile(pathOf(name))
      if (!source) throw new Error(`${name} is no program here`)
      return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
        ({ start = 0, code, messageText }) => ({
          line: source.getLineAndCharacterOfPosition(start).line + 1,
          code,
          message: ts.flattenDiagnosticMessageText(messageText, ' ').slice(0, 300),
        }),
      )
    },
    close: () => rm(directory, { recursive: true, force: true }),
  }
}

export type Consumer = Awaited<ReturnType<typeof openConsumer>>
