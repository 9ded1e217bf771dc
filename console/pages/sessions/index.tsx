import type { Area } from '../area.ts'
import { SessionPage } from './session.tsx'
import { SessionsPage } from './sessions.tsx'

export const sessions: Area = {
  needs: ['openid:read'],
  page({ standing, parts: [id, ...more] }) {
    if (id === undefined) return <SessionsPage standing={standing} />
    return more.length === 0 ? <SessionPage id={id} standing={standing} /> : undefined
  },
}
