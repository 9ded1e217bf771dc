import { isIP } from 'node:net'
import { parse } from 'tldts'
import { Refusal } from '../errors.ts'
import { asciiHost, isHostName } from '../hosts/names.ts'

/** The id that stands for the only domain of a tenant, in requests whose path has none (RFC 9562, section 5.9). */
export const ONLY_DOMAIN = '00000000-0000-0000-0000-000000000000'

/** Label of the name below a domain that may have the TXT record in place of the domain itself. */
export const RECORD_LABEL = '_countersign'

/** DNS names have at most 253 characters; the record's name is one of them. */
export const MAX_DOMAIN = 253 - RECORD_LABEL.length - 1

/** Names of the TXT records that prove a domain. */
export const recordNames = (domain: string): [string, string] => [domain, `${RECORD_LABEL}.${domain}`]

/** Throws `Refusal('domain.invalid_name')` that names the member `domain` and the broken rule. */
export function refuseName(rule: string, what: string, expected = 'expected a domain such as id.example.com'): never {
  throw new Refusal('domain.invalid_name', `The domain cannot be used: ${what}.`, [
    { path: 'domain', code: rule, message: expected },
  ])
}

const isSameOrBelow = (name: string, parent: string) => name === parent || name.endsWith(`.${parent}`)

/**
 * Returns a custom domain as DNS has it: IDN in ASCII, in lower case. `platformHost`: the platform's own host, which with
 * its subdomains belongs to the platform. Does not query DNS. Throws `Refusal('domain.invalid_name')`.
 */
export function readDomain(text: string, platformHost: string): string {
  if (text.includes('://')) refuseName('url', 'it is a URL', 'expected only the domain, without https:// and path')
  const name = asciiHost(text)
  if (name === undefined) return refuseName('name', 'it is not a domain name')
  if (isIP(name) !== 0) refuseName('address', 'it is an IP address')
  if (!isHostName(name)) refuseName('name', 'it is not a domain name')
  if (name.length > MAX_DOMAIN)
    refuseName(
      'length',
      `it is longer than ${MAX_DOMAIN} characters`,
      `expected at most ${MAX_DOMAIN} characters in ASCII`,
    )
  if (!name.includes('.')) refuseName('single_label', 'it has only one label')
  // suffixes of hosters too, below which others have their domains (Public Suffix List, private section)
  if (parse(name, { allowPrivateDomains: true }).publicSuffix === name)
    refuseName('public_suffix', 'it is a public suffix, below which anybody can have a domain')
  if (isSameOrBelow(name, platformHost))
    refuseName('platform', 'it belongs to the platform, where each tenant has its subdomain')
  return name
}
