import type { Area } from '../area.ts'
import { HealthPage } from './health.tsx'

export const health: Area = {
  needs: [],
  isOfPlatform: true,
  page: ({ parts }) => (parts.length > 0 ? undefined : <HealthPage />),
}
