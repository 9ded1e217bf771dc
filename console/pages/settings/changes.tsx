import { Facts } from '../../frame/parts.tsx'
import { useSay, useTexts } from '../../texts/index.ts'

/** What is asked about: how many days something is kept, and how many it will be. */
export function ChangedDays({
  changes,
}: {
  changes: readonly [what: string, was: number | null, next: number | null][]
}) {
  const { settings } = useTexts()
  const say = useSay()
  const days = (count: number | null) => String(count ?? settings.endless)
  return (
    <Facts
      facts={changes.map(([what, was, next]) => [what, say(settings.change, { was: days(was), next: days(next) })])}
    />
  )
}
