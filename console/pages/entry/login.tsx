import { useState } from 'preact/hooks'
import { Problem } from '../../../client/index.ts'
import { Form, secretOf, TextEntry, textOf } from '../../frame/form.tsx'
import { Heading } from '../../frame/parts.tsx'
import { Link, pathOf } from '../../frame/router.tsx'
import { logIn, type Standing } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'

interface LoginProps {
  onLogin: (standing: Standing) => void
}

/** Address and password; the code of an authenticator when the platform asks for one. */
export function LoginForm({ onLogin }: LoginProps) {
  const { login } = useTexts()
  const [asksForCode, setAsksForCode] = useState(false)
  const submit = async (form: FormData) => {
    const totp = textOf(form, 'totp')
    try {
      onLogin(
        await logIn({
          email: textOf(form, 'email') ?? '',
          password: secretOf(form, 'password'),
          ...(totp && { totp }),
        }),
      )
    } catch (refusal) {
      if (refusal instanceof Problem && refusal.code === 'login.code_required') setAsksForCode(true)
      throw refusal
    }
  }
  return (
    <Form submit={login.submit} onSubmit={submit}>
      <TextEntry label={login.email} name="email" type="email" autocomplete="username" required />
      <TextEntry label={login.password} name="password" type="password" autocomplete="current-password" required />
      {asksForCode && (
        <TextEntry label={login.totp} name="totp" autocomplete="one-time-code" hint={login.totpHint} required />
      )}
    </Form>
  )
}

/** Where everybody without a session begins. */
export function Login({ onLogin }: LoginProps) {
  const { login, entry } = useTexts()
  return (
    <div class="login">
      <Heading title={login.heading}>{login.heading}</Heading>
      <LoginForm onLogin={onLogin} />
      <p>
        <Link href={pathOf('forgot-password')}>{entry.forgot}</Link>
      </p>
      <p>
        <Link href={pathOf('register')}>{entry.register}</Link>
      </p>
    </div>
  )
}

/** Of somebody who belongs to no tenant: what has to be done first. */
export function NoTenant({ standing: { scopes } }: { standing: Standing }) {
  const { login } = useTexts()
  return (
    <>
      <Heading title={login.noTenant}>{login.noTenant}</Heading>
      <p>{login.noTenantHint}</p>
      <p>{login.noTenantInvited}</p>
      {scopes.has('platform:write') && (
        <>
          <p>{login.operatorSteps}</p>
          <ol>
            <li>
              <Link href={pathOf('people')}>{login.operatorOrganization}</Link>
            </li>
            <li>
              <Link href={pathOf('tenants')}>{login.operatorTenant}</Link>
            </li>
          </ol>
        </>
      )}
    </>
  )
}
