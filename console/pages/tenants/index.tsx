import type { Area } from '../area.ts'
import { TenantPage } from './tenant.tsx'
import { TenantsPage } from './tenants.tsx'

export const tenants: Area = {
  needs: ['platform:read'],
  isOfPlatform: true,
  page({ standing, parts: [id, ...more] }) {
    if (id === undefined) return <TenantsPage standing={standing} />
    return more.length === 0 ? <TenantPage id={id} standing={standing} /> : undefined
  },
}
