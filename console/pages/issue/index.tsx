import type { Area } from '../area.ts'
import { IssuePage } from './issue.tsx'

export const issue: Area = {
  needs: ['semantic-credentials:write', 'compact-credentials:write', 'sd-jwt-credentials:write', 'openid:write'],
  page: ({ standing, parts }) => (parts.length === 0 ? <IssuePage standing={standing} /> : undefined),
}
