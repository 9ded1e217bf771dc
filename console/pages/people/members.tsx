import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { Outcome, useActs } from '../../frame/acts.tsx'
import { Confirm } from '../../frame/dialogs/confirm.tsx'
import { SelectEntry, textOf } from '../../frame/form.tsx'
import { useLoad } from '../../frame/load.ts'
import { Curl, Shown, Time } from '../../frame/parts.tsx'
import { type Account, api } from '../../frame/session.ts'
import { type Column, PAGE_SIZE, Paging, Table } from '../../frame/table.tsx'
import { useSay, useTexts } from '../../texts/index.ts'
import { isRole, ROLES, roleIn } from './roles.ts'

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
  const acts = useActs(loaded.reload)
  const isAdmin = ownRole === 'admin'
  const paths = (accountId: string) => ({ params: { path: { id, accountId } } })
  const choose = async (member: Member, form: FormData) => {
    const role = textOf(form, 'role') ?? ''
    if (!isRole(role)) return
    await api.put('/v1/organizations/{id}/members/{accountId}', { ...paths(member.account_id), body: { role } })
    acts.done(say(people.nowRole, { name: nameOf(member), role: people.roles[role] }))
  }
  const remove = async (member: Member) => {
    await api.delete('/v1/organizations/{id}/members/{accountId}', paths(member.account_id))
    acts.done(say(people.removed, { name: nameOf(member) }))
  }
  const columns: Column<Member>[] = [
    [people.name, (member) => <bdi>{nameOf(member)}</bdi>],
    [people.email, ({ email }) => <bdi>{email}</bdi>],
    [
      people.role,
      (member) => (
        <>
          {roleIn(texts, member.role)}{' '}
          {isAdmin && (
            <Confirm
              action={people.changeRole}
              question={people.changeRoleAsk}
              text={say(people.changeRoleText, { email: member.email })}
              run={(form) => choose(member, form)}
            >
              <SelectEntry
                label={people.role}
                name="role"
                value={member.role}
                hint={people.roleHint}
                choices={ROLES.map((each) => [each, people.roles[each]])}
              />
            </Confirm>
          )}
        </>
      ),
    ],
    [people.since, ({ created_at }) => <Time at={created_at} />],
    [
      people.actions,
      (member) =>
        (isAdmin || member.account_id === ownId) && (
          <Confirm
            action={member.account_id === ownId ? people.leave : people.remove}
            question={member.account_id === ownId ? people.leaveAsk : people.removeAsk}
            text={say(people.removeText, { email: member.email })}
            run={() => remove(member)}
            isDangerous
          />
        ),
    ],
  ]
  return (
    <>
      <h2>{people.members}</h2>
      <Outcome acts={acts} />
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
