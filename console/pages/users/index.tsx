import type { Area } from '../area.ts'
import { ProvidersPage } from './providers.tsx'
import { UsersPage } from './users.tsx'
import { WalletProvidersPage } from './wallet-providers.tsx'
import { WalletsPage } from './wallets.tsx'

export const users: Area = {
  needs: ['openid:read'],
  page({ standing, parts: [kind, ...more] }) {
    if (more.length > 0) return undefined
    const mayWrite = standing.scopes.has('openid:write')
    if (kind === undefined) return <UsersPage mayWrite={mayWrite} />
    if (kind === 'providers') return <ProvidersPage mayWrite={mayWrite} />
    if (kind === 'wallet-providers') return <WalletProvidersPage mayWrite={mayWrite} />
    return kind === 'wallets' ? <WalletsPage mayWrite={mayWrite} /> : undefined
  },
}
