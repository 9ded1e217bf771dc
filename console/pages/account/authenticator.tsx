import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { Form, secretOf, TextEntry, textOf } from '../../frame/form.tsx'
import { useAttempt } from '../../frame/forms/attempt.ts'
import { Once } from '../../frame/once.tsx'
import { Code, Copy } from '../../frame/parts.tsx'
import { QrCode } from '../../frame/qr.tsx'
import { api } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'

/** The password once more: a token alone is not enough for this. */
function Again({
  submit,
  onSubmit,
  isDangerous,
}: Pick<Parameters<typeof Form>[0], 'submit' | 'onSubmit' | 'isDangerous'>) {
  const { account } = useTexts()
  return (
    <Form {...{ submit, onSubmit, isDangerous }}>
      <TextEntry label={account.ownPassword} name="password" type="password" autocomplete="current-password" required />
    </Form>
  )
}

interface NewProps {
  enrolled: Schemas['AuthenticatorOut']
  onConfirmed: (codes: string[]) => void
}

function New({ enrolled: { secret, uri }, onConfirmed }: NewProps) {
  const { account } = useTexts()
  const attempt = useAttempt()
  const confirm = async (form: FormData) => {
    const body = { totp: textOf(form, 'totp') ?? '' }
    const { recovery_codes } = await attempt(body, (headers) => api.post('/v1/account/totp/confirm', { body, headers }))
    onConfirmed(recovery_codes)
  }
  return (
    <>
      <p>{account.scan}</p>
      <QrCode text={uri} label={account.qr} />
      <p>
        {account.typed} <Copy text={secret} />
      </p>
      <Code text={secret} label={account.typed} />
      <Form submit={account.confirm} onSubmit={confirm}>
        <TextEntry label={account.code} name="totp" autocomplete="one-time-code" hint={account.codeHint} required />
      </Form>
    </>
  )
}

/** An app that shows codes, which a login asks for. */
export function Authenticator({ isOn, onChange }: { isOn: boolean; onChange: () => void }) {
  const { account } = useTexts()
  const [enrolled, setEnrolled] = useState<Schemas['AuthenticatorOut']>()
  const [codes, setCodes] = useState<string[]>()
  const enrol = async (form: FormData) =>
    setEnrolled(await api.post('/v1/account/totp', { body: { password: secretOf(form, 'password') } }))
  const remove = async (form: FormData) => {
    await api.post('/v1/account/totp/remove', { body: { password: secretOf(form, 'password') } })
    setCodes(undefined)
    onChange()
  }
  const keep = (shown: string[]) => {
    setEnrolled(undefined)
    setCodes(shown)
    onChange()
  }
  return (
    <>
      <h2>{account.authenticator}</h2>
      <p>{isOn ? account.isOn : account.isOff}</p>
      {codes && <Once title={account.recovery} secrets={[[account.codes, codes.join('\n')]]} />}
      {isOn && <Again submit={account.removeAuthenticator} onSubmit={remove} isDangerous />}
      {!isOn && enrolled && <New enrolled={enrolled} onConfirmed={keep} />}
      {!isOn && !enrolled && <Again submit={account.addAuthenticator} onSubmit={enrol} />}
    </>
  )
}
