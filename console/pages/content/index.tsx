import type { Area } from '../area.ts'
import { ContentPage } from './content.tsx'
import { EntryPage } from './entry.tsx'
import { isKind } from './kinds.ts'

export const content: Area = {
  needs: ['platform:read'],
  isOfPlatform: true,
  page({ standing, parts: [kind = 'articles', key, ...more] }) {
    if (!isKind(kind) || more.length > 0) return undefined
    if (key === undefined) return <ContentPage kind={kind} standing={standing} />
    return <EntryPage kind={kind} id={key} standing={standing} />
  },
}
