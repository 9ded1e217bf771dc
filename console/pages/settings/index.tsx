import type { Area } from '../area.ts'
import { SettingsPage } from './settings.tsx'

export const settings: Area = {
  needs: ['administration:read'],
  page: ({ standing, parts }) => (parts.length === 0 ? <SettingsPage standing={standing} /> : undefined),
}
