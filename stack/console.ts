import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What the console is made of: a change of the services alone builds no console. */
export const CONSOLE_INPUTS = ['console/**/*', 'client/*.ts', 'stack/console.ts', 'package-lock.json']

/** The operator's console in `build/console`, when anything that it is made of has changed; `current` says what that is. */
export async function buildConsole(root: string, current: string, say: (line: string) => void): Promise<void> {
  const target = join(root, 'build', 'console')
  const stamp = join(root, 'build', 'console.sha256')
  const isCurrent = existsSync(stamp) && readFileSync(stamp, 'utf8') === current
  if (isCurrent && existsSync(join(target, 'index.html'))) return
  say('Building the console …')
  const { build } = await import('vite')
  const next = `${target}.new`
  await build({
    root: join(root, 'console'),
    base: '/console/',
    configFile: false,
    envDir: false,
    publicDir: false,
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir: next,
      emptyOutDir: true,
      target: 'es2023',
      // the page's Content-Security-Policy allows nothing inline
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
  })
  rmSync(target, { recursive: true, force: true })
  renameSync(next, target)
  writeFileSync(stamp, current)
}
