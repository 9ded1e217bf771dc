import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Contents of `.local/first-tenant.json`. */
export interface FirstTenant {
  tenantId: string
  clientId: string
  /** Shown once, by the start that made the client; empty when that start's file is lost. */
  clientSecret: string
  baseUrl: string
  docsUrl: string
  temporalUiUrl: string
}

export const readFirstTenant = (file: string): FirstTenant | undefined =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as FirstTenant) : undefined

/** Writes the file, readable by us alone; a secret that is not told again is kept from the file before. */
export function writeFirstTenant(
  file: string,
  found: { tenantId: string; clientId: string; clientSecret: string | undefined },
  addresses: Pick<FirstTenant, 'baseUrl' | 'docsUrl' | 'temporalUiUrl'>,
): FirstTenant {
  const before = readFirstTenant(file)
  const kept = before?.clientId === found.clientId ? before.clientSecret : ''
  const { tenantId, clientId } = found
  const first = { tenantId, clientId, clientSecret: found.clientSecret ?? kept, ...addresses }
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(`${file}.new`, `${JSON.stringify(first, null, 2)}\n`, { mode: 0o600, flush: true })
  renameSync(`${file}.new`, file)
  return first
}
