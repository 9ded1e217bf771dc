import type { Json } from '../../data-integrity/index.ts'
import { within } from '../../errors.ts'
import { isObject, listOf } from '../../json.ts'
import { isUri } from '../checks.ts'

/** The query for one credential. */
export interface CredentialQuery {
  /** Its path in the request's body, such as `query.0.credentialQuery.1`. */
  path: string
  /** false: a presentation without such a credential is valid too. */
  required: boolean
  /** The required content: an example, or a frame whose `{}` matches any value. */
  pattern: Json
  /** The accepted issuers; an empty list accepts none, undefined accepts all. */
  trustedIssuers?: string[]
}

export type Report = (path: string, code: string, message: string) => void

const MAX_TEXT = 2048
const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= MAX_TEXT

/** Which texts name an issuer, and what is said of others. */
interface IssuerForm {
  isIssuer(value: unknown): value is string
  message: string
}

const BY_URI: IssuerForm = { isIssuer: isUri, message: 'must be the DID or the URL of an issuer' }

/**
 * Reads `[{required, issuer}]`: issuers with `required: false` do not count. If all have it, every issuer is accepted;
 * an empty list accepts none (D-169).
 */
export function trustedIssuersIn(
  value: unknown,
  path: string,
  report: Report,
  { isIssuer, message }: IssuerForm = BY_URI,
): string[] | undefined {
  const issuers = listOf(value).flatMap((entry, index) => {
    const at = `${path}.${index}`
    if (!isObject(entry)) report(at, 'object', 'must be an object of issuer and required')
    else {
      const { issuer, required = true, ...more } = entry
      for (const name of Object.keys(more)) report(within(at, name), 'unknown', 'must be issuer or required')
      if (typeof required !== 'boolean') report(`${at}.required`, 'boolean', 'must be true or false')
      if (!isIssuer(issuer)) report(`${at}.issuer`, 'uri', message)
      else return required === false ? [] : [issuer]
    }
    return []
  })
  return issuers.length === 0 && listOf(value).length > 0 ? undefined : issuers
}

/** Joins two lists for one credential: either may name the issuer, unless one of them is empty. */
function issuersOf(lists: (string[] | undefined)[]): string[] | undefined {
  const present = lists.filter((list) => list !== undefined)
  if (present.length === 0) return undefined
  return present.some((list) => list.length === 0) ? [] : present.flat()
}

/** Refuses empty lists: every credential would match them. */
function checkLists(value: unknown, path: string, report: Report): void {
  if (Array.isArray(value) && value.length === 0) report(path, 'empty', 'must not be an empty list')
  else if (isObject(value) || Array.isArray(value))
    for (const [name, member] of Object.entries(value))
      if (name !== '@context') checkLists(member, within(path, name), report)
}

/** Requires `@context` and `type` of an example or frame to be texts: they are compared as texts. */
function checkNames(pattern: Json, path: string, report: Report): void {
  for (const member of ['@context', 'type']) {
    const value = pattern[member]
    const fits = listOf(value).every((each) => isText(each) || (member === '@context' && isObject(each)))
    if (value !== undefined && (!fits || listOf(value).length === 0))
      report(`${path}.${member}`, 'text', 'must be a text or a list of texts')
  }
}

/** Reads an entry of `credentialQuery`. Unknown members are refused, since nothing would check them. */
export function credentialQuery(
  entry: unknown,
  kind: 'example' | 'frame',
  path: string,
  report: Report,
): CredentialQuery | undefined {
  if (!isObject(entry)) {
    report(path, 'object', 'must be an object')
    return undefined
  }
  const { required = true, reason, trustedIssuer, [kind]: content, ...more } = entry
  for (const name of Object.keys(more)) report(within(path, name), 'unknown', 'is not a member of this query')
  if (typeof required !== 'boolean') report(`${path}.required`, 'boolean', 'must be true or false')
  if (reason !== undefined && !isText(reason))
    report(`${path}.reason`, 'text', `must be a text of at most ${MAX_TEXT} characters`)
  if (!isObject(content) || Object.keys(content).length === 0) {
    report(`${path}.${kind}`, 'required', 'must be an object with the required content of the credential')
    return undefined
  }
  const { trustedIssuer: own, ...pattern } = content
  checkNames(pattern, `${path}.${kind}`, report)
  const { '@context': _, type: _type, ...rest } = pattern
  checkLists(rest, `${path}.${kind}`, report)
  const lists = [
    [trustedIssuer, `${path}.trustedIssuer`] as const,
    [own, `${path}.${kind}.trustedIssuer`] as const,
  ].map(([value, at]) => (value === undefined ? undefined : trustedIssuersIn(value, at, report)))
  const issuers = issuersOf(lists)
  return { path, required: required !== false, pattern, ...(issuers && { trustedIssuers: issuers }) }
}

/** Reads a text example, as the specification's schema types a query; other members are claims of the subject. */
export function flatQuery(entry: Json, path: string, report: Report): CredentialQuery {
  if (Object.keys(entry).length === 0) report(path, 'required', 'must have the required content of the credential')
  for (const [name, value] of Object.entries(entry)) {
    if (typeof value !== 'string' || value.length > MAX_TEXT)
      report(within(path, name), 'text', `must be a text of at most ${MAX_TEXT} characters`)
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
