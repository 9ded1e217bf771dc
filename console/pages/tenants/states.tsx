import type { Schemas } from '../../../client/index.ts'
import { State } from '../../frame/parts.tsx'
import { useTexts } from '../../texts/index.ts'

const SHOWN = { provisioning: 'PROCESSING', ready: 'COMPLETED', failed: 'FAILED' } as const

export function TenantState({ status }: Pick<Schemas['TenantOut'], 'status'>) {
  const { tenants } = useTexts()
  return <State name={SHOWN[status]}>{tenants.states[status]}</State>
}
