import type { Schemas } from '../../../client/index.ts'
import { useLoad } from '../../frame/load.ts'
import { Curl, Facts, Heading, Shown, State, Time } from '../../frame/parts.tsx'
import { usePoll } from '../../frame/poll.ts'
import { api } from '../../frame/session.ts'
import { Table } from '../../frame/table.tsx'
import { useLocale, useSay, useTexts } from '../../texts/index.ts'

type Health = Schemas['HealthOut']
type Part = Health['parts'][number]
type Figures = Schemas['FiguresOut']
type List = Schemas['UnpublishedListOut']

const EVERY_MS = 5_000

/** A state, as the frame colours it. */
const COLOURS = { up: 'enabled', down: 'FAILED', unknown: 'PENDING' } as const

function PartsTable({ parts }: { parts: Part[] }) {
  const { health } = useTexts()
  return (
    <Table
      label={health.parts}
      rows={parts}
      keyOf={({ name }) => name}
      columns={[
        [health.part, ({ name }) => health.names[name]],
        [health.state, ({ state }) => <State name={COLOURS[state]}>{health.states[state]}</State>],
        [health.code, ({ code }) => (code ? <code>{code}</code> : '')],
        [health.remedy, ({ remedy }) => remedy ?? ''],
      ]}
    />
  )
}

function FiguresOf({ figures: { outbox, statusLists, deliveries } }: { figures: Figures }) {
  const { health } = useTexts()
  const [locale, say] = [useLocale(), useSay()]
  const told = (count: number, seconds: number) =>
    count === 0 ? health.none : say(health.since, { count: count.toLocaleString(locale), seconds })
  return (
    <Facts
      facts={[
        [health.waiting, told(outbox.waiting, outbox.oldestSeconds)],
        [health.unpublished, told(statusLists.unpublished, statusLists.oldestSeconds)],
        [health.late, told(deliveries.late, deliveries.oldestSeconds)],
      ]}
    />
  )
}

function Lists({ lists }: { lists: List[] }) {
  const { health } = useTexts()
  if (lists.length === 0) return null
  return (
    <>
      <h3>{health.lists}</h3>
      <p>{health.listsHint}</p>
      <Table
        label={health.lists}
        rows={lists}
        keyOf={({ id }) => id}
        columns={[
          [health.list, ({ id }) => <code>{id}</code>],
          [health.issuer, ({ issuer }) => <code>{issuer}</code>],
          [health.purpose, ({ purpose, kind }) => `${purpose} (${kind})`],
          [health.changed, ({ since }) => <Time at={since} />],
          [health.failures, ({ failures }) => failures],
        ]}
      />
    </>
  )
}

/** Which parts are up, and what waits longer than it should: looks again while it can be seen. */
export function HealthPage() {
  const { health } = useTexts()
  const loaded = useLoad('', () => api.get('/v1/health'))
  usePoll(true, EVERY_MS, loaded.isLoading, loaded.reload)
  return (
    <>
      <Heading title={health.heading}>{health.heading}</Heading>
      <p class="quiet">{health.hint}</p>
      <Shown loaded={loaded}>
        {({ status, parts, tenant, platform }) => (
          <>
            <p class={status === 'up' ? 'success' : 'failure'} role="status">
              {status === 'up' ? health.up : health.degraded}
            </p>
            <PartsTable parts={parts} />
            {tenant && (
              <>
                <h2>{health.ofTenant}</h2>
                <FiguresOf figures={tenant} />
                <Lists lists={tenant.statusLists.lists} />
              </>
            )}
            {platform && (
              <>
                <h2>{health.ofPlatform}</h2>
                <FiguresOf figures={platform} />
              </>
            )}
          </>
        )}
      </Shown>
      <Curl path="/v1/health" />
    </>
  )
}
