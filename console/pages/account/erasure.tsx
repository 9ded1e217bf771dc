import { CheckEntry, Form, secretOf, TextEntry } from '../../frame/form.tsx'
import { api, logOut } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'

/** The end of the account: it needs the password, and a box that says what goes. */
export function Erasure() {
  const { account } = useTexts()
  const erase = async (form: FormData) => {
    await api.post('/v1/account/erasure', { body: { password: secretOf(form, 'password') } })
    await logOut()
  }
  return (
    <>
      <h2>{account.erasure}</h2>
      <p>{account.erasureText}</p>
      <details>
        <summary>{account.erase}</summary>
        <Form submit={account.erase} onSubmit={erase} isDangerous>
          <TextEntry
            label={account.ownPassword}
            name="password"
            type="password"
            autocomplete="current-password"
            required
          />
          <CheckEntry label={account.eraseSure} name="sure" required />
        </Form>
      </details>
    </>
  )
}
