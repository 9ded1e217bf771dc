import type { Area } from '../area.ts'
import { CredentialPage } from './credential.tsx'
import { CredentialsPage } from './credentials.tsx'
import { READ_SCOPES } from './formats.ts'

export const credentials: Area = {
  needs: READ_SCOPES,
  page({ standing, parts: [id, ...more] }) {
    if (id === undefined) return <CredentialsPage />
    return more.length === 0 ? <CredentialPage id={id} standing={standing} /> : undefined
  },
}
