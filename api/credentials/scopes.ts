import type { Request } from 'express'
import { FORMAT_NAMES, type FormatName, scopeOf } from '../../protocol/credentials/formats.ts'
import { Refusal } from '../../protocol/errors.ts'

type Access = 'read' | 'write'

/** Formats of credentials whose scope the token has. */
export const formatsOf = ({ caller }: Pick<Request, 'caller'>, access: Access): FormatName[] =>
  FORMAT_NAMES.filter((format) => caller?.scopes.includes(scopeOf(format, access)))

const refuse = (formats: readonly FormatName[], access: Access) => {
  const scopes = [...new Set(formats.map((format) => scopeOf(format, access)))]
  return new Refusal('token.insufficient_scope', `The access token does not have the scope ${scopes.join(' or ')}.`)
}

/**
 * Returns the formats of an operation on credentials of any format: those that the request names, or else all whose scope
 * the token has. Throws `Refusal('token.insufficient_scope')` where the token has no scope for one of them, or none at all.
 */
export function allowedFormats(request: Request, access: Access, named?: readonly FormatName[]): FormatName[] {
  const own = formatsOf(request, access)
  const missing = (named ?? []).filter((format) => !own.includes(format))
  if (missing.length > 0) throw refuse(missing, access)
  if (own.length === 0) throw refuse(FORMAT_NAMES, access)
  return named ? [...named] : own
}
