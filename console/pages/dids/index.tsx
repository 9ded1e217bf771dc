import type { Area } from '../area.ts'
import { DidPage } from './did.tsx'
import { DidsPage } from './dids.tsx'

export const dids: Area = {
  needs: ['dids:read'],
  page({ parts: [id, ...more] }) {
    if (id === undefined) return <DidsPage />
    return more.length === 0 ? <DidPage id={id} /> : undefined
  },
}
