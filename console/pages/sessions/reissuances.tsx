import type { Schemas } from '../../../client/index.ts'
import { Field, Filters, useQuery } from '../../frame/filters.tsx'
import { useLoad } from '../../frame/load.ts'
import { Curl, Heading, Shown, Time } from '../../frame/parts.tsx'
import { Link, pathOf, withQuery } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { type Column, Empty, PAGE_SIZE, Paging, Table } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'
import { UUID } from '../log/filters.tsx'
import { EndReissuance } from './reissuance.tsx'

type Reissuance = Schemas['ReissuanceOut']

export const REISSUANCES = '/v1/openid/reissuances'

/** What wallets may get anew without their holders, newest first. */
export function ReissuancesPage({ standing }: { standing: Standing }) {
  const { reissuances: texts, sessions, credentials, log } = useTexts()
  const { query, page, filter, turn, reset } = useQuery(pathOf('sessions', 'reissuances'))
  const { credentialId, userId } = query
  const asked = { ...(credentialId && { credentialId }), ...(userId && { userId }) }
  const loaded = useLoad(JSON.stringify([asked, page]), () =>
    api.get(REISSUANCES, { params: { query: { ...asked, limit: PAGE_SIZE, page } } }),
  )
  const mayWrite = standing.scopes.has('openid:write')
  const uuid = { pattern: UUID, title: log.uuid }
  const columns: Column<Reissuance>[] = [
    [texts.reissuance, ({ id }) => <Link href={pathOf('sessions', 'reissuances', id)}>{id}</Link>],
    [texts.wallet, ({ walletClientId: id }) => <bdi class="wrap">{id ?? texts.nameless}</bdi>],
    [
      sessions.template,
      ({ templateIds }) => (
        <ul class="plain">
          {templateIds.map((id) => (
            <li key={id}>
              <code>{id}</code>
            </li>
          ))}
        </ul>
      ),
    ],
    [texts.uses, ({ uses }) => uses],
    [texts.used, ({ usedAt }) => usedAt && <Time at={usedAt} />],
    [sessions.created, ({ createdAt }) => <Time at={createdAt} />],
    [texts.ends, ({ endsAt }) => <Time at={endsAt} />],
  ]
  const end: Column<Reissuance> = [texts.end, ({ id }) => <EndReissuance id={id} done={loaded.reload} />]
  const isFiltered = Object.keys(asked).length > 0
  return (
    <>
      <Heading title={texts.heading}>{texts.heading}</Heading>
      <p>{texts.about}</p>
      <Filters state={JSON.stringify(query)} onFilter={filter} onReset={reset} search={credentials.search}>
        <Field {...uuid} label={texts.credentialId} name="credentialId" value={credentialId} />
        <Field {...uuid} label={texts.userId} name="userId" value={userId} />
      </Filters>
      <Shown loaded={loaded}>
        {({ data, totalCount, totalPages }) =>
          totalCount === 0 ? (
            <Empty
              title={isFiltered ? texts.noneFits : texts.empty}
              hint={isFiltered ? undefined : texts.emptyHint}
              mayCreate={isFiltered || mayWrite}
            >
              <Link href={pathOf('users', 'wallets')}>{texts.policy}</Link>
            </Empty>
          ) : (
            <>
              <Table
                label={texts.heading}
                columns={mayWrite ? [...columns, end] : columns}
                rows={data}
                keyOf={({ id }) => id}
              />
              <Paging of={texts.heading} page={page} pages={totalPages} total={totalCount} go={turn} />
            </>
          )
        }
      </Shown>
      <Curl path={withQuery(REISSUANCES, { ...asked, limit: String(PAGE_SIZE), page: String(page) })} />
    </>
  )
}
