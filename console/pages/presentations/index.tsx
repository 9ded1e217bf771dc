import type { Area } from '../area.ts'
import { PresentationsPage } from './presentations.tsx'
import { NewRequestPage } from './requests/new.tsx'
import { RequestPage } from './requests/request.tsx'
import { NewTemplatePage, TemplatePage } from './template.tsx'
import { VerifierPage } from './verifier.tsx'
import { NewVerifierPage } from './verifier-form.tsx'

export const presentations: Area = {
  needs: ['semantic-credentials:read', 'openid:read'],
  page({ standing, parts: [kind, id, ...more] }) {
    if (kind === undefined) return <PresentationsPage standing={standing} />
    if (id === undefined || more.length > 0) return undefined
    if (kind === 'templates') return id === 'new' ? <NewTemplatePage /> : <TemplatePage id={id} standing={standing} />
    if (kind === 'verifiers') return id === 'new' ? <NewVerifierPage /> : <VerifierPage id={id} standing={standing} />
    if (kind === 'requests') return id === 'new' ? <NewRequestPage /> : <RequestPage id={id} standing={standing} />
    return undefined
  },
}
