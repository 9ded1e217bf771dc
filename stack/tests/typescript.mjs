// Loads TypeScript in test processes (D-397). tsx compiles in a thread of its own and asks it for every import, which
// takes a process of the platform 4 s of a core; this one takes 1.5 s once the files are in build/.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { createRequire, enableCompileCache, findPackageJSON, registerHooks, setSourceMapsSupport } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const compiled = join(root, 'build', 'tests', 'modules')
mkdirSync(compiled, { recursive: true })
enableCompileCache(join(root, 'build', 'tests', 'code'))
setSourceMapsSupport(true, { nodeModules: false, generatedCode: false })

const require = createRequire(import.meta.url)

/** @param {string} fileName @param {string} source @returns {string} */
function compile(fileName, source) {
  /** @type {typeof import('typescript')} */
  const ts = require('typescript')
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => readFileSync(path, 'utf8'))
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root)
  const compilerOptions = {
    ...options,
    module: ts.ModuleKind.ESNext,
    noEmit: false,
    isolatedModules: true,
    inlineSourceMap: true,
    inlineSources: false,
  }
  return ts.transpileModule(source, { fileName, compilerOptions }).outputText
}

/** Another process may write the same file. @param {string} file @param {string} text */
function replace(file, text) {
  writeFileSync(`${file}.${process.pid}`, text)
  renameSync(`${file}.${process.pid}`, file)
}

/** @param {string} url @returns {string} */
function javascriptOf(url) {
  const fileName = fileURLToPath(url)
  const source = readFileSync(fileName, 'utf8')
  const name = createHash('sha256').update(`${fileName}\n${source}`).digest('hex')
  const file = join(compiled, `${name}.js`)
  try {
    return readFileSync(file, 'utf8')
  } catch {
    const text = compile(fileName, source)
    replace(file, text)
    return text
  }
}

/** @typedef {{ url: string, format: string }} Resolution */

/** Of the packages as they are installed now. */
const resolutionsFile = join(
  compiled,
  `formats-${statSync(join(root, 'node_modules/.package-lock.json')).mtimeMs}.json`,
)
/** @type {Map<string, Resolution>} */
const resolutions = new Map(readResolutions())
const known = resolutions.size

/** @returns {[string, Resolution][]} */
function readResolutions() {
  try {
    return JSON.parse(readFileSync(resolutionsFile, 'utf8'))
  } catch {
    return []
  }
}

process.on('exit', () => {
  if (resolutions.size > known) replace(resolutionsFile, JSON.stringify([...resolutions]))
})

/** What the nearest package.json says that files of .js are. @param {string} url @returns {unknown} */
function typeOf(url) {
  const file = findPackageJSON(url)
  return file && JSON.parse(readFileSync(file, 'utf8')).type
}

/**
 * What a package's file is found to be; kept, because finding 2,000 of them takes half a second of a core.
 * @param {import('node:module').ResolveFnOutput} found
 * @returns {Resolution | undefined}
 */
function resolutionOf({ url, format }) {
  if (!url.startsWith('file:') || !url.includes('/node_modules/')) return undefined
  if (format) return { url, format }
  if (url.endsWith('.cjs')) return { url, format: 'commonjs' }
  if (!url.endsWith('.js')) return undefined
  // what is required may be a module too
  return { url, format: typeOf(url) === 'module' ? 'module' : 'commonjs' }
}

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL = '', conditions } = context
    if (/^\.{1,2}\/.*\.ts$/.test(specifier) && parentURL.startsWith('file:'))
      return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true }
    const key = `${conditions.includes('require') ? 'require' : 'import'} ${specifier} ${parentURL}`
    const kept = resolutions.get(key)
    if (kept) return { ...kept, shortCircuit: true }
    const found = next(specifier, context)
    const resolution = resolutionOf(found)
    if (resolution) resolutions.set(key, resolution)
    return found
  },
  load(url, context, next) {
    if (!/^file:.*\.ts$/.test(url) || url.includes('/node_modules/')) return next(url, context)
    return { format: 'module', source: javascriptOf(url), shortCircuit: true }
  },
})
