import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { binaryCache } from '../../../stack/parts/temporal.binary.ts'

const run = promisify(execFile)

/** A virtual environment with libraries of other authors, made once for a machine. */
async function environment(libraries: string[]): Promise<string> {
  const name = `python-${libraries.map((each) => each.replace('==', '-')).join('-')}`
  const folder = join(dirname(binaryCache(process.env)), name)
  if (existsSync(folder)) return join(folder, 'bin', 'python')
  const making = `${folder}.${process.pid}`
  await mkdir(dirname(folder), { recursive: true })
  try {
    await run('python3', ['-m', 'venv', making])
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--retries', '10', ...libraries]
    await run(join(making, 'bin', 'python'), pip, { timeout: 240_000 })
    // of two files that make it at once the second finds the first one's
    await rename(making, folder).catch((error: NodeJS.ErrnoException) => {
      if (!existsSync(folder)) throw error
    })
  } finally {
    await rm(making, { recursive: true, force: true })
  }
  return join(folder, 'bin', 'python')
}

/** Runs programs in Python with the libraries, each by name and version; returns what they print. */
export function pythonWith(...libraries: string[]) {
  let made: Promise<string> | undefined
  return async (program: string, ...words: string[]): Promise<string> => {
    made ??= environment(libraries)
    const { stdout } = await run(await made, ['-c', program, ...words], { maxBuffer: 64 * 1024 * 1024 })
    return stdout
  }
}
