import { Chart } from '../../frame/chart.tsx'
import { useLoad } from '../../frame/load.ts'
import { Heading, Shown } from '../../frame/parts.tsx'
import { Link } from '../../frame/router.tsx'
import type { Standing } from '../../frame/session.ts'
import { Table } from '../../frame/table.tsx'
import { useLanguage, useLocale, useSay, useTexts } from '../../texts/index.ts'
import { type Attention, readAttention } from './attention.ts'
import { type Day, readDay } from './day.ts'
import { type Figure, readFigures } from './figures.ts'
import { FirstSteps } from './steps.tsx'

function Item({ item: { text, detail, href } }: { item: Attention }) {
  return (
    <li>
      {href ? <Link href={href}>{text}</Link> : <strong>{text}</strong>}
      {detail && <p class="quiet">{detail}</p>}
    </li>
  )
}

function Figures({ label, rows }: { label: string; rows: Figure[] }) {
  const { home } = useTexts()
  const locale = useLocale()
  if (rows.length === 0) return null // of a role that reads none of it
  return (
    <>
      <h2>{label}</h2>
      <Table
        label={label}
        rows={rows}
        keyOf={({ text }) => text}
        columns={[
          [home.figure, ({ text, href }) => <Link href={href}>{text}</Link>],
          [home.number, ({ count }) => count.toLocaleString(locale)],
        ]}
      />
    </>
  )
}

function LastDay({ day: { figures, hours, charts } }: { day: Day }) {
  const { home } = useTexts()
  return (
    <>
      <Figures label={home.day} rows={figures} />
      <div class="charts">
        {charts.map((chart) => (
          <Chart key={chart.label} hours={hours} {...chart} />
        ))}
      </div>
    </>
  )
}

/** What needs attention first, then what was done in the last day, and how much there is. */
export function HomePage({ standing }: { standing: Standing }) {
  const texts = useTexts()
  const language = useLanguage()
  const say = useSay()
  const { home } = texts
  const attention = useLoad(language, () => readAttention(standing.scopes, texts, say))
  const day = useLoad(language, () => readDay(standing.scopes, texts))
  const figures = useLoad(language, () => readFigures(standing.scopes, texts))
  return (
    <>
      <Heading title={home.heading}>{home.heading}</Heading>
      <Shown loaded={attention}>
        {({ items, partly }) => (
          <>
            {items.length === 0 ? (
              <p class="success">{home.nothing}</p>
            ) : (
              <ul class="attention">
                {items.map((item) => (
                  <Item key={`${item.text} ${item.detail}`} item={item} />
                ))}
              </ul>
            )}
            {partly.map((text) => (
              <p key={text} class="quiet">
                {text}
              </p>
            ))}
          </>
        )}
      </Shown>
      {figures.data?.credentials === 0 && <FirstSteps standing={standing} />}
      <Shown loaded={day}>{(read) => read && <LastDay day={read} />}</Shown>
      <Shown loaded={figures}>{({ rows }) => <Figures label={home.figures} rows={rows} />}</Shown>
    </>
  )
}
