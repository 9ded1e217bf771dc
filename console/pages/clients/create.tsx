import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { CheckEntry, Form, TextEntry, textOf } from '../../frame/form.tsx'
import { useAttempt } from '../../frame/forms/attempt.ts'
import { api, type Standing } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'

/** Of people and of operators: a client of a tenant has neither. */
const NOT_OF_TENANTS = /^(accounts|platform):/

type Scope = NonNullable<Schemas['OAuth2ClientIn']['scopes']>[number]
const isOfTenants = (scope: string): scope is Scope => !NOT_OF_TENANTS.test(scope)

/** Those that the reader may give to a client, and those that it has. */
export const givable = ({ scopes }: Standing, had: readonly string[] = []): Scope[] =>
  [...new Set([...scopes, ...had])].filter(isOfTenants).sort()

interface ScopesProps {
  scopes: readonly Scope[]
  chosen?: readonly string[]
  hint: string
}

/** A box for each scope. */
export function Scopes({ scopes, chosen = [], hint }: ScopesProps) {
  const { clients } = useTexts()
  return (
    <fieldset>
      <legend>{clients.scopes}</legend>
      <p class="quiet">{hint}</p>
      <div class="checks">
        {scopes.map((scope) => (
          <CheckEntry key={scope} label={scope} name="scopes" value={scope} isChecked={chosen.includes(scope)} />
        ))}
      </div>
    </fieldset>
  )
}

export const chosenOf = (form: FormData, scopes: readonly Scope[]): Scope[] =>
  scopes.filter((scope) => form.getAll('scopes').includes(scope))

interface NewClientProps {
  standing: Standing
  onMade: (client: Schemas['OAuth2ClientSecretOut']) => void
}

/** A client gets no more than who creates it may do. */
export function NewClient({ standing, onMade }: NewClientProps) {
  const { clients } = useTexts()
  const [turn, setTurn] = useState(0)
  const attempt = useAttempt()
  const scopes = givable(standing)
  const create = async (form: FormData) => {
    const body = {
      name: textOf(form, 'name') ?? '',
      description: textOf(form, 'description') ?? '',
      scopes: chosenOf(form, scopes),
    }
    onMade(await attempt(body, (headers) => api.post('/v1/oauth2/clients', { body, headers })))
    setTurn(turn + 1)
  }
  return (
    <Form key={turn} submit={clients.create} onSubmit={create}>
      <TextEntry label={clients.name} name="name" required />
      <TextEntry label={clients.description} name="description" />
      <Scopes scopes={scopes} hint={clients.scopesHint} />
    </Form>
  )
}
