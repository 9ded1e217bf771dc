// Loads TypeScript in test processes (D-397). tsx compiles in a thread of its own and asks it for every import, which
// takes a process of the platform 4 s of a core; this one takes 2 s once the files are in build/.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire, enableCompileCache, registerHooks } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const compiled = join(root, 'build', 'tests', 'modules')
mkdirSync(compiled, { recursive: true })
enableCompileCache(join(root, 'build', 'tests', 'code'))
process.setSourceMapsEnabled(true)

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
    writeFileSync(`${file}.${process.pid}`, text)
    renameSync(`${file}.${process.pid}`, file) // another process may compile the same file
    return text
  }
}

registerHooks({
  load(url, context, next) {
    if (!/^file:.*\.ts$/.test(url) || url.includes('/node_modules/')) return next(url, context)
    return { format: 'module', source: javascriptOf(url), shortCircuit: true }
  },
})
