import type { Area } from '../area.ts'
import { LogPage } from './log.tsx'

export const log: Area = {
  needs: ['logs:read'],
  page: ({ parts }) => (parts.length === 0 ? <LogPage /> : undefined),
}
