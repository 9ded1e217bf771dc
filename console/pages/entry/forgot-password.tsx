import { useState } from 'preact/hooks'
import { Form, TextEntry, textOf } from '../../frame/form.tsx'
import { Heading } from '../../frame/parts.tsx'
import { Link, pathOf } from '../../frame/router.tsx'
import { asNobody } from '../../frame/session.ts'
import { useSay, useTexts } from '../../texts/index.ts'

/** Asks for the link by which a lost password is set anew: the answer is the same for every address. */
export function ForgotPassword() {
  const { entry, login } = useTexts()
  const say = useSay()
  const [sent, setSent] = useState('')
  const ask = async (form: FormData) => {
    const email = textOf(form, 'email') ?? ''
    await asNobody.post('/v1/auth/password-reset', { body: { email } })
    setSent(email)
  }
  return (
    <div class="login">
      <Heading title={entry.forgotHeading}>{entry.forgotHeading}</Heading>
      <p>{entry.forgotText}</p>
      <Form submit={entry.sendLink} onSubmit={ask}>
        <TextEntry label={login.email} name="email" type="email" autocomplete="username" required />
      </Form>
      <p role="status" class="wrap">
        {sent && say(entry.resetSent, { email: sent })}
      </p>
      <p>
        <Link href={pathOf()}>{login.heading}</Link>
      </p>
    </div>
  )
}
