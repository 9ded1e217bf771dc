import { useState } from 'preact/hooks'
import { CheckEntry, TextEntry, textOf, wordsOf } from '../../frame/form.tsx'
import { useTexts } from '../../texts/index.ts'
import { isObject, type Json } from './claims.ts'

const LEVELS = [
  ['key_storage', 'keyStorage'],
  ['user_authentication', 'userAuthentication'],
] as const

const wordsIn = (given: unknown): string => (Array.isArray(given) ? given.join(', ') : '')

/** Whether keys of wallets have to be attested, and how well they have to be kept. */
export function KeyAttestationFields({ source }: { source: Json }) {
  const { templates, users } = useTexts()
  const given = isObject(source.key_attestations) ? source.key_attestations : undefined
  const [isAsked, setAsked] = useState(given !== undefined)
  return (
    <>
      <CheckEntry
        label={templates.keyAttestations}
        name="key_attestations"
        isChecked={isAsked}
        hint={templates.keyAttestationsHint}
        onChange={setAsked}
      />
      {isAsked &&
        LEVELS.map(([name, text]) => (
          <TextEntry
            key={name}
            label={users[text]}
            name={`key_attestations.${name}`}
            value={wordsIn(given?.[name])}
            hint={templates.attestationLevelsHint}
          />
        ))}
    </>
  )
}

/** undefined: keys are proven as the tenant's policy of wallets says. */
export const keyAttestationsIn = (form: FormData): Json | undefined =>
  form.has('key_attestations')
    ? Object.fromEntries(LEVELS.map(([name]) => [name, wordsOf(textOf(form, `key_attestations.${name}`))]))
    : undefined
