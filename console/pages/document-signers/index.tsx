import type { Area } from '../area.ts'
import { IacaPage } from './iaca.tsx'
import { SignersPage } from './lists.tsx'
import { NewIacaPage } from './new-iaca.tsx'
import { NewSignerPage } from './new-signer.tsx'
import { SignerPage } from './signer.tsx'

export const documentSigners: Area = {
  needs: ['mobile-credentials:read'],
  page({ standing, parts: [id, more, ...rest] }) {
    const mayWrite = standing.scopes.has('mobile-credentials:write')
    if (rest.length > 0) return undefined
    if (id === undefined) return <SignersPage standing={standing} />
    if (id === 'iacas') {
      if (more === undefined) return undefined
      if (more !== 'new') return <IacaPage id={more} standing={standing} />
      return mayWrite ? <NewIacaPage /> : undefined
    }
    if (more !== undefined) return undefined
    if (id !== 'new') return <SignerPage id={id} standing={standing} />
    return mayWrite ? <NewSignerPage /> : undefined
  },
}
