import type { Area } from '../area.ts'
import { VerifyPage } from './verify.tsx'

export const verify: Area = {
  needs: [
    'semantic-credentials:read',
    'compact-credentials:read',
    'mobile-credentials:read',
    'sd-jwt-credentials:read',
  ],
  page: ({ standing, parts }) => (parts.length === 0 ? <VerifyPage standing={standing} /> : undefined),
}
