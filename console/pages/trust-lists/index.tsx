import type { Area } from '../area.ts'
import { TrustListPage } from './list.tsx'
import { TrustListsPage } from './lists.tsx'
import { NewTrustListPage } from './new.tsx'

export const trustLists: Area = {
  needs: ['administration:read'],
  page({ standing, parts: [id, ...more] }) {
    if (more.length > 0) return undefined
    if (id === undefined) return <TrustListsPage standing={standing} />
    if (id !== 'new') return <TrustListPage id={id} standing={standing} />
    return standing.scopes.has('administration:write') ? <NewTrustListPage /> : undefined
  },
}
