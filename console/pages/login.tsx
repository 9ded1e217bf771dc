import { useId, useState } from 'preact/hooks'
import { Problem } from '../../client/index.ts'
import { useDoing } from '../frame/load.ts'
import { Failure, Heading } from '../frame/parts.tsx'
import { logIn, type Standing } from '../frame/session.ts'
import { useTexts } from '../texts/index.ts'

const textOf = (form: FormData, name: string): string => {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}

/** Name and password; the code of an authenticator when the platform asks for one. */
export function Login({ onLogin }: { onLogin: (standing: Standing) => void }) {
  const { login } = useTexts()
  const [asksForCode, setAsksForCode] = useState(false)
  const { run, error, isBusy } = useDoing()
  const [email, password, totp] = [useId(), useId(), useId()]
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement)) return
    const form = new FormData(event.currentTarget)
    const code = textOf(form, 'totp').trim()
    void run(async () => {
      try {
        const own = { email: textOf(form, 'email').trim(), password: textOf(form, 'password') }
        onLogin(await logIn({ ...own, ...(code && { totp: code }) }))
      } catch (refusal) {
        if (refusal instanceof Problem && refusal.code === 'login.code_required') setAsksForCode(true)
        throw refusal
      }
    })
  }
  return (
    <div class="login">
      <Heading title={login.heading}>{login.heading}</Heading>
      <form onSubmit={submit}>
        <label for={email}>{login.email}</label>
        <input id={email} name="email" type="email" autocomplete="username" required />
        <label for={password}>{login.password}</label>
        <input id={password} name="password" type="password" autocomplete="current-password" required />
        {asksForCode && (
          <>
            <label for={totp}>{login.totp}</label>
            <input
              id={totp}
              name="totp"
              autocomplete="one-time-code"
              maxLength={32}
              aria-describedby={`${totp}-hint`}
              required
            />
            <p class="quiet" id={`${totp}-hint`}>
              {login.totpHint}
            </p>
          </>
        )}
        <Failure error={error} />
        <button type="submit" class="primary" aria-disabled={isBusy}>
          {login.submit}
        </button>
      </form>
    </div>
  )
}

/** Of somebody who belongs to no tenant: what has to be done first. */
export function NoTenant() {
  const { login } = useTexts()
  return (
    <>
      <Heading title={login.noTenant}>{login.noTenant}</Heading>
      <p>{login.noTenantHint}</p>
    </>
  )
}
