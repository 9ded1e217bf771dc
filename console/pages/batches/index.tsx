import type { Area } from '../area.ts'
import { BatchPage } from './batch.tsx'
import { BatchesPage } from './batches.tsx'

export const batches: Area = {
  needs: ['semantic-credentials:read'],
  page({ standing, parts: [id, ...more] }) {
    if (id === undefined) return <BatchesPage standing={standing} />
    return more.length === 0 ? <BatchPage id={id} standing={standing} /> : undefined
  },
}
