import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { SelectEntry, TextEntry } from '../../frame/form.tsx'
import { useTexts } from '../../texts/index.ts'
import { Parameters } from './parameters.tsx'

type Source = Schemas['ClaimSourceOut']

const WAYS = ['none', 'ApiKey', 'OAuthClientCredentials'] as const
type Way = (typeof WAYS)[number]

const wayOf = ({ authorization }: Source): Way =>
  authorization?.ApiKey ? 'ApiKey' : authorization?.OAuthClientCredentials ? 'OAuthClientCredentials' : 'none'

const METHODS = ['client_secret_basic', 'client_secret_post'] as const

/** How the platform proves itself. What is read is masked, and may be sent again as it is. */
function Authorization({ source }: { source?: Source }) {
  const { 'claim-sources': texts } = useTexts()
  const [way, setWay] = useState<Way>(source ? wayOf(source) : 'none')
  const { ApiKey: key, OAuthClientCredentials: client } = source?.authorization ?? {}
  const secretHint = source ? texts.maskedHint : texts.secretHint
  const at = (name: string) => `authorization.${way}.${name}`
  return (
    <fieldset>
      <legend>{texts.authorization}</legend>
      <SelectEntry
        label={texts.way}
        name="way"
        value={way}
        choices={WAYS.map((each) => [each, texts.ways[each]])}
        onChange={(name) => setWay(WAYS.find((each) => each === name) ?? 'none')}
      />
      {way === 'ApiKey' && (
        <>
          <TextEntry label={texts.key} name={at('value')} value={key?.value} hint={secretHint} required />
          <TextEntry label={texts.header} name={at('header')} value={key?.header} hint={texts.headerHint} />
        </>
      )}
      {way === 'OAuthClientCredentials' && (
        <>
          <TextEntry label={texts.clientId} name={at('client_id')} value={client?.client_id} required />
          <TextEntry
            label={texts.clientSecret}
            name={at('client_secret')}
            value={client?.client_secret}
            hint={secretHint}
            required
          />
          <TextEntry label={texts.tokenEndpoint} name={at('token_endpoint')} value={client?.token_endpoint} required />
          <SelectEntry
            label={texts.endpointMethod}
            name={at('token_endpoint_auth_method')}
            value={client?.token_endpoint_auth_method}
            choices={METHODS.map((each) => [each, each])}
          />
          <TextEntry label={texts.audience} name={at('audience')} value={client?.audience} />
          <TextEntry label={texts.scope} name={at('scope')} value={client?.scope} />
        </>
      )}
    </fieldset>
  )
}

/** The fields of a claim source: a new one's, or those of one that there is. */
export function ClaimSourceFields({ source }: { source?: Source }) {
  const { 'claim-sources': texts } = useTexts()
  return (
    <>
      <TextEntry label={texts.name} name="name" value={source?.name} required />
      <TextEntry label={texts.url} name="url" value={source?.url} hint={texts.urlHint} required />
      <SelectEntry
        label={texts.method}
        name="request_method"
        value={source?.request_method ?? 'POST'}
        choices={[
          ['POST', texts.post],
          ['GET', texts.get],
        ]}
      />
      <Parameters given={source?.request_parameters ?? {}} />
      <Authorization source={source} />
    </>
  )
}
