import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { Confirm } from '../../frame/dialogs/confirm.tsx'
import { useDoing, useLoad } from '../../frame/load.ts'
import { Curl, Failure, Shown, Time } from '../../frame/parts.tsx'
import { type Account, api } from '../../frame/session.ts'
import { type Column, PAGE_SIZE, Paging, Table } from '../../frame/table.tsx'
import { useSay, useTexts } from '../../texts/index.ts'
import { isRole, ROLES, type Role, roleIn } from './roles.ts'

type Member = Schemas['MemberOut']

const nameOf = ({ first_name, middle_name, last_name }: Member): string =>
  [first_name, middle_name, last_name].filter(Boolean).join(' ')

interface MembersProps {
  organization: Account['organizations'][number]
  ownId: string
}

/** Administrators change roles and remove people; everybody else can leave. */
export function Members({ organization: { id, role: ownRole }, ownId }: MembersProps) {
  const texts = useTexts()
  const { people } = texts
  const say = useSay()
  const [page, setPage] = useState(1)
  const loaded = useLoad(String(page), () =>
    api.get('/v1/organizations/{id}/members', { params: { path: { id }, query: { limit: PAGE_SIZE, page } } }),
  )
  const { run, error } = useDoing()
  const isAdmin = ownRole === 'admin'
  const paths = (accountId: string) => ({ params: { path: { id, accountId } } })
  const choose = (accountId: string, role: Role) =>
    void run(async () => {
      try {
        await api.put('/v1/organizations/{id}/members/{accountId}', { ...paths(accountId), body: { role } })
      } finally {
        loaded.reload() // what was refused shows its role again
      }
    })
  const remove = async (accountId: string) => {
    await api.delete('/v1/organizations/{id}/members/{accountId}', paths(accountId))
    loaded.reload()
  }
  const columns: Column<Member>[] = [
    [people.name, (member) => <bdi>{nameOf(member)}</bdi>],
    [people.email, ({ email }) => <bdi>{email}</bdi>],
    [
      people.role,
      ({ account_id: accountId, role, email }) =>
        isAdmin ? (
          <select
            value={role}
            aria-label={say(people.roleOf, { email })}
            onChange={({ currentTarget: { value } }) => isRole(value) && choose(accountId, value)}
          >
            {ROLES.map((each) => (
              <option key={each} value={each} selected={each === role}>
                {people.roles[each]}
              </option>
            ))}
          </select>
        ) : (
          roleIn(texts, role)
        ),
    ],
    [people.since, ({ created_at }) => <Time at={created_at} />],
    [
      people.actions,
      ({ account_id: accountId, email }) =>
        (isAdmin || accountId === ownId) && (
          <Confirm
            action={accountId === ownId ? people.leave : people.remove}
            question={accountId === ownId ? people.leaveAsk : people.removeAsk}
            text={say(people.removeText, { email })}
            run={() => remove(accountId)}
            isDangerous
          />
        ),
    ],
  ]
  return (
    <>
      <h2>{people.members}</h2>
      <Failure error={error} />
      <Shown loaded={loaded}>
        {({ data, total_count, total_pages }) => (
          <>
            <Table label={people.members} columns={columns} rows={data} keyOf={(member) => member.account_id} />
            <Paging of={people.members} page={page} pages={total_pages} total={total_count} go={setPage} />
          </>
        )}
      </Shown>
      <Curl path={`/v1/organizations/${id}/members?limit=${PAGE_SIZE}&page=${page}`} />
    </>
  )
}
