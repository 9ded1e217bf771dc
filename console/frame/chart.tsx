import { useLocale, useSay, useTexts } from '../texts/index.ts'
import { Table } from './table.tsx'

export interface Series {
  name: string
  /** One number for each hour. */
  counts: readonly number[]
  tone: 'good' | 'bad'
}

interface ChartProps {
  label: string
  /** When each hour begins. */
  hours: readonly string[]
  series: readonly Series[]
}

const HEIGHT = 40
/** Of a bar with its gap, and of the bar. */
const [STEP, WIDTH] = [10, 8]

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0)

/** Bars by hour, one series on the other: the sums are its text, and the numbers a table. */
export function Chart({ label, hours, series }: ChartProps) {
  const { frame } = useTexts()
  const [locale, say] = [useLocale(), useSay()]
  const highest = Math.max(1, ...hours.map((_, at) => sumOf(series.map(({ counts }) => counts[at] ?? 0))))
  const sums = series.map(({ name, counts }) => `${name}: ${sumOf(counts).toLocaleString(locale)}`).join(', ')
  const hourOf = (at: string) => new Date(at).toLocaleString(locale, { dateStyle: 'short', timeStyle: 'short' })
  const bars = hours.flatMap((hour, at) => {
    let top = HEIGHT
    return series.map(({ name, counts, tone }) => {
      const height = ((counts[at] ?? 0) / highest) * HEIGHT
      top -= height
      return <rect key={`${hour} ${name}`} class={tone} x={at * STEP + 1} y={top} width={WIDTH} height={height} />
    })
  })
  return (
    <figure class="chart">
      <figcaption>
        <strong>{label}</strong> <span class="quiet">{sums}</span>
      </figcaption>
      <svg
        role="img"
        aria-label={say(frame.byHour, { label, sums })}
        viewBox={`0 0 ${hours.length * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        {bars}
      </svg>
      <details>
        <summary>{frame.numbers}</summary>
        <Table
          label={say(frame.numbersOf, { label })}
          rows={hours.map((hour, at) => ({ hour, at }))}
          keyOf={({ hour }) => hour}
          columns={[
            [frame.hour, ({ hour }) => <time dateTime={hour}>{hourOf(hour)}</time>],
            ...series.map(({ name, counts }): [string, (row: { at: number }) => string] => [
              name,
              ({ at }) => (counts[at] ?? 0).toLocaleString(locale),
            ]),
          ]}
        />
      </details>
    </figure>
  )
}
