import type { Area } from '../area.ts'
import { DidPage } from './did.tsx'
import { DidsPage } from './dids.tsx'
import { NewDidPage } from './new.tsx'

export const dids: Area = {
  needs: ['dids:read'],
  page({ standing, parts: [id, ...more] }) {
    if (id === undefined) return <DidsPage standing={standing} />
    if (more.length > 0) return undefined
    if (id !== 'new') return <DidPage id={id} standing={standing} />
    return standing.scopes.has('dids:write') ? <NewDidPage /> : undefined
  },
}
