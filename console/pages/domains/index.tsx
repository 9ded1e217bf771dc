import type { Area } from '../area.ts'
import { DomainPage } from './domain.tsx'
import { DomainsPage } from './domains.tsx'
import { NewDomainPage } from './new.tsx'

export const domains: Area = {
  needs: ['domains:read'],
  page({ standing, parts: [id, ...more] }) {
    if (id === undefined) return <DomainsPage standing={standing} />
    if (more.length > 0) return undefined
    if (id !== 'new') return <DomainPage id={id} standing={standing} />
    return standing.scopes.has('domains:write') ? <NewDomainPage /> : undefined
  },
}
