import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { CheckEntry, SelectEntry, TextEntry, textOf } from '../../frame/form.tsx'
import { useTexts } from '../../texts/index.ts'

type Webhook = Schemas['WebhookOut']

/** As the API document has them. */
const EVENTS = ['OpenIdCredentialIssued', 'OidcIssuerCredentialIssued', 'OpenId4VpRequestEnded'] as const

const SECRET_BYTES = 32

/** A secret of Standard Webhooks: one for all tries of a form, so that a second one is no other request. */
export const newSecret = () =>
  `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(SECRET_BYTES))))}`

/** What the platform is to do with the secret. */
const WAYS = ['keep', 'none', 'new', 'own'] as const
type Way = (typeof WAYS)[number]

const isWay = (name: string | undefined): name is Way => WAYS.some((way) => way === name)

/** The fields of a webhook: a new one's, or those of one that there is. */
export function WebhookFields({ webhook }: { webhook?: Webhook }) {
  const { webhooks } = useTexts()
  const [way, setWay] = useState<Way>(webhook ? 'keep' : 'new')
  const offered = WAYS.filter((each) => (webhook ? each !== 'none' || webhook.hasSecret : each !== 'keep'))
  return (
    <>
      <TextEntry label={webhooks.url} name="url" value={webhook?.url} hint={webhooks.urlHint} required />
      <fieldset>
        <legend>{webhooks.events}</legend>
        {EVENTS.map((name) => (
          <CheckEntry
            key={name}
            label={name}
            name="events"
            value={name}
            isChecked={webhook?.events.includes(name) ?? name === 'OpenIdCredentialIssued'}
            hint={webhooks.eventHints[name]}
          />
        ))}
      </fieldset>
      <SelectEntry
        label={webhooks.secretWay}
        name="way"
        value={way}
        choices={offered.map((each) => [each, webhooks.secretWays[each]])}
        hint={webhook?.hasSecret && way !== 'keep' ? webhooks.secretChangeHint : webhooks.secretHint}
        onChange={(name) => isWay(name) && setWay(name)}
      />
      {way === 'own' && (
        <TextEntry label={webhooks.ownSecret} name="secret" hint={webhooks.ownSecretHint} type="password" required />
      )}
    </>
  )
}

/** Of an update: what is undefined stays, and an empty text takes the secret away. */
function secretOf(form: FormData, fresh: string): string | undefined {
  const way = textOf(form, 'way')
  if (way === 'new') return fresh
  if (way === 'own') return textOf(form, 'secret')
  return way === 'none' ? '' : undefined
}

/** `fresh`: the secret where a new one is chosen. */
export function readWebhook(form: FormData, fresh: string) {
  const secret = secretOf(form, fresh)
  return {
    url: textOf(form, 'url') ?? '',
    events: EVENTS.filter((name) => form.getAll('events').includes(name)),
    ...(secret !== undefined && { secret }),
  }
}
