import type { Standing } from '../frame/session.ts'
import { account } from './account/index.tsx'
import type { Area } from './area.ts'
import { batches } from './batches/index.tsx'
import { claimSources } from './claim-sources/index.tsx'
import { clients } from './clients/index.tsx'
import { content } from './content/index.tsx'
import { credentials } from './credentials/index.tsx'
import { dids } from './dids/index.tsx'
import { documentSigners } from './document-signers/index.tsx'
import { domains } from './domains/index.tsx'
import { ecosystems } from './ecosystems/index.tsx'
import { health } from './health/index.tsx'
import { home } from './home/index.tsx'
import { inboxes } from './inboxes/index.tsx'
import { issue } from './issue/index.tsx'
import { log } from './log/index.tsx'
import { people } from './people/index.tsx'
import { presentations } from './presentations/index.tsx'
import { sessions } from './sessions/index.tsx'
import { settings } from './settings/index.tsx'
import { templates } from './templates/index.tsx'
import { tenants } from './tenants/index.tsx'
import { trustLists } from './trust-lists/index.tsx'
import { users } from './users/index.tsx'
import { verify } from './verify/index.tsx'
import { webhooks } from './webhooks/index.tsx'

/** Every area by its name in addresses. `areas` of the texts has the words for each. */
export const AREAS = {
  home,
  credentials,
  sessions,
  verify,
  presentations,
  users,
  issue,
  batches,
  templates,
  webhooks,
  dids,
  domains,
  'document-signers': documentSigners,
  inboxes,
  'claim-sources': claimSources,
  'trust-lists': trustLists,
  ecosystems,
  clients,
  people,
  account,
  settings,
  tenants,
  content,
  log,
  health,
} satisfies Record<string, Area>

export type AreaName = keyof typeof AREAS

/** What the navigation shows together. `groups` of the texts has the words for each. */
export const GROUPS = [
  { name: 'issuing', areas: ['home', 'credentials', 'issue', 'batches', 'templates', 'sessions'] },
  { name: 'verifying', areas: ['verify', 'presentations', 'users'] },
  { name: 'trust', areas: ['dids', 'domains', 'document-signers', 'trust-lists', 'ecosystems'] },
  { name: 'exchange', areas: ['webhooks', 'inboxes', 'claim-sources'] },
  {
    name: 'administration',
    areas: ['people', 'clients', 'settings', 'log', 'health', 'tenants', 'content', 'account'],
  },
] as const satisfies { name: string; areas: AreaName[] }[]

export const isArea = (name: string): name is AreaName => Object.hasOwn(AREAS, name)

/** Whether the role can open the area. */
export function mayOpen({ scopes, tenantId }: Standing, name: AreaName): boolean {
  const { needs, isOfPlatform = false }: Area = AREAS[name]
  return (isOfPlatform || tenantId !== null) && (needs.length === 0 || needs.some((scope) => scopes.has(scope)))
}
