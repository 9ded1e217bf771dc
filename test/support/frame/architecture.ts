import { dirname, join } from 'node:path/posix'
import ts from 'typescript'

/** Path from the project's root, and its text. */
export interface SourceFile {
  path: string
  text: string
}

type Use = 'values' | 'types'

/** Which layer may use which other one. A layer that is no key here, such as stack or test, may use all. */
export const ARROWS: Record<string, Record<string, Use>> = {
  api: { activities: 'values', protocol: 'values', workflows: 'types', config: 'types', build: 'values' },
  workflows: { protocol: 'values', activities: 'types' },
  activities: { entities: 'values', protocol: 'values', config: 'types' },
  entities: { protocol: 'types' },
  protocol: {},
  // published alone
  client: {},
  console: { client: 'values' },
  config: {},
}

/** The process entries read the environment, through config.ts. */
export const ENTRIES = ['api/server.ts', 'activities/worker.ts']

/** A file at the top is a layer of its own, with those that begin with its name and a point. */
export const layerOf = (path: string): string =>
  path.includes('/') ? (path.split('/')[0] ?? '') : path.replace(/\..*$/, '')

interface Import {
  specifier: string
  use: Use
}

const parse = ({ path, text }: SourceFile) => ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)

const walk = (node: ts.Node, visit: (node: ts.Node) => void): void => {
  visit(node)
  node.forEachChild((child) => walk(child, visit))
}

const textOf = (node: ts.Node | undefined): string | undefined =>
  node && ts.isStringLiteralLike(node) ? node.text : undefined

/** `import type`, or every name in the braces marked `type`. */
const isTypeOnly = (node: ts.ImportDeclaration | ts.ExportDeclaration): boolean => {
  const clause = ts.isImportDeclaration(node) ? node.importClause : node
  if (!clause) return false
  if (clause.isTypeOnly) return true
  const named = ts.isImportClause(clause) ? clause.namedBindings : clause.exportClause
  if (ts.isImportClause(clause) && clause.name) return false
  if (!named || !(ts.isNamedImports(named) || ts.isNamedExports(named)) || named.elements.length === 0) return false
  return named.elements.every((element) => element.isTypeOnly)
}

/** Every module that a file names: import, re-export, `import()`, `import('…')` types, `require()`, `import x = require()`. */
export function importsOf(file: SourceFile): Import[] {
  const found: Import[] = []
  const add = (specifier: string | undefined, use: Use) => {
    if (specifier !== undefined) found.push({ specifier, use })
  }
  walk(parse(file), (node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
      add(textOf(node.moduleSpecifier), isTypeOnly(node) ? 'types' : 'values')
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      add(textOf(node.argument.literal), 'types')
    } else if (ts.isExternalModuleReference(node)) {
      add(textOf(node.expression), 'values')
    } else if (ts.isCallExpression(node)) {
      const calls = node.expression.kind === ts.SyntaxKind.ImportKeyword || node.expression.getText() === 'require'
      if (calls) add(textOf(node.arguments[0]), 'values')
    }
  })
  return found
}

/** One sentence per import that goes against an arrow. */
export function wrongArrows(file: SourceFile): string[] {
  const from = layerOf(file.path)
  const allowed = ARROWS[from]
  if (!allowed) return []
  return importsOf(file).flatMap(({ specifier, use }) => {
    if (!specifier.startsWith('.') && !specifier.startsWith('#') && !specifier.startsWith('/')) return []
    const target = join(dirname(file.path), specifier)
    const to = layerOf(target)
    if (to === from || (to === 'config' && ENTRIES.includes(file.path))) return []
    const may = allowed[to]
    if (may === 'values' || (may === 'types' && use === 'types')) return []
    return [`${file.path} uses ${may === 'types' ? 'values of' : ''} ${to} (${specifier})`.replace('  ', ' ')]
  })
}

const named = (node: ts.Node, text: string): boolean => ts.isIdentifier(node) && node.text === text

/** `process.env`, however it is written, outside a process entry's `loadConfig(process.env)`. */
export function environmentReads(file: SourceFile): string[] {
  const found: string[] = []
  const source = parse(file)
  walk(source, (node) => {
    const dotted = ts.isPropertyAccessExpression(node) && named(node.expression, 'process') && node.name.text === 'env'
    const indexed = ts.isElementAccessExpression(node) && named(node.expression, 'process')
    const unpacked =
      ts.isVariableDeclaration(node) && node.initializer !== undefined && named(node.initializer, 'process')
    const imported = ts.isImportSpecifier(node) && (node.propertyName ?? node.name).text === 'env'
    if (!dotted && !indexed && !unpacked && !imported) return
    const passed = ts.isCallExpression(node.parent) && node.parent.expression.getText() === 'loadConfig'
    if (passed && ENTRIES.includes(file.path)) return
    found.push(`${file.path}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1} reads the environment`)
  })
  return found
}

/** `any`, `!` and `as unknown as`: places where the compiler was told to look away. */
export function blindSpots(file: SourceFile): string[] {
  const found: string[] = []
  const source = parse(file)
  walk(source, (node) => {
    const what =
      node.kind === ts.SyntaxKind.AnyKeyword
        ? 'any'
        : ts.isNonNullExpression(node)
          ? 'a non-null assertion'
          : ts.isAsExpression(node) &&
              ts.isAsExpression(node.expression) &&
              node.expression.type.kind === ts.SyntaxKind.UnknownKeyword
            ? 'as unknown as'
            : undefined
    if (what) found.push(`${file.path}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1} holds ${what}`)
  })
  return found
}
