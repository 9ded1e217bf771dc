import type { Area } from '../area.ts'
import { PeoplePage } from './people.tsx'

export const people: Area = {
  needs: ['accounts:read'],
  isOfPlatform: true,
  page: ({ standing, parts }) => (parts.length === 0 ? <PeoplePage standing={standing} /> : undefined),
}
