import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { Confirm } from '../../frame/dialogs/confirm.tsx'
import { useLoad } from '../../frame/load.ts'
import { Curl, Shown, State, Time } from '../../frame/parts.tsx'
import { api } from '../../frame/session.ts'
import { type Column, PAGE_SIZE, Paging, Table } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'

/** Where the account is logged in. */
export function Sessions({ turn }: { turn: number }) {
  const { account } = useTexts()
  const [page, setPage] = useState(1)
  const loaded = useLoad(`${turn} ${page}`, () =>
    api.get('/v1/account/sessions', { params: { query: { limit: PAGE_SIZE, page } } }),
  )
  const end = async (id: string) => {
    await api.delete('/v1/account/sessions/{id}', { params: { path: { id } } })
    loaded.reload()
  }
  const columns: Column<Schemas['AccountSessionOut']>[] = [
    [account.begun, ({ created_at }) => <Time at={created_at} />],
    [account.used, ({ last_used_at }) => <Time at={last_used_at} />],
    [account.ends, ({ expires_at }) => <Time at={expires_at} />],
    [
      account.session,
      ({ id, current }) =>
        current ? (
          <State name="active">{account.current}</State>
        ) : (
          <Confirm
            action={account.end}
            question={account.endAsk}
            text={account.endText}
            run={() => end(id)}
            isDangerous
          />
        ),
    ],
  ]
  return (
    <>
      <h2>{account.sessions}</h2>
      <Shown loaded={loaded}>
        {({ data, total_count, total_pages }) => (
          <>
            <Table label={account.sessions} columns={columns} rows={data} keyOf={({ id }) => id} />
            <Paging of={account.sessions} page={page} pages={total_pages} total={total_count} go={setPage} />
          </>
        )}
      </Shown>
      <Curl path={`/v1/account/sessions?limit=${PAGE_SIZE}&page=${page}`} />
    </>
  )
}
