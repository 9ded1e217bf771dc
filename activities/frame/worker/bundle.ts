import { createHash } from 'node:crypto'
import { globSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleWorkflowCode, type WorkflowBundleWithSourceMap } from '@temporalio/worker'
import { ROOT } from '../process/root.ts'

const root = fileURLToPath(ROOT)
/** The bundle is built from the sources, also by a compiled worker. */
const failureConverterPath = fileURLToPath(new URL('activities/frame/temporal/failures.ts', ROOT))

/** A path, not an import: workflows run in a sandbox of their own. */
const workflowsPath = join(root, 'workflows', 'index.ts')

/**
 * Builds the code that the workflow sandbox loads. Throws the bundler's messages when the code imports a Node built-in
 * or the SDK's client side.
 */
export async function bundleWorkflows(path = workflowsPath): Promise<WorkflowBundleWithSourceMap> {
  const errorLines: string[] = []
  const ignore = () => undefined
  const error = (text: string) => errorLines.push(text)
  const logger = { trace: ignore, debug: ignore, info: ignore, warn: ignore, log: ignore, error }
  try {
    return await bundleWorkflowCode({ workflowsPath: path, failureConverterPath, logger })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(['the workflows cannot be bundled', reason, ...errorLines].join('\n'), { cause })
  }
}

/** Returns a digest of all that may enter the bundle: our sources and the SDK's version. */
async function fingerprint(): Promise<string> {
  const hash = createHash('sha256')
  hash.update(createRequire(import.meta.url)('@temporalio/workflow/package.json').version)
  const files = globSync(['workflows/**/*.ts', 'protocol/**/*.ts'], { cwd: root }).sort()
  for (const file of [...files.map((name) => join(root, name)), failureConverterPath]) {
    hash
      .update(file.slice(root.length))
      .update('\0')
      .update(await readFile(file))
      .update('\0')
  }
  return hash.digest('hex')
}

/** Writes a temporary file and renames it, so that processes that start together never read half a file. */
async function replaceFile(path: string, content: string): Promise<void> {
  const temporary = `${path}.${process.pid}`
  await writeFile(temporary, content)
  await rename(temporary, path)
}

const contentOf = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })

/**
 * Returns the workflow bundle in `directory`, built (about 3 s) when the sources have changed. Where it cannot be
 * written, e.g. in a read-only image, it is used from memory.
 */
export async function prepareWorkflowBundle(
  directory = join(root, 'build'),
): Promise<{ codePath: string } | WorkflowBundleWithSourceMap> {
  const codePath = join(directory, 'workflows.js')
  const fingerprintPath = join(directory, 'workflows.sha256')
  const current = await fingerprint()
  if ((await contentOf(fingerprintPath)) === current && (await contentOf(codePath)) !== undefined) return { codePath }
  const bundle = await bundleWorkflows()
  try {
    await mkdir(directory, { recursive: true })
    await replaceFile(codePath, bundle.code)
    await replaceFile(fingerprintPath, current)
    return { codePath }
  } catch (error) {
    process.stderr.write(`the workflow bundle cannot be written and stays in memory: ${error}\n`)
    return bundle
  }
}
