import { TextEntry, textOf } from '../../frame/form.tsx'
import { useTexts } from '../../texts/index.ts'

const UNITS = ['years', 'months', 'weeks', 'days', 'hours', 'minutes', 'seconds'] as const

type Duration = Partial<Record<(typeof UNITS)[number], number>>

/** How long after issuance a credential expires. */
export function DurationEntries({ name, value = {} }: { name: string; value?: Duration }) {
  const { templates } = useTexts()
  return (
    <fieldset>
      <legend>{templates.expires}</legend>
      <p class="quiet">{templates.expiresHint}</p>
      <div class="filters">
        {UNITS.map((unit) => (
          <TextEntry
            key={unit}
            label={templates.units[unit]}
            name={`${name}.${unit}`}
            type="number"
            value={value[unit] ? String(value[unit]) : ''}
          />
        ))}
      </div>
    </fieldset>
  )
}

/** Undefined where every field is empty: it does not expire, or as the format has it. */
export function durationIn(form: FormData, name: string): Duration | undefined {
  const parts = UNITS.flatMap((unit) => {
    const text = textOf(form, `${name}.${unit}`)
    return text === undefined ? [] : [[unit, Number(text)] as const]
  })
  return parts.length > 0 ? Object.fromEntries(parts) : undefined
}
