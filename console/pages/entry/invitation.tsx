import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { Form } from '../../frame/form.tsx'
import { Heading } from '../../frame/parts.tsx'
import { Link, pathOf } from '../../frame/router.tsx'
import { api, logOut, standingIn } from '../../frame/session.ts'
import { useSay, useTexts } from '../../texts/index.ts'
import { roleIn } from '../people/roles.ts'
import type { EntryProps } from './entry.ts'
import { LoginForm } from './login.tsx'

interface InvitationProps extends EntryProps {
  token: string
  onUsed: () => void
}

/** Without a session: with an account, or without one yet. */
function Begin({ onStanding }: Pick<EntryProps, 'onStanding'>) {
  const { entry } = useTexts()
  return (
    <>
      <p>{entry.invitation.text}</p>
      <LoginForm onLogin={(standing) => onStanding(Promise.resolve(standing))} />
      <h2>{entry.invitation.noAccount}</h2>
      <p>{entry.invitation.noAccountText}</p>
      <p>
        <Link href={pathOf('register')}>{entry.register}</Link>
      </p>
    </>
  )
}

/** The link of an invitation: whoever is invited logs in, and joins. */
export function Invitation({ token, onUsed, standing, onStanding }: InvitationProps) {
  const texts = useTexts()
  const { entry } = texts
  const say = useSay()
  const [joined, setJoined] = useState<Schemas['MembershipOut']>()
  const join = async () => {
    const membership = await api.post('/v1/account/invitations', { body: { token } })
    onUsed()
    setJoined(membership)
    onStanding(standingIn(membership.organization_id))
  }
  return (
    <>
      <Heading title={entry.invitation.heading}>{entry.invitation.heading}</Heading>
      {joined ? (
        <>
          <p role="status" class="wrap">
            {say(entry.invitation.done, { role: roleIn(texts, joined.role) })}
          </p>
          <p>
            <Link href={pathOf()}>{texts.areas.home}</Link>
          </p>
        </>
      ) : standing ? (
        <>
          <p class="wrap">{say(entry.invitation.as, { email: standing.account.email })}</p>
          <Form submit={entry.invitation.submit} onSubmit={join}>
            {null}
          </Form>
          <Form submit={entry.invitation.other} onSubmit={logOut}>
            {null}
          </Form>
        </>
      ) : (
        <Begin onStanding={onStanding} />
      )}
    </>
  )
}
