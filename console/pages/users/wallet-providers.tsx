import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { Confirm } from '../../frame/dialogs/confirm.tsx'
import { CheckEntry, certificatesIn, Form, TextEntry, textOf, wordsOf } from '../../frame/form.tsx'
import { useAttempt } from '../../frame/forms/attempt.ts'
import { useLoad } from '../../frame/load.ts'
import { Curl, Heading, Shown } from '../../frame/parts.tsx'
import { api } from '../../frame/session.ts'
import { type Column, Empty, PAGE_SIZE, Paging, Table } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'
import { Places } from './users.tsx'

type Provider = Schemas['WalletProviderOut']

const PATH = '/v1/openid/wallet-providers'
/** What providers attest, by registration or by a trust list. */
export const ATTESTED = ['wallets', 'keys'] as const

function bodyOf(form: FormData): Schemas['WalletProviderIn'] {
  const issuer = textOf(form, 'issuer')
  return {
    name: textOf(form, 'name') ?? '',
    attests: ATTESTED.filter((each) => form.has(`attests.${each}`)),
    clientIds: wordsOf(textOf(form, 'clientIds')),
    redirectUris: wordsOf(textOf(form, 'redirectUris')),
    certificates: certificatesIn(textOf(form, 'certificates')),
    ...(issuer && { issuer }),
  }
}

function ProviderForm({ done }: { done(): void }) {
  const { users } = useTexts()
  const attempt = useAttempt()
  const create = async (form: FormData) => {
    const body = bodyOf(form)
    await attempt(body, (headers) => api.post(PATH, { body, headers }))
    done()
  }
  return (
    <Form submit={users.create} onSubmit={create}>
      <TextEntry label={users.name} name="name" required />
      {ATTESTED.map((each) => (
        <CheckEntry key={each} label={users.attested[each]} name={`attests.${each}`} isChecked />
      ))}
      <TextEntry label={users.issuer} name="issuer" hint={users.issuerAnyHint} />
      <TextEntry label={users.vouchedFor} name="clientIds" hint={users.vouchedForHint} />
      <TextEntry label={users.vouchedUris} name="redirectUris" hint={users.vouchedUrisHint} />
      <TextEntry label={users.certificates} name="certificates" hint={users.certificatesHint} lines={6} required />
    </Form>
  )
}

/** Makers of wallets whose attestations count. */
export function WalletProvidersPage({ mayWrite }: { mayWrite: boolean }) {
  const { users } = useTexts()
  const [page, setPage] = useState(1)
  const loaded = useLoad(String(page), () => api.get(PATH, { params: { query: { limit: PAGE_SIZE, page } } }))
  const remove = async (id: string) => {
    await api.delete('/v1/openid/wallet-providers/{id}', { params: { path: { id } } })
    loaded.reload()
  }
  const columns: Column<Provider>[] = [
    [users.name, ({ name }) => <bdi>{name}</bdi>],
    [users.attests, ({ attests }) => attests.map((each) => users.attested[each]).join(', ')],
    [users.issuer, ({ issuer }) => <bdi>{issuer ?? ''}</bdi>],
    [users.vouchedFor, ({ clientIds }) => <bdi>{clientIds.join(', ')}</bdi>],
    [users.vouchedUris, ({ redirectUris }) => <bdi>{redirectUris.join(', ')}</bdi>],
    [users.id, ({ id }) => <code>{id}</code>],
  ]
  const removal: Column<Provider> = [
    users.remove,
    ({ id }) => (
      <Confirm
        isDangerous
        action={users.remove}
        question={users.removeProviderAsk}
        text={users.removeProviderText}
        run={() => remove(id)}
      />
    ),
  ]
  return (
    <>
      <Heading title={users.walletProviders}>{users.walletProviders}</Heading>
      <Places />
      <Shown loaded={loaded}>
        {({ data, totalCount, totalPages }) =>
          totalCount === 0 ? (
            <Empty title={users.noWalletProviders} hint={users.noWalletProvidersHint} />
          ) : (
            <>
              <Table
                label={users.walletProviders}
                columns={mayWrite ? [...columns, removal] : columns}
                rows={data}
                keyOf={({ id }) => id}
              />
              <Paging of={users.walletProviders} page={page} pages={totalPages} total={totalCount} go={setPage} />
            </>
          )
        }
      </Shown>
      <Curl path={`${PATH}?limit=${PAGE_SIZE}&page=${page}`} />
      {mayWrite && (
        <>
          <h2>{users.newWalletProvider}</h2>
          <ProviderForm done={loaded.reload} />
        </>
      )}
    </>
  )
}
