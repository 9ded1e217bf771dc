import type { Schemas } from '../../../client/index.ts'
import { Choice, Filters, useQuery } from '../../frame/filters.tsx'
import { useLoad } from '../../frame/load.ts'
import { Curl, Heading, Shown, State, Time } from '../../frame/parts.tsx'
import { Link, pathOf, withQuery } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { type Column, Empty, PAGE_SIZE, Paging, Table } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'

type Session = Schemas['SessionOut']
type StateName = Session['state']

/** The example of docs/wallets.md. */
const EXAMPLE = { credentials: ['3f2a1b0c-9d8e-4f7a-8b6c-5d4e3f2a1b0c'], claims: { given_name: 'Ada' }, txCode: true }

const failureOf = ({ failure, issuances }: Session): string =>
  [failure, ...issuances.map((each) => each.failure)].flatMap((each) => (each ? [each.code] : [])).join(', ')

/** Wallets on their way to credentials, newest first. */
export function SessionsPage({ standing }: { standing: Standing }) {
  const { sessions, credentials, reissuances } = useTexts()
  const { query, page, filter, turn, reset } = useQuery(pathOf('sessions'))
  const state = (Object.keys(sessions.states) as StateName[]).find((name) => name === query.state)
  const asked = { ...(state && { state }) }
  const loaded = useLoad(JSON.stringify([asked, page]), () =>
    api.get('/v1/openid/sessions', { params: { query: { ...asked, limit: PAGE_SIZE, page } } }),
  )
  const columns: Column<Session>[] = [
    [sessions.session, ({ id }) => <Link href={pathOf('sessions', id)}>{id}</Link>],
    [sessions.state, ({ state: name }) => <State name={name}>{sessions.states[name]}</State>],
    [sessions.waitsFor, ({ waitsFor }) => waitsFor && sessions.waits[waitsFor]],
    [sessions.failure, (row) => failureOf(row) && <code>{failureOf(row)}</code>],
    [
      sessions.issued,
      ({ issuances }) => `${issuances.filter((each) => each.state === 'ISSUED').length} / ${issuances.length}`,
    ],
    [sessions.created, ({ createdAt }) => <Time at={createdAt} />],
  ]
  return (
    <>
      <Heading title={sessions.heading}>{sessions.heading}</Heading>
      <p>
        <Link href={pathOf('sessions', 'reissuances')}>{reissuances.heading}</Link>
      </p>
      <Filters state={JSON.stringify(query)} onFilter={filter} onReset={reset} search={credentials.search}>
        <Choice label={sessions.state} name="state" value={state} choices={Object.entries(sessions.states)} />
      </Filters>
      <Shown loaded={loaded}>
        {({ data, totalCount, totalPages }) =>
          totalCount === 0 ? (
            <Empty title={sessions.empty} hint={sessions.emptyHint} mayCreate={standing.scopes.has('openid:write')}>
              <Curl open method="POST" path="/v1/openid/sessions" body={EXAMPLE} />
            </Empty>
          ) : (
            <>
              <Table label={sessions.heading} columns={columns} rows={data} keyOf={({ id }) => id} />
              <Paging of={sessions.heading} page={page} pages={totalPages} total={totalCount} go={turn} />
            </>
          )
        }
      </Shown>
      <Curl path={withQuery('/v1/openid/sessions', { ...asked, limit: String(PAGE_SIZE), page: String(page) })} />
    </>
  )
}
