import { unwatchFile, watchFile } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { VaultConfig } from '../../../config.ts'
import { Refusal, Unavailable } from '../../../protocol/errors.ts'

export type Credentials = { token: string } | { roleId: string; secretId: string }

/** Credentials for the login; those in a file may change while the process runs. */
export interface CredentialSource {
  readonly kind: 'role' | 'token'
  /** Throws `Unavailable('keys')` while the file is missing or empty. */
  read(): Promise<Credentials>
  /** Calls `changed` within a second of each change of the file; returns a function that stops it. */
  watch(changed: () => void): () => void
}

const LOOK_MS = 1_000

async function contentOf(variable: string, path: string): Promise<string> {
  const content = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Unavailable('keys', `The file of ${variable} cannot be read (${error.code}).`)
  })
  if (content.trim() === '') throw new Unavailable('keys', `The file of ${variable} is empty.`)
  return content.trim()
}

/**
 * Polls, because a Kubernetes secret is a symbolic link to a directory that is swapped, which inotify(7) does not see.
 */
function watched(path: string, changed: () => void): () => void {
  if (path === '') return () => undefined
  watchFile(path, { interval: LOOK_MS, persistent: false }, changed)
  return () => unwatchFile(path, changed)
}

/** Throws `Refusal('key.store_refused')` on start where there is neither a token nor a whole AppRole. */
export function credentialSource(config: VaultConfig): CredentialSource {
  const { token, tokenFile, roleId, secretId, secretIdFile } = config
  if (roleId && (secretId || secretIdFile))
    return {
      kind: 'role',
      read: async () => ({ roleId, secretId: secretId || (await contentOf('VAULT_SECRET_ID_FILE', secretIdFile)) }),
      watch: (changed) => watched(secretIdFile, changed),
    }
  if (token || tokenFile)
    return {
      kind: 'token',
      read: async () => ({ token: token || (await contentOf('VAULT_TOKEN_FILE', tokenFile)) }),
      watch: (changed) => watched(tokenFile, changed),
    }
  throw new Refusal(
    'key.store_refused',
    'VAULT_ADDR is set: set VAULT_ROLE_ID and VAULT_SECRET_ID (or VAULT_SECRET_ID_FILE) as well, or VAULT_TOKEN (or VAULT_TOKEN_FILE).',
  )
}
