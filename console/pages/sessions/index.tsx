import type { Area } from '../area.ts'
import { ReissuancePage } from './reissuance.tsx'
import { ReissuancesPage } from './reissuances.tsx'
import { SessionPage } from './session.tsx'
import { SessionsPage } from './sessions.tsx'

export const sessions: Area = {
  needs: ['openid:read'],
  page({ standing, parts: [id, of, ...more] }) {
    if (more.length > 0) return undefined
    if (id === undefined) return <SessionsPage standing={standing} />
    if (id !== 'reissuances') return of === undefined ? <SessionPage id={id} standing={standing} /> : undefined
    return of === undefined ? <ReissuancesPage standing={standing} /> : <ReissuancePage id={of} standing={standing} />
  },
}
