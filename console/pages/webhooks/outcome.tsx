import type { Schemas } from '../../../client/index.ts'
import { State, Time } from '../../frame/parts.tsx'
import { Link, pathOf } from '../../frame/router.tsx'
import { useTexts } from '../../texts/index.ts'

type Delivery = Pick<Schemas['DeliveryOut'], 'status' | 'redelivery'>

/** Where the event was delivered again, how that ended matters: what failed before needs nobody any more. */
export function Outcome({ delivery: { status, redelivery } }: { delivery: Delivery }) {
  const { webhooks } = useTexts()
  return (
    <>
      <State name={redelivery && status !== 'DELIVERED' ? 'other' : status}>{webhooks.statuses[status]}</State>
      {redelivery && (
        <>
          {' '}
          <Link href={pathOf('webhooks', 'deliveries', redelivery.id)}>{webhooks.again[redelivery.status]}</Link>{' '}
          {redelivery.endedAt && <Time at={redelivery.endedAt} />}
        </>
      )}
    </>
  )
}
