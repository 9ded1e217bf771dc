import type { Standing } from '../frame/session.ts'
import { account } from './account/index.tsx'
import type { Area } from './area.ts'
import { clients } from './clients/index.tsx'
import { content } from './content/index.tsx'
import { credentials } from './credentials/index.tsx'
import { dids } from './dids/index.tsx'
import { ecosystems } from './ecosystems/index.tsx'
import { home } from './home/index.tsx'
import { log } from './log/index.tsx'
import { people } from './people/index.tsx'
import { settings } from './settings/index.tsx'
import { tenants } from './tenants/index.tsx'
import { webhooks } from './webhooks/index.tsx'

/** Every area by its name in addresses. `areas` of the texts has the words for each. */
export const AREAS = {
  home,
  credentials,
  webhooks,
  dids,
  ecosystems,
  clients,
  people,
  account,
  settings,
  tenants,
  content,
  log,
} satisfies Record<string, Area>

export type AreaName = keyof typeof AREAS

/** What the navigation shows together. `groups` of the texts has the words for each. */
export const GROUPS = [
  { name: 'issuing', areas: ['home', 'credentials'] },
  { name: 'trust', areas: ['dids', 'ecosystems'] },
  { name: 'exchange', areas: ['webhooks'] },
  { name: 'administration', areas: ['clients', 'people', 'account', 'settings', 'tenants', 'content', 'log'] },
] as const satisfies { name: string; areas: AreaName[] }[]

export const isArea = (name: string): name is AreaName => Object.hasOwn(AREAS, name)

/** Whether the role can open the area. */
export function mayOpen({ scopes, tenantId }: Standing, name: AreaName): boolean {
  const { needs, isOfPlatform = false }: Area = AREAS[name]
  return (isOfPlatform || tenantId !== null) && (needs.length === 0 || needs.some((scope) => scopes.has(scope)))
}
