import { type FieldError, Refusal } from '../errors.ts'
import { readCalledUrl, type UrlTerms } from '../hosts/urls.ts'

/** An URL of a claim source, as the member of the body that has it. */
interface CalledUrl {
  path: string
  text: string
  example: string
}

const refusal = ({ path, example }: CalledUrl, rule: string, message: string): Refusal => {
  const error: FieldError = { path, code: rule, message: `expected an https URL such as ${example}` }
  return new Refusal('claim_source.invalid_url', `${path} cannot be used: ${message}.`, [error])
}

function read(called: CalledUrl, terms: UrlTerms): string {
  const result = readCalledUrl(called.text, terms)
  if ('url' in result) return result.url
  throw refusal(called, result.fault.rule, result.fault.message)
}

const sourceUrl = (text: string): CalledUrl => ({
  path: 'url',
  text,
  example: 'https://claims.university.example/students',
})

/**
 * Checks the URL of a claim source, and returns it as it is called: without port and fragment, host in ASCII
 * (specification, Limits). `allowPrivate`: http, hosts of this machine and ports will do as well. Throws
 * `Refusal('claim_source.invalid_url')` that names the broken rule.
 */
export const readClaimSourceUrl = (text: string, { allowPrivate = false } = {}): string =>
  read(sourceUrl(text), { allowPrivate, fragment: 'drop', port: allowPrivate ? 'keep' : 'drop' })

const tokenUrl = (text: string): CalledUrl => ({
  path: 'authorization.OAuthClientCredentials.token_endpoint',
  text,
  example: 'https://login.university.example/oauth/token',
})

/** The same for a token endpoint, which may have a query and a port, but no fragment (RFC 6749, section 3.2). */
export const readTokenEndpoint = (text: string, { allowPrivate = false } = {}): string =>
  read(tokenUrl(text), { allowPrivate, query: 'keep' })

/** The same refusal for a rule of all outbound calls, of which one of the two URLs breaks one. */
export function refusedByOutbound(member: 'url' | 'token_endpoint', refused: Refusal): Refusal {
  const called = member === 'url' ? sourceUrl('') : tokenUrl('')
  if (refused.code === 'outbound.blocked')
    return refusal(called, 'not_public', 'its host is not below a public top-level domain')
  const message = refused.message.replace(/\.$/, '').replace(/^The URL/, 'the URL')
  return refusal(called, refused.code.replace(/^outbound\./, ''), message)
}
