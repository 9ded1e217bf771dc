import { Refusal } from '../../errors.ts'
import { parseJson } from '../../json.strict.ts'
import { isObject } from '../../json.ts'
import type { Wanted } from './dcql.ts'

/** A presentation, with what it answers. */
export interface Presented {
  wanted: Wanted
  presentation: unknown
}

export interface WalletAnswer {
  presented: Presented[]
  /** As the wallet sent it. */
  vpToken: Record<string, unknown[]>
}

/** Refused as OAuth's `invalid_request`; the wallet sees the message. */
export const invalidAnswer = (code: string, message: string) => new Refusal(`sign_in.${code}`, message)

const malformed = (message: string) => invalidAnswer('answer_malformed', message)

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw malformed(`The vp_token cannot be read: ${error.message}`)
  }
}

/**
 * Reads the vp_token of an answer: one presentation for each credential that was asked for, and none besides (OpenID4VP
 * 1.0, section 8.1). Throws `Refusal('sign_in.answer_malformed')`.
 */
export function readVpToken(text: string, wanted: readonly Wanted[]): WalletAnswer {
  const token = parsed(text)
  if (!isObject(token)) throw malformed('The vp_token is not a JSON object of presentations by the id of their query.')
  const entries = new Map(Object.entries(token))
  const unknown = [...entries.keys()].find((id) => !wanted.some((each) => each.id === id))
  if (unknown !== undefined)
    throw malformed('The vp_token answers a query that was not asked; its members are the ids of dcql_query.')
  const presented = wanted.flatMap((each): Presented[] => {
    const list = entries.get(each.id)
    if (list === undefined) {
      if (!each.required) return []
      throw malformed(`The vp_token has no presentation for ${each.id}, which is required.`)
    }
    const [presentation, ...more] = Array.isArray(list) ? list : []
    const isOfFormat = each.format === 'ldp_vc' ? isObject(presentation) : typeof presentation === 'string'
    if (!isOfFormat || more.length > 0)
      throw malformed(
        `${each.id} of the vp_token is not a list of one ${each.format === 'ldp_vc' ? 'JSON object' : 'text in base64url'}.`,
      )
    return [{ wanted: each, presentation }]
  })
  if (presented.length === 0) throw malformed('The vp_token has no presentation.')
  const vpToken = Object.fromEntries(presented.map(({ wanted: { id }, presentation }) => [id, [presentation]]))
  return { presented, vpToken }
}
