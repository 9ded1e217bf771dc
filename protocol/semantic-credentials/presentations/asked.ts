import type { Json } from '../../data-integrity/index.ts'
import { isObject, listOf } from '../../json.ts'
import { isUri } from '../checks.ts'

/** One credential that is asked for. */
export interface CredentialQuery {
  /** Where it stands in the request's body, such as `query.0.credentialQuery.1`. */
  path: string
  /** Otherwise a presentation without such a credential is an answer too. */
  required: boolean
  /** What the credential must hold: an example, or a frame whose `{}` takes any value. */
  pattern: Json
  /** One of them must have issued it, and of an empty list nobody; undefined: anybody. */
  trustedIssuers?: string[]
}

export type Report = (path: string, code: string, message: string) => void

const MAX_TEXT = 2048
const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= MAX_TEXT

/**
 * `[{required, issuer}]`: those that are not marked `required: false` are the ones that count. Where all are so marked
 * they are wishes, and anybody will do; an empty list trusts nobody (D-169).
 */
function trustedIssuers(value: unknown, path: string, report: Report): string[] | undefined {
  const issuers = listOf(value).flatMap((entry, index) => {
    const at = `${path}.${index}`
    if (!isObject(entry)) report(at, 'object', 'must be an object of issuer and required')
    else {
      const { issuer, required = true, ...more } = entry
      for (const name of Object.keys(more)) report(`${at}.${name}`, 'unknown', 'must be issuer or required')
      if (typeof required !== 'boolean') report(`${at}.required`, 'boolean', 'must be true or false')
      if (!isUri(issuer)) report(`${at}.issuer`, 'uri', 'must be the DID or the URL of an issuer')
      else return required === false ? [] : [issuer]
    }
    return []
  })
  return issuers.length === 0 && listOf(value).length > 0 ? undefined : issuers
}

/** Of two lists for one credential either may name the issuer, unless one of them trusts nobody. */
function issuersOf(lists: (string[] | undefined)[]): string[] | undefined {
  const given = lists.filter((list) => list !== undefined)
  if (given.length === 0) return undefined
  return given.some((list) => list.length === 0) ? [] : given.flat()
}

/** An empty list asks for nothing, and a credential of anything would answer it. */
function checkLists(value: unknown, path: string, report: Report): void {
  if (Array.isArray(value) && value.length === 0) report(path, 'empty', 'must not be an empty list')
  else if (isObject(value) || Array.isArray(value))
    for (const [name, member] of Object.entries(value))
      if (name !== '@context') checkLists(member, `${path}.${name}`, report)
}

/** `@context` and `type` of an example or frame: texts, for they are compared as texts. */
function checkNames(pattern: Json, path: string, report: Report): void {
  for (const member of ['@context', 'type']) {
    const value = pattern[member]
    const fits = listOf(value).every((each) => isText(each) || (member === '@context' && isObject(each)))
    if (value !== undefined && (!fits || listOf(value).length === 0))
      report(`${path}.${member}`, 'text', 'must be a text or a list of texts')
  }
}

/** An entry of `credentialQuery`. What we do not know is refused: nobody may believe it is checked. */
export function credentialQuery(
  entry: unknown,
  wanted: 'example' | 'frame',
  path: string,
  report: Report,
): CredentialQuery | undefined {
  if (!isObject(entry)) {
    report(path, 'object', 'must be an object')
    return undefined
  }
  const { required = true, reason, trustedIssuer, [wanted]: given, ...more } = entry
  for (const name of Object.keys(more)) report(`${path}.${name}`, 'unknown', 'is nothing that this query can ask for')
  if (typeof required !== 'boolean') report(`${path}.required`, 'boolean', 'must be true or false')
  if (reason !== undefined && !isText(reason)) report(`${path}.reason`, 'text', `must be a text of at most ${MAX_TEXT}`)
  if (!isObject(given) || Object.keys(given).length === 0) {
    report(`${path}.${wanted}`, 'required', 'must be an object that says what the credential holds')
    return undefined
  }
  const { trustedIssuer: within, ...pattern } = given
  checkNames(pattern, `${path}.${wanted}`, report)
  const { '@context': _, type: _type, ...rest } = pattern
  checkLists(rest, `${path}.${wanted}`, report)
  const lists = [
    [trustedIssuer, `${path}.trustedIssuer`] as const,
    [within, `${path}.${wanted}.trustedIssuer`] as const,
  ].map(([value, at]) => (value === undefined ? undefined : trustedIssuers(value, at, report)))
  const issuers = issuersOf(lists)
  return { path, required: required !== false, pattern, ...(issuers && { trustedIssuers: issuers }) }
}

/** An example in texts, as the specification's schema types a query; what is no other member is a claim of the subject. */
export function flatQuery(entry: Json, path: string, report: Report): CredentialQuery {
  if (Object.keys(entry).length === 0) report(path, 'required', 'must say what the credential holds')
  for (const [name, value] of Object.entries(entry)) {
    if (typeof value !== 'string' || value.length > MAX_TEXT)
      report(`${path}.${name}`, 'text', `must be a text of at most ${MAX_TEXT} characters`)
  }
  const { '@context': context, type, issuer, trustedIssuer = issuer, reason: _, ...claims } = entry
  if (trustedIssuer !== undefined && !isUri(trustedIssuer))
    report(`${path}.trustedIssuer`, 'uri', 'must be the DID or the URL of an issuer')
  const pattern: Json = {
    ...(context !== undefined && { '@context': context }),
    ...(type !== undefined && { type }),
    ...(Object.keys(claims).length > 0 && { credentialSubject: claims }),
  }
  return { path, required: true, pattern, ...(isUri(trustedIssuer) && { trustedIssuers: [trustedIssuer] }) }
}
