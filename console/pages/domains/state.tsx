import type { Schemas } from '../../../client/index.ts'
import { State } from '../../frame/parts.tsx'
import { useTexts } from '../../texts/index.ts'

type Status = Schemas['DomainOut']['status']

const TONES: Record<Status, string> = { WAITING: 'other', VERIFIED: 'enabled', GIVEN_UP: 'FAILED' }

export function DomainState({ status }: { status: Status }) {
  const { domains } = useTexts()
  return <State name={TONES[status]}>{domains.states[status]}</State>
}
