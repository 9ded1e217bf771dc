import type { Schema } from './schemas.ts'

const urlSchema = (pattern: string, description: string, example: string): Schema => ({
  type: 'string',
  description,
  pattern: `^${pattern}$`,
  maxLength: 2048,
  example,
})

/**
 * URLs that the platform calls. The pattern takes each one that the platform takes, also with letters outside of ASCII; which
 * hosts and ports can be called is more than a pattern says, and the refusal tells it.
 */
const ANY_HOST = '[hH][tT][tT][pP][sS]?://[^/?#@\\\\\\s]+'

export const urlWithoutQuery = (description: string, example: string): Schema =>
  urlSchema(`${ANY_HOST}(/[^?#\\\\\\s]*)?`, description, example)

export const urlWithFragment = (description: string, example: string): Schema =>
  urlSchema(`${ANY_HOST}(/[^?#\\\\\\s]*)?(#[^\\\\\\s]*)?`, description, example)

export const urlWithQuery = (description: string, example: string): Schema =>
  urlSchema(`${ANY_HOST}(/[^?#\\\\\\s]*)?(\\?[^#\\\\\\s]*)?`, description, example)

/** Of a public host with https, as credentials name pictures: which hosts are public, the refusal tells. */
export const HTTPS_OF_ANY_HOST = '[hH][tT][tT][pP][sS]://[^/?#@\\s<>"{}|\\\\^`]+([/?#][^\\s<>"{}|\\\\^`]*)?'

const LABEL = '[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
/** A public host name in ASCII: names of other scripts are written in Punycode. */
const HOST = `(${LABEL}\\.){1,8}[A-Za-z]{2,63}`
const UP_TO_65535 = '[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}'
const PORT = `(:([1-9][0-9]{0,3}|${UP_TO_65535}))?`
/** Of a URL that the platform calls: 443, and those that no service of a system has. */
const CALLED_PORT = `(:(443|102[4-9]|10[3-9][0-9]|1[1-9][0-9]{2}|[2-9][0-9]{3}|${UP_TO_65535}))?`
/** Characters of a path (RFC 3986, section 3.3), but those given. */
const pathOf = (without = '') => {
  const marks = [..."._~!$&'()*+,;=:@/"].filter((mark) => !without.includes(mark)).join('')
  return `([A-Za-z0-9${marks}-]|%[0-9A-Fa-f]{2})*`
}
const PATH = `(/${pathOf()})?`
const ANY = "([A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*"
const QUERY = `(\\?${ANY})?`
const FRAGMENT = `(#${ANY})?`

/** URLs of public hosts with https alone, in ASCII, of every top-level domain; in requests and in what is made from the schema. */
export const calledHttpsUrl = (description: string, example: string): Schema =>
  urlSchema(`https://${HOST}${CALLED_PORT}${PATH}`, description, example)

/** Of a picture that others load: any port and query. */
export const pictureUrl = (description: string, example: string): Schema =>
  urlSchema(`https://${HOST}${PORT}${PATH}${QUERY}`, description, example)

export const pictureUrlWithFragment = (description: string, example: string): Schema =>
  urlSchema(`https://${HOST}${PORT}${PATH}${QUERY}${FRAGMENT}`, description, example)

/** Compared character by character, so without wildcards; http on this machine alone. */
export const REDIRECT_URI = `^(https://${HOST}|http://localhost)${PORT}(/${pathOf('*')})?$`
