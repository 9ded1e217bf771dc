import { textOf } from '../../frame/form.tsx'
import { isInexact, refusedAt } from '../../frame/forms/typed.ts'

/** A default value as its field has it: JSON, and text that is no JSON as it is. */
export function shownDefault(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' && defaultOf(value) === value ? value : JSON.stringify(value)
}

function defaultOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** What is said of the parameters. */
interface Rules {
  /** At the second one of a name. */
  repeated: string
  inexact: string
}

/** With neither, the platform says what it expects. */
function parameterOf(form: FormData, at: string, { inexact }: Rules) {
  const [from, instead] = [textOf(form, `from.${at}`), textOf(form, `instead.${at}`)]
  const fallback = instead === undefined ? undefined : { default_value: defaultOf(instead) }
  if (instead !== undefined && isInexact(instead)) throw refusedAt(`instead.${at}`, 'number', inexact)
  return from === undefined ? (fallback ?? { map_from: '' }) : { map_from: from, ...fallback }
}

/** The parameters by their names. */
function parametersOf(form: FormData, rules: Rules) {
  const parameters = new Map<string, ReturnType<typeof parameterOf>>()
  for (const at of form.getAll('rows').map(String)) {
    const name = textOf(form, `name.${at}`) ?? ''
    if (parameters.has(name)) throw refusedAt(`name.${at}`, 'repeated', rules.repeated)
    parameters.set(name, parameterOf(form, at, rules))
  }
  return Object.fromEntries(parameters)
}

const METHODS = ['client_secret_basic', 'client_secret_post'] as const

/** Null takes away what a claim source had. */
function authorizationOf(form: FormData) {
  const way = textOf(form, 'way')
  const text = (name: string) => textOf(form, `authorization.${way}.${name}`)
  if (way === 'ApiKey') {
    const header = text('header')
    return { ApiKey: { type: 'api-key' as const, value: text('value') ?? '', ...(header && { header }) } }
  }
  if (way !== 'OAuthClientCredentials') return null
  const [audience, scope] = [text('audience'), text('scope')]
  return {
    OAuthClientCredentials: {
      type: 'oauth-client-credentials' as const,
      client_id: text('client_id') ?? '',
      client_secret: text('client_secret') ?? '',
      token_endpoint: text('token_endpoint') ?? '',
      token_endpoint_auth_method: METHODS.find((each) => each === text('token_endpoint_auth_method')) ?? METHODS[0],
      ...(audience && { audience }),
      ...(scope && { scope }),
    },
  }
}

/** A claim source as the form has it. */
export const readClaimSource = (form: FormData, rules: Rules) => ({
  name: textOf(form, 'name') ?? '',
  url: textOf(form, 'url') ?? '',
  request_method: textOf(form, 'request_method') === 'GET' ? ('GET' as const) : ('POST' as const),
  request_parameters: parametersOf(form, rules),
  authorization: authorizationOf(form),
})
