import type { Schemas } from '../../../client/index.ts'
import { useLocale, useSay, useTexts } from '../../texts/index.ts'

type Batch = Schemas['BatchOut']

/** Whether its numbers change by themselves. */
export const isMoving = ({ status, revocation }: Batch): boolean =>
  status === 'PROCESSING' || revocation?.status === 'REVOKING'

/** Counts, and a bar for those who see it. */
export function Progress({ batch }: { batch: Batch }) {
  const { batches } = useTexts()
  const [say, locale] = [useSay(), useLocale()]
  const { signed, failed, total } = batch
  const number = (value: number) => value.toLocaleString(locale)
  return (
    <>
      <progress max={Math.max(total, 1)} value={signed + failed} aria-label={batches.progress} />{' '}
      {say(batches.counts, { signed: number(signed), total: number(total) })}
      {failed > 0 && (
        <>
          {' '}
          <span class="bad">{say(batches.refused, { count: number(failed) })}</span>
        </>
      )}
    </>
  )
}
