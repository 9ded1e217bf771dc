import type { Area } from '../area.ts'
import { AccountPage } from './account.tsx'

export const account: Area = {
  needs: ['accounts:read'],
  isOfPlatform: true,
  page: ({ parts }) => (parts.length === 0 ? <AccountPage /> : undefined),
}
