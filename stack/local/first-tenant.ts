import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Contents of `.local/first-tenant.json`. */
export interface FirstTenant {
  tenantId: string
  clientId: string
  /** Empty when the start that made the client had another file. */
  clientSecret: string
  baseUrl: string
  docsUrl: string
  temporalUiUrl: string
}

export const readFirstTenant = (file: string): FirstTenant | undefined =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as FirstTenant) : undefined

function write(file: string, first: FirstTenant): FirstTenant {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(`${file}.new`, `${JSON.stringify(first, null, 2)}\n`, { mode: 0o600, flush: true })
  renameSync(`${file}.new`, file)
  return first
}

/**
 * The secret that the first client has or will get: on disk before it is in the database, so that a start which is cut
 * off in between does not lose it.
 */
export function promisedSecret(file: string): string {
  const known = readFirstTenant(file)?.clientSecret
  if (known) return known
  const clientSecret = randomBytes(32).toString('base64url')
  write(file, { tenantId: '', clientId: '', clientSecret, baseUrl: '', docsUrl: '', temporalUiUrl: '' })
  return clientSecret
}

/** Writes the file, readable by us alone. The secret is empty when the client has another one than was promised. */
export const writeFirstTenant = (
  file: string,
  { tenantId, clientId, clientSecret = '' }: { tenantId: string; clientId: string; clientSecret: string | undefined },
  addresses: Pick<FirstTenant, 'baseUrl' | 'docsUrl' | 'temporalUiUrl'>,
): FirstTenant => write(file, { tenantId, clientId, clientSecret, ...addresses })
