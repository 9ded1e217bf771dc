import type { Area } from '../area.ts'
import { LogPage } from './log.tsx'

export const log: Area = {
  needs: ['logs:read'],
  page: ({ standing, parts }) => (parts.length === 0 ? <LogPage standing={standing} /> : undefined),
}
