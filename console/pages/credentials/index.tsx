import type { Area } from '../area.ts'
import { CredentialPage } from './credential.tsx'
import { CredentialsPage } from './credentials.tsx'

export const credentials: Area = {
  needs: [
    'semantic-credentials:read',
    'compact-credentials:read',
    'mobile-credentials:read',
    'sd-jwt-credentials:read',
  ],
  page({ standing, parts: [id, ...more] }) {
    if (id === undefined) return <CredentialsPage />
    return more.length === 0 ? <CredentialPage id={id} standing={standing} /> : undefined
  },
}
