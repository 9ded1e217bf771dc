import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { binaryCache, isExecutable, onPath } from '../parts/temporal.binary.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** What a machine may lack: each by its name, with whether it is there. */
export type Parts = Readonly<Record<string, (env: Environment) => boolean>>

/** Published test vectors, beside the repository. */
export const VECTORS = fileURLToPath(new URL('../../../shared/vectors/', import.meta.url))

const hasVault = (env: Environment): boolean =>
  Boolean(env.VAULT_BINARY) ||
  isExecutable(join(binaryCache(env), 'vault')) ||
  ['vault', 'go'].some((program) => onPath(program, env) !== undefined) // Go builds one

/** Programs that are a Chromium. */
export const CHROMIUM_NAMES = ['google-chrome', 'google-chrome-stable', 'chromium', 'chromium-browser']

/** npm has one for Linux on x64. */
const hasChromium = (env: Environment): boolean =>
  (process.platform === 'linux' && process.arch === 'x64') || CHROMIUM_NAMES.some((name) => onPath(name, env))

export const PARTS = {
  Chromium: hasChromium,
  Go: (env) => onPath('go', env) !== undefined && env.GOPROXY !== 'off',
  'conformance vectors': () => existsSync(VECTORS),
  OpenSSL: (env) => onPath('openssl', env) !== undefined,
  Python: (env) => onPath('python3', env) !== undefined,
  Vault: hasVault,
  'the root user': () => process.getuid?.() === 0,
} satisfies Parts

const NEEDS = / \(needs ([^()]+)\)$/

/** The title of a test that is skipped where `part` is missing. */
export const skippedTitle = (title: string, part: string): string => `${title} (needs ${part})`

/** Why a skip is a failure: it names no part, or one that is there. Undefined when it may be. */
export function wrongSkip(title: string, parts: Parts, env: Environment): string | undefined {
  const part = NEEDS.exec(title)?.[1]
  const isThere = part !== undefined && Object.hasOwn(parts, part) ? parts[part] : undefined
  if (!isThere) return `A test may be skipped only for a missing part: ${Object.keys(parts).join(', ')}.`
  return isThere(env) ? `${part} is on this machine.` : undefined
}
