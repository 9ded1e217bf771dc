import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { Confirm } from '../../frame/dialogs/confirm.tsx'
import { Form, TextEntry, textOf } from '../../frame/form.tsx'
import { useAttempt } from '../../frame/forms/attempt.ts'
import { useLoad } from '../../frame/load.ts'
import { Curl, Heading, Shown } from '../../frame/parts.tsx'
import { api } from '../../frame/session.ts'
import { type Column, Empty, PAGE_SIZE, Paging, Table } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'
import { Places } from './users.tsx'
import { PolicyView } from './wallet-policy.tsx'

type Wallet = Schemas['WalletOut']

const WALLETS = '/v1/openid/wallets'

/** Wallets that are known by name, and what is required of all of them. */
export function WalletsPage({ mayWrite }: { mayWrite: boolean }) {
  const { users } = useTexts()
  const [page, setPage] = useState(1)
  const attempt = useAttempt()
  const loaded = useLoad(String(page), () => api.get(WALLETS, { params: { query: { limit: PAGE_SIZE, page } } }))
  const create = async (form: FormData) => {
    const clientId = textOf(form, 'clientId')
    const redirectUris = [textOf(form, 'redirectUris.0') ?? '']
    const body = { name: textOf(form, 'name') ?? '', redirectUris, ...(clientId && { clientId }) }
    await attempt(body, (headers) => api.post(WALLETS, { body, headers }))
    loaded.reload()
  }
  const remove = async (id: string) => {
    await api.delete('/v1/openid/wallets/{id}', { params: { path: { id } } })
    loaded.reload()
  }
  const columns: Column<Wallet>[] = [
    [users.name, ({ name }) => <bdi>{name}</bdi>],
    [users.clientId, ({ clientId }) => <code>{clientId}</code>],
    [users.redirects, ({ redirectUris }) => <bdi>{redirectUris.join(', ')}</bdi>],
  ]
  const removal: Column<Wallet> = [
    users.remove,
    ({ id }) => (
      <Confirm
        isDangerous
        action={users.remove}
        question={users.removeWalletAsk}
        text={users.removeWalletText}
        run={() => remove(id)}
      />
    ),
  ]
  return (
    <>
      <Heading title={users.wallets}>{users.wallets}</Heading>
      <Places />
      <Shown loaded={loaded}>
        {({ data, totalCount, totalPages }) =>
          totalCount === 0 ? (
            <Empty title={users.noWallets} hint={users.noWalletsHint} />
          ) : (
            <>
              <Table
                label={users.wallets}
                columns={mayWrite ? [...columns, removal] : columns}
                rows={data}
                keyOf={({ id }) => id}
              />
              <Paging of={users.wallets} page={page} pages={totalPages} total={totalCount} go={setPage} />
            </>
          )
        }
      </Shown>
      <Curl path={`${WALLETS}?limit=${PAGE_SIZE}&page=${page}`} />
      {mayWrite && (
        <>
          <h2>{users.newWallet}</h2>
          <Form submit={users.create} onSubmit={create}>
            <TextEntry label={users.name} name="name" required />
            <TextEntry label={users.clientId} name="clientId" hint={users.walletIdHint} />
            <TextEntry label={users.redirects} name="redirectUris.0" hint={users.redirectHint} required />
          </Form>
        </>
      )}
      <PolicyView mayWrite={mayWrite} />
    </>
  )
}
