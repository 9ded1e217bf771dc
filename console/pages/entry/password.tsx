import { useState } from 'preact/hooks'
import { Form, secretOf, TextEntry } from '../../frame/form.tsx'
import { Heading } from '../../frame/parts.tsx'
import { Link, pathOf } from '../../frame/router.tsx'
import { asNobody, restore } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'
import type { EntryProps } from './entry.ts'

interface PasswordProps extends Pick<EntryProps, 'onStanding'> {
  purpose: 'verify' | 'reset'
  token: string
  onUsed: () => void
}

/** Sends the secret of a mail with a password: that of the registration, or a new one. */
export function Password({ purpose, token, onUsed, onStanding }: PasswordProps) {
  const { entry, login, account } = useTexts()
  const [isDone, setDone] = useState(false)
  const texts = entry[purpose]
  const send = async (form: FormData) => {
    const body = { token, password: secretOf(form, 'password') }
    if (purpose === 'verify') await asNobody.post('/v1/auth/verify-email', { body })
    else await asNobody.post('/v1/auth/password-reset/confirm', { body })
    onUsed()
    setDone(true)
    // a new password has ended the sessions of its account
    if (purpose === 'reset') onStanding(restore())
  }
  return (
    <>
      <Heading title={texts.heading}>{texts.heading}</Heading>
      {!isDone && (
        <>
          <p>{texts.text}</p>
          <Form submit={texts.submit} onSubmit={send}>
            <TextEntry
              label={texts.password}
              name="password"
              type="password"
              autocomplete={purpose === 'reset' ? 'new-password' : 'current-password'}
              hint={purpose === 'reset' ? account.passwordHint : undefined}
              required
            />
          </Form>
        </>
      )}
      <p role="status">{isDone && texts.done}</p>
      {isDone && (
        <p>
          <Link href={pathOf()}>{login.heading}</Link>
        </p>
      )}
    </>
  )
}
