import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Credentials } from '../index.ts'
import { Usage } from './usage.ts'

type Environment = Readonly<Record<string, string | undefined>>

const NAMES = {
  baseUrl: 'COUNTERSIGN_URL',
  clientId: 'COUNTERSIGN_CLIENT_ID',
  clientSecret: 'COUNTERSIGN_CLIENT_SECRET',
} as const

/** What `npm start` writes, in the project's folder. */
const FIRST_TENANT = join('.local', 'first-tenant.json')

/**
 * Whom the program speaks to and as whom: from the environment, or in the project's folder from what its first start
 * wrote. Never from both, so that a secret goes to no address that it is not for.
 */
export function settingsFrom(env: Environment, folder: string): Credentials {
  const set = Object.values(NAMES).filter((name) => env[name])
  const missing = Object.values(NAMES).filter((name) => !env[name])
  if (set.length > 0 && missing.length > 0)
    throw new Usage(
      `Set, of three variables: ${set.join(', ')}. Not set: ${missing.join(', ')}. Set all three, or none.`,
    )
  if (set.length > 0)
    return {
      baseUrl: addressOf(String(env[NAMES.baseUrl])),
      clientId: String(env[NAMES.clientId]),
      clientSecret: String(env[NAMES.clientSecret]),
    }
  const file = join(folder, FIRST_TENANT)
  if (!existsSync(file))
    throw new Usage(`Set ${missing.join(', ')}, or run this where ${FIRST_TENANT} is, which the first start writes.`)
  const first = JSON.parse(readFileSync(file, 'utf8')) as Record<keyof typeof NAMES, string>
  if (!first.clientSecret)
    throw new Usage(`${file} has no secret of the client: set ${Object.values(NAMES).join(', ')}.`)
  const { baseUrl, clientId, clientSecret } = first
  return { baseUrl, clientId, clientSecret }
}

function addressOf(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new Usage(`${NAMES.baseUrl} must be an address as https://id.example.`)
  return text
}
