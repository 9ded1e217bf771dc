import { useState } from 'preact/hooks'
import { Form, secretOf, TextEntry, textOf } from '../../frame/form.tsx'
import { useLoad } from '../../frame/load.ts'
import { Curl, Facts, Heading, Shown, Time } from '../../frame/parts.tsx'
import { type Account, api } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'
import { Authenticator } from './authenticator.tsx'
import { Erasure } from './erasure.tsx'
import { Sessions } from './sessions.tsx'

function Names({ account: its, onSaved }: { account: Account; onSaved: () => void }) {
  const { account } = useTexts()
  const save = async (form: FormData) => {
    const body = {
      first_name: textOf(form, 'first_name') ?? '',
      middle_name: textOf(form, 'middle_name') ?? null,
      last_name: textOf(form, 'last_name') ?? '',
    }
    await api.put('/v1/account', { body })
    onSaved()
  }
  return (
    <>
      <h2>{account.names}</h2>
      <Form submit={account.save} onSubmit={save}>
        <TextEntry label={account.firstName} name="first_name" value={its.first_name} required />
        <TextEntry label={account.middleName} name="middle_name" value={its.middle_name ?? ''} />
        <TextEntry label={account.lastName} name="last_name" value={its.last_name} required />
      </Form>
    </>
  )
}

function Password({ onSaved }: { onSaved: () => void }) {
  const { account } = useTexts()
  const [turn, setTurn] = useState(0)
  const save = async (form: FormData) => {
    const body = { password: secretOf(form, 'password'), new_password: secretOf(form, 'new_password') }
    await api.post('/v1/account/password', { body })
    setTurn(turn + 1)
    onSaved()
  }
  return (
    <>
      <h2>{account.password}</h2>
      <Form key={turn} submit={account.changePassword} onSubmit={save}>
        <TextEntry
          label={account.ownPassword}
          name="password"
          type="password"
          autocomplete="current-password"
          required
        />
        <TextEntry
          label={account.newPassword}
          name="new_password"
          type="password"
          autocomplete="new-password"
          hint={account.passwordHint}
          required
        />
      </Form>
      <p role="status">{turn > 0 && account.passwordChanged}</p>
    </>
  )
}

/** The reader's own account. */
export function AccountPage() {
  const { account } = useTexts()
  const loaded = useLoad('', () => api.get('/v1/account'))
  const [turn, setTurn] = useState(0)
  const [said, setSaid] = useState('')
  return (
    <>
      <Heading title={account.heading}>{account.heading}</Heading>
      <Shown loaded={loaded}>
        {(its) => (
          <>
            <Facts
              facts={[
                [account.email, <bdi>{its.email}</bdi>],
                [account.created, <Time at={its.created_at} />],
                [account.operator, its.operator ? account.isOperator : undefined],
              ]}
            />
            <Curl path="/v1/account" />
            <Names
              account={its}
              onSaved={() => {
                setSaid(account.saved)
                loaded.reload()
              }}
            />
            <p role="status">{said}</p>
            <Password onSaved={() => setTurn(turn + 1)} />
            <Authenticator isOn={its.totp} onChange={loaded.reload} />
          </>
        )}
      </Shown>
      <Sessions turn={turn} />
      <Erasure />
    </>
  )
}
