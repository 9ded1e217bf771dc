import type { Standing } from '../frame/session.ts'
import type { Area } from './area.ts'
import { batches } from './batches/index.tsx'
import { claimSources } from './claim-sources/index.tsx'
import { credentials } from './credentials/index.tsx'
import { dids } from './dids/index.tsx'
import { documentSigners } from './document-signers/index.tsx'
import { domains } from './domains/index.tsx'
import { home } from './home/index.tsx'
import { inboxes } from './inboxes/index.tsx'
import { issue } from './issue/index.tsx'
import { log } from './log/index.tsx'
import { presentations } from './presentations/index.tsx'
import { sessions } from './sessions/index.tsx'
import { templates } from './templates/index.tsx'
import { users } from './users/index.tsx'
import { webhooks } from './webhooks/index.tsx'

/** Every area by its name in addresses. `areas` of the texts has the words for each. */
export const AREAS = {
  home,
  credentials,
  sessions,
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
  log,
} satisfies Record<string, Area>

export type AreaName = keyof typeof AREAS

/** What the navigation shows together. `groups` of the texts has the words for each. */
export const GROUPS = [
  { name: 'issuing', areas: ['home', 'credentials', 'sessions', 'issue', 'batches', 'templates'] },
  { name: 'trust', areas: ['dids', 'domains', 'document-signers'] },
  { name: 'exchange', areas: ['webhooks', 'inboxes', 'claim-sources'] },
  { name: 'administration', areas: ['log', 'users'] },
  { name: 'verifying', areas: ['presentations'] },
] as const satisfies { name: string; areas: AreaName[] }[]

export const isArea = (name: string): name is AreaName => Object.hasOwn(AREAS, name)

/** Whether the role can open the area. */
export function mayOpen({ scopes, tenantId }: Standing, name: AreaName): boolean {
  const { needs, isOfPlatform = false }: Area = AREAS[name]
  return (isOfPlatform || tenantId !== null) && (needs.length === 0 || needs.some((scope) => scopes.has(scope)))
}
