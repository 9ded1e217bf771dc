import type { Area } from '../area.ts'
import { ClaimSourcePage } from './claim-source.tsx'
import { ClaimSourcesPage } from './claim-sources.tsx'
import { NewClaimSourcePage } from './new.tsx'

export const claimSources: Area = {
  needs: ['administration:read'],
  page({ standing, parts: [id, ...more] }) {
    if (id === undefined) return <ClaimSourcesPage standing={standing} />
    if (more.length > 0) return undefined
    if (id !== 'new') return <ClaimSourcePage id={id} standing={standing} />
    return standing.scopes.has('administration:write') ? <NewClaimSourcePage /> : undefined
  },
}
