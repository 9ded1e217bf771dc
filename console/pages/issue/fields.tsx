import { SelectEntry, TextEntry } from '../../frame/form.tsx'
import { useSay, useTexts } from '../../texts/index.ts'
import type { Claim, ClaimType } from '../templates/claims.ts'
import { fieldOf, kindOf } from './values.ts'

const INPUTS = {
  text: 'text',
  integer: 'number',
  number: 'number',
  date: 'date',
  dateTime: 'datetime-local',
} as const satisfies Partial<Record<ClaimType, string>>

/** Without one a browser takes whole numbers alone. */
const STEPS: Partial<Record<ClaimType, string>> = { number: 'any' }

/** One claim: its name, what it means, and the field that its type needs. */
function Field({ claim }: { claim: Claim }) {
  const { issue, frame } = useTexts()
  const say = useSay()
  const { name, path, type, meaning, namespace, defaultValue } = claim
  if (path === undefined) return null
  const needed = claim.isRequired && defaultValue === undefined
  const hint = [
    meaning,
    namespace,
    defaultValue !== undefined &&
      say(issue.byDefault, { value: typeof defaultValue === 'string' ? defaultValue : JSON.stringify(defaultValue) }),
  ]
    .filter(Boolean)
    .join(' · ')
  const shared = {
    label: needed ? say(issue.needed, { name }) : name,
    name: fieldOf(path),
    ...(hint && { hint: <bdi>{hint}</bdi> }),
  }
  if (type === 'boolean')
    return (
      <SelectEntry
        {...shared}
        choices={[
          ['', issue.nothing],
          ['true', frame.yes],
          ['false', frame.no],
        ]}
      />
    )
  if (type !== undefined) return <TextEntry {...shared} type={INPUTS[type]} step={STEPS[type]} required={needed} />
  return (
    <div class="pair">
      <TextEntry {...shared} required={needed} />
      <SelectEntry
        label={say(issue.kind, { name })}
        name={kindOf(path)}
        choices={[
          ['text', issue.kinds.text],
          ['number', issue.kinds.number],
          ['boolean', issue.kinds.boolean],
        ]}
      />
    </div>
  )
}

export function ClaimFields({ claims }: { claims: readonly Claim[] }) {
  return (
    <>
      {claims.map((claim) => (
        <Field key={`${claim.namespace ?? ''} ${claim.name}`} claim={claim} />
      ))}
    </>
  )
}
