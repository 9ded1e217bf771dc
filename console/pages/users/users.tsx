import { useState } from 'preact/hooks'
import { Problem, type Schemas } from '../../../client/index.ts'
import { Confirm } from '../../frame/dialogs/confirm.tsx'
import { Form, SelectEntry, TextEntry, textOf } from '../../frame/form.tsx'
import { refusedAt } from '../../frame/forms/typed.ts'
import { useLoad } from '../../frame/load.ts'
import { Curl, Heading, Shown } from '../../frame/parts.tsx'
import { Link, pathOf } from '../../frame/router.tsx'
import { api } from '../../frame/session.ts'
import { type Column, Empty, PAGE_SIZE, Paging, Table } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'
import { claimText } from './claims.ts'

type User = Schemas['UserOut']
type Page = Schemas['UserPageOut']

const FATES = ['keep', 'revoke', 'suspend'] as const
type Fate = (typeof FATES)[number]

/** Claims of a person: they are sent in a body, and stand in no address. */
type Wanted = { name: string; value: string } | undefined

const bodyOf = ({ name, value }: NonNullable<Wanted>, page: number) => ({
  authenticationProvider: {},
  claims: { [name]: value },
  limit: PAGE_SIZE,
  page,
})

const NOBODY: Page = { data: [], limit: PAGE_SIZE, totalCount: 0, totalPages: 0 }

async function find(wanted: Wanted, page: number): Promise<Page> {
  if (!wanted) return api.get('/v1/users', { params: { query: { limit: PAGE_SIZE, page } } })
  try {
    return await api.post('/v1/users/search', { body: bodyOf(wanted, page) })
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return NOBODY // nobody has the claim
    throw error
  }
}

function Delete({ id, done }: { id: string; done: () => void }) {
  const { users } = useTexts()
  const [fate, setFate] = useState<Fate>('keep')
  const remove = async () => {
    await api.delete('/v1/users/{id}', { params: { path: { id }, query: { credentials: fate } } })
    done()
  }
  return (
    <>
      <SelectEntry
        label={users.credentials}
        name="credentials"
        value={fate}
        choices={FATES.map((each) => [each, users.fates[each]] as const)}
        onChange={(chosen) => setFate(FATES.find((each) => each === chosen) ?? 'keep')}
      />
      <Confirm
        isDangerous
        action={users.remove}
        question={users.removeAsk}
        text={`${users.removeText} ${users.fateTexts[fate]}`}
        run={remove}
      />
    </>
  )
}

/** Where else holders are set up. */
export function Places() {
  const { users } = useTexts()
  return (
    <p>
      <Link href={pathOf('users')}>{users.heading}</Link> ·{' '}
      <Link href={pathOf('users', 'providers')}>{users.providers}</Link> ·{' '}
      <Link href={pathOf('users', 'wallets')}>{users.wallets}</Link> ·{' '}
      <Link href={pathOf('users', 'wallet-providers')}>{users.walletProviders}</Link>
    </p>
  )
}

/** Holders as authentication providers identified them. */
export function UsersPage({ mayWrite }: { mayWrite: boolean }) {
  const { users, credentials } = useTexts()
  const [wanted, setWanted] = useState<Wanted>()
  const [page, setPage] = useState(1)
  const [said, setSaid] = useState('')
  const loaded = useLoad(JSON.stringify([wanted, page]), () => find(wanted, page))
  const search = async (form: FormData) => {
    const [name, value] = [textOf(form, 'name'), textOf(form, 'value')]
    // with one of them alone, all users would be found
    const missing = name && !value ? 'value' : value && !name ? 'name' : undefined
    if (missing) throw refusedAt(missing, 'missing', users.bothNeeded)
    setPage(1)
    setWanted(name && value ? { name, value } : undefined)
  }
  const columns: Column<User>[] = [
    [
      users.claims,
      ({ claims }) => (
        <ul class="plain">
          {Object.entries(claims).map(([name, value]) => (
            <li key={name}>
              <span class="quiet">{name}</span> <bdi>{claimText(value)}</bdi>
            </li>
          ))}
        </ul>
      ),
    ],
    [users.provider, ({ authenticationProvider: { url } }) => <bdi>{url}</bdi>],
    [users.subject, ({ authenticationProvider: { subjectId } }) => <bdi>{subjectId}</bdi>],
    [users.id, ({ id }) => <code>{id}</code>],
  ]
  const remove: Column<User> = [
    users.remove,
    ({ id }) => (
      <Delete
        id={id}
        done={() => {
          setSaid(users.removed)
          loaded.reload()
        }}
      />
    ),
  ]
  return (
    <>
      <Heading title={users.heading}>{users.heading}</Heading>
      <Places />
      <Form submit={credentials.search} onSubmit={search}>
        <TextEntry label={users.claim} name="name" placeholder="email" />
        <TextEntry label={users.value} name="value" hint={users.valueHint} />
      </Form>
      <p role="status">{said}</p>
      <Shown loaded={loaded}>
        {({ data, totalCount, totalPages }) =>
          totalCount === 0 ? (
            <Empty title={users.empty} hint={users.emptyHint} />
          ) : (
            <>
              <Table
                label={users.heading}
                columns={mayWrite ? [...columns, remove] : columns}
                rows={data}
                keyOf={({ id }) => id}
              />
              <Paging of={users.heading} page={page} pages={totalPages} total={totalCount} go={setPage} />
            </>
          )
        }
      </Shown>
      {wanted ? (
        <Curl method="POST" path="/v1/users/search" body={bodyOf(wanted, page)} />
      ) : (
        <Curl path={`/v1/users?limit=${PAGE_SIZE}&page=${page}`} />
      )}
    </>
  )
}
