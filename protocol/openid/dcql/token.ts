import { Refusal } from '../../errors.ts'
import { parseJson } from '../../json.strict.ts'
import { isObject } from '../../json.ts'
import type { DcqlCredential, DcqlQuery } from './query.ts'

/** A presentation, with what it answers. */
export interface Presented {
  credential: DcqlCredential
  presentation: unknown
}

export interface ReadVpToken {
  presented: Presented[]
  /** As the wallet sent it. */
  vpToken: Record<string, unknown[]>
}

/** Presentations of an answer at most, or one of each that was asked for. */
const MAX_PRESENTATIONS = 20

const malformed = (message: string) => new Refusal('sign_in.answer_malformed', message)

/** Reads the JSON of a wallet. Throws `Refusal('sign_in.answer_malformed')`. */
export function parseAnswer(text: string, what: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw malformed(`The ${what} cannot be read: ${error.message}`)
  }
}

function presentationsOf(credential: DcqlCredential, list: unknown): Presented[] {
  const { id, format, multiple = false } = credential
  const isOfFormat = format === 'ldp_vc' ? isObject : (value: unknown) => typeof value === 'string' && value !== ''
  const values = Array.isArray(list) ? (list as unknown[]) : []
  const what = format === 'ldp_vc' ? 'JSON object' : 'text'
  if (values.length === 0 || (values.length > 1 && !multiple) || !values.every(isOfFormat))
    throw malformed(`${id} of the vp_token is not a list of ${multiple ? `each a ${what}` : `one ${what}`}.`)
  return values.map((presentation) => ({ credential, presentation }))
}

/** What the sets of a query miss in an answer (section 6.4.2); undefined: nothing, and nothing is there that no set asked for. */
function setsMissing({ credentials, credential_sets: sets }: DcqlQuery, ids: ReadonlySet<string>): string | undefined {
  if (!sets) {
    const missing = credentials.find(({ id }) => !ids.has(id))
    return missing && `The vp_token has no presentation for ${missing.id}, which is required.`
  }
  const complete = new Set<string>()
  for (const { options, required = true } of sets) {
    const satisfied = options.filter((option) => option.every((id) => ids.has(id)))
    if (required && satisfied.length === 0)
      return `The vp_token has no presentation for ${options[0]?.join(' and ')}, or another option, which is required.`
    for (const id of satisfied.flat()) complete.add(id)
  }
  const extra = [...ids].find((id) => !complete.has(id))
  return extra === undefined ? undefined : `The vp_token has ${extra} without the others of its option.`
}

/**
 * Holds a vp_token against the query: presentations of what was asked for, in their form and number, and no others
 * (OpenID4VP 1.0, section 8.1). Throws `Refusal('sign_in.answer_malformed')`.
 */
export function readVpToken(token: unknown, query: DcqlQuery): ReadVpToken {
  if (!isObject(token)) throw malformed('The vp_token is not a JSON object of presentations by the id of their query.')
  const entries = new Map(Object.entries(token))
  const known = new Map(query.credentials.map((credential) => [credential.id, credential]))
  if ([...entries.keys()].some((id) => !known.has(id)))
    throw malformed('The vp_token answers a query that was not asked; its members are the ids of dcql_query.')
  const missing = setsMissing(query, new Set(entries.keys()))
  if (missing !== undefined) throw malformed(missing)
  const presented = query.credentials.flatMap((credential) =>
    entries.has(credential.id) ? presentationsOf(credential, entries.get(credential.id)) : [],
  )
  if (presented.length === 0) throw malformed('The vp_token has no presentation.')
  const most = Math.max(MAX_PRESENTATIONS, query.credentials.length)
  if (presented.length > most) throw malformed(`The vp_token has more than ${most} presentations.`)
  const ids = query.credentials.map(({ id }) => id).filter((id) => entries.has(id))
  return {
    presented,
    vpToken: Object.fromEntries(
      ids.map((id) => [
        id,
        presented.filter(({ credential }) => credential.id === id).map((each) => each.presentation),
      ]),
    ),
  }
}
