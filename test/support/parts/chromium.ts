import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { binaryCache, onPath } from '../../../stack/parts/temporal.binary.ts'
import { CHROMIUM_NAMES } from '../../../stack/tests/parts.ts'

interface Program {
  executablePath: string
  env: Record<string, string>
}

/** An installed Chromium; or the one of npm, unpacked once for each machine, with the libraries that a bare machine lacks. */
async function findChromium(): Promise<Program> {
  const [installed] = CHROMIUM_NAMES.flatMap((name) => onPath(name, process.env) ?? [])
  if (installed !== undefined) return { executablePath: installed, env: {} }
  const directory = join(binaryCache(process.env), 'chromium-153.0.0')
  if (!existsSync(directory)) await unpack(directory)
  return {
    executablePath: join(directory, 'chromium'),
    env: { LD_LIBRARY_PATH: join(directory, 'al2023', 'lib'), FONTCONFIG_FILE: join(directory, 'fonts.conf') },
  }
}

/** Settings of fontconfig: those of the package name folders of Amazon's machines. */
const fontsIn = (directory: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${join(directory, 'fonts')}</dir><dir>/usr/share/fonts</dir><cachedir>${join(directory, 'cache')}</cachedir></fontconfig>
`

/** The package unpacks to TMPDIR, and its libraries where it takes the machine for one of Amazon. */
async function unpack(directory: string): Promise<void> {
  const parent = binaryCache(process.env)
  await mkdir(parent, { recursive: true })
  const made = await mkdtemp(join(parent, 'chromium-'))
  const { TMPDIR, AWS_EXECUTION_ENV } = process.env
  Object.assign(process.env, { TMPDIR: made, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' })
  try {
    const { default: chromium } = await import('@sparticuz/chromium')
    await chromium.executablePath()
    await writeFile(join(made, 'fonts.conf'), fontsIn(directory))
    // of two that unpack at once the second finds the first one's
    await rename(made, directory).catch(async (error: NodeJS.ErrnoException) => {
      if (!existsSync(directory)) throw error
      await rm(made, { recursive: true, force: true })
    })
  } finally {
    for (const [name, value] of Object.entries({ TMPDIR, AWS_EXECUTION_ENV }))
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
  }
}

/** So long may Chromium take to end: on a busy machine it may answer that it closes, and then stay. */
const CLOSING_MS = 20_000

async function processOf(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  const found = processInfo.find(({ type }) => type === 'browser')
  if (!found) throw new Error('Chromium does not say which process it is')
  return found.id
}

/** A real browser without a window. */
export async function openChromium(closingMs = CLOSING_MS): Promise<Browser> {
  const { chromium } = await import('playwright-core')
  const { executablePath, env } = await findChromium()
  const own = Object.fromEntries(Object.entries(process.env).flatMap(([name, value]) => (value ? [[name, value]] : [])))
  // root has no sandbox; what the tests open is their own platform
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'], env: { ...own, ...env } })
  const [pid, close] = [await processOf(browser), browser.close.bind(browser)]
  browser.close = async (options) => {
    // the leader of a group of its own
    const late = setTimeout(() => process.kill(-pid, 'SIGKILL'), closingMs)
    await close(options).finally(() => clearTimeout(late))
  }
  return browser
}
