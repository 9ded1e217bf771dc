import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { Confirm } from '../../frame/dialogs/confirm.tsx'
import { SelectEntry } from '../../frame/form.tsx'
import { useAttempt } from '../../frame/forms/attempt.ts'
import { Curl } from '../../frame/parts.tsx'
import { api } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'

/** So long the secret before may stay right: a week is the most. */
const GRACES = ['0', '3600', '86400', '604800'] as const
type Grace = (typeof GRACES)[number]

interface NewSecretProps {
  client: Schemas['OAuth2ClientOut']
  onSecret: (secret: string) => void
}

/** Another secret in place of the one that the program has. */
export function NewSecret({ client: { id, formerSecretEndsAt }, onSecret }: NewSecretProps) {
  const { clients } = useTexts()
  const [grace, setGrace] = useState<Grace>('0')
  const attempt = useAttempt()
  const body = { reset_secret: true, secret_grace_seconds: Number(grace) }
  const reset = async () => {
    const { clientSecret } = await attempt({ id, body }, (headers) =>
      api.put('/v1/oauth2/clients/{id}', { params: { path: { id } }, body, headers }),
    )
    if (clientSecret) onSecret(clientSecret)
  }
  const texts = [clients.resetTexts[grace], formerSecretEndsAt && clients.resetFormer, clients.resetTokens]
  return (
    <>
      <h2>{clients.newSecret}</h2>
      <div class="form">
        <SelectEntry
          label={clients.grace}
          name="secret_grace_seconds"
          value={grace}
          hint={clients.graceHint}
          choices={GRACES.map((seconds) => [seconds, clients.graces[seconds]])}
          onChange={(chosen) => setGrace(GRACES.find((seconds) => seconds === chosen) ?? '0')}
        />
        <div class="actions">
          <Confirm
            action={clients.reset}
            question={clients.resetAsk}
            text={texts.filter(Boolean).join(' ')}
            run={reset}
            isDangerous
          />
        </div>
      </div>
      <Curl method="PUT" path={`/v1/oauth2/clients/${id}`} body={body} />
    </>
  )
}
