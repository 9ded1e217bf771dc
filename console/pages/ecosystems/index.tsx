import type { Area } from '../area.ts'
import { EcosystemPage } from './ecosystem.tsx'
import { EcosystemsPage } from './ecosystems.tsx'
import { ParticipantPage } from './participant.tsx'

export const ecosystems: Area = {
  needs: ['platform:read'],
  isOfPlatform: true,
  page({ standing, parts: [id, kind, participantId, ...more] }) {
    if (id === undefined) return <EcosystemsPage standing={standing} />
    if (kind === undefined) return <EcosystemPage id={id} standing={standing} />
    if (kind !== 'participants' || participantId === undefined || more.length > 0) return undefined
    return <ParticipantPage id={id} participantId={participantId} standing={standing} />
  },
}
