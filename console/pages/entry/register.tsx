import { useState } from 'preact/hooks'
import { Form, secretOf, TextEntry, textOf } from '../../frame/form.tsx'
import { Heading } from '../../frame/parts.tsx'
import { Link, pathOf } from '../../frame/router.tsx'
import { asNobody } from '../../frame/session.ts'
import { useSay, useTexts } from '../../texts/index.ts'

/** A new account: it begins when the link of the mail is opened. */
export function Register() {
  const { entry, login, account } = useTexts()
  const say = useSay()
  const [sent, setSent] = useState('')
  const register = async (form: FormData) => {
    const email = textOf(form, 'email') ?? ''
    await asNobody.post('/v1/auth/register', {
      body: {
        email,
        first_name: textOf(form, 'first_name') ?? '',
        middle_name: textOf(form, 'middle_name') ?? null,
        last_name: textOf(form, 'last_name') ?? '',
        password: secretOf(form, 'password'),
      },
    })
    setSent(email)
  }
  return (
    <div class="login">
      <Heading title={entry.register}>{entry.register}</Heading>
      {sent === '' && (
        <Form submit={entry.register} onSubmit={register}>
          <TextEntry label={login.email} name="email" type="email" autocomplete="username" required />
          <TextEntry label={account.firstName} name="first_name" autocomplete="given-name" required />
          <TextEntry label={account.middleName} name="middle_name" autocomplete="additional-name" />
          <TextEntry label={account.lastName} name="last_name" autocomplete="family-name" required />
          <TextEntry
            label={login.password}
            name="password"
            type="password"
            autocomplete="new-password"
            hint={account.passwordHint}
            required
          />
        </Form>
      )}
      <p role="status" class="wrap">
        {sent && say(entry.registered, { email: sent })}
      </p>
      <p>
        <Link href={pathOf()}>{login.heading}</Link>
      </p>
    </div>
  )
}
