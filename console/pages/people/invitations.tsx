import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { Confirm } from '../../frame/dialogs/confirm.tsx'
import { Form, SelectEntry, TextEntry, textOf } from '../../frame/form.tsx'
import { useLoad } from '../../frame/load.ts'
import { Curl, Shown, Time } from '../../frame/parts.tsx'
import { api } from '../../frame/session.ts'
import { type Column, Empty, PAGE_SIZE, Paging, Table } from '../../frame/table.tsx'
import { useSay, useTexts } from '../../texts/index.ts'
import { isRole, ROLES, type Role, roleIn } from './roles.ts'

type Invited = Schemas['InvitationOut']

/** Who has been invited and has not come yet. */
export function Invitations({ id }: { id: string }) {
  const texts = useTexts()
  const { people } = texts
  const say = useSay()
  const [page, setPage] = useState(1)
  const [nextRole, setRole] = useState<Role>('issuer')
  const [sent, setSent] = useState('')
  const [count, setCount] = useState(0)
  const loaded = useLoad(String(page), () =>
    api.get('/v1/organizations/{id}/invitations', { params: { path: { id }, query: { limit: PAGE_SIZE, page } } }),
  )
  const invite = async (form: FormData) => {
    const role = textOf(form, 'role') ?? ''
    if (!isRole(role)) return
    setSent('') // what was said of another invitation
    const body = { email: textOf(form, 'email') ?? '', role }
    const { email } = await api.post('/v1/organizations/{id}/invitations', { params: { path: { id } }, body })
    setSent(email)
    setCount(count + 1)
    loaded.reload()
  }
  const withdraw = async ({ id: invitationId, role }: Invited) => {
    await api.delete('/v1/organizations/{id}/invitations/{invitationId}', {
      params: { path: { id, invitationId } },
    })
    setSent('')
    // whoever invites again does so in the same role
    if (isRole(role)) setRole(role)
    loaded.reload()
  }
  const columns: Column<Invited>[] = [
    [people.email, ({ email }) => <bdi>{email}</bdi>],
    [people.role, ({ role }) => roleIn(texts, role)],
    [people.ends, ({ expires_at }) => <Time at={expires_at} />],
    [
      people.actions,
      (invited) => (
        <Confirm
          action={people.withdraw}
          question={people.withdrawAsk}
          text={say(people.withdrawText, { email: invited.email })}
          run={() => withdraw(invited)}
          isDangerous
        />
      ),
    ],
  ]
  return (
    <>
      <h2>{people.invitations}</h2>
      <Shown loaded={loaded}>
        {({ data, total_count, total_pages }) =>
          total_count === 0 ? (
            <Empty title={people.noInvitations} hint={people.noInvitationsHint} />
          ) : (
            <>
              <Table label={people.invitations} columns={columns} rows={data} keyOf={(each) => each.id} />
              <Paging of={people.invitations} page={page} pages={total_pages} total={total_count} go={setPage} />
            </>
          )
        }
      </Shown>
      <h2>{people.invite}</h2>
      <Form key={`${count} ${nextRole}`} submit={people.invite} onSubmit={invite}>
        <TextEntry label={people.email} name="email" type="email" required />
        <SelectEntry
          label={people.role}
          name="role"
          value={nextRole}
          hint={people.roleHint}
          choices={ROLES.map((role) => [role, people.roles[role]])}
        />
      </Form>
      <p role="status">{sent && say(people.sent, { email: sent })}</p>
      <Curl
        method="POST"
        path={`/v1/organizations/${id}/invitations`}
        body={{ email: 'grace@university.example', role: 'issuer' }}
      />
    </>
  )
}
