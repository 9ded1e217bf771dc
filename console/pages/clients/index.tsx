import type { Area } from '../area.ts'
import { ClientPage } from './client.tsx'
import { ClientsPage } from './clients.tsx'

export const clients: Area = {
  needs: ['administration:read'],
  page({ standing, parts: [id, ...more] }) {
    if (id === undefined) return <ClientsPage standing={standing} />
    return more.length === 0 ? <ClientPage id={id} standing={standing} /> : undefined
  },
}
