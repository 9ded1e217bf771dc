import { fromBase64Url } from './cbor.ts'
import { TIMES, timeOf } from './credentials.ts'

/** A credential with all its claims is smaller; what is longer is not read here. */
const MOST_CHARACTERS = 2_000_000
const MOST_DEPTH = 64

/** A claim, or an element of a list, which has no name. */
export interface Disclosed {
  name?: string
  value: string
  /** ISO time, where the value is one. */
  at?: string
}

export interface SdJwt {
  header: Disclosed[]
  /** Of the JWT itself, without digests. */
  claims: Disclosed[]
  /** In their order, each with the digests of those inside of it. */
  disclosures: Disclosed[]
  /** Digests that no disclosure can be for. */
  decoys: number
}

const jsonIn = (text: string): unknown =>
  JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(fromBase64Url(text)))

function objectIn(text: string): Record<string, unknown> {
  const value = jsonIn(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError('This is no JSON object.')
  return { ...value }
}

function shownOf(name: string | undefined, value: unknown): Disclosed {
  const at = name !== undefined && TIMES.has(name) ? timeOf(value) : undefined
  return {
    ...(name !== undefined && { name }),
    value: typeof value === 'string' ? value : JSON.stringify(value),
    ...(at && { at }),
  }
}

/** Digests in an object or a list, and in all below (RFC 9901, section 4.2.4). */
function digestsIn(value: unknown, depth = 0): number {
  if (typeof value !== 'object' || value === null) return 0
  if (depth > MOST_DEPTH) throw new RangeError('This is deeper than is read here.')
  const below = Object.values(value).reduce((sum: number, each) => sum + digestsIn(each, depth + 1), 0)
  if (Array.isArray(value)) return below
  const own: unknown = Reflect.get(value, '_sd')
  const isElement = Object.keys(value).length === 1 && typeof Reflect.get(value, '...') === 'string'
  return below + (Array.isArray(own) ? own.length : 0) + (isElement ? 1 : 0)
}

/** Header, claims and disclosures of an SD-JWT as its holder keeps it. Throws for what is none. */
export function readSdJwt(text: string): SdJwt {
  if (text.length > MOST_CHARACTERS) throw new RangeError(`${text.length} characters are more than are read here.`)
  const [jwt = '', ...rest] = text.split('~')
  const parts = jwt.split('.')
  if (parts.length !== 3 || rest.length === 0) throw new TypeError('This is no SD-JWT.')
  const [header, { _sd, _sd_alg, ...claims }] = [objectIn(parts[0] ?? ''), objectIn(parts[1] ?? '')]
  const disclosures = rest.slice(0, -1).map((each): { name?: string; value: unknown } => {
    const disclosure = jsonIn(each)
    if (!Array.isArray(disclosure)) throw new TypeError('This is no disclosure.')
    if (disclosure.length === 2) return { value: disclosure[1] }
    if (disclosure.length === 3 && typeof disclosure[1] === 'string')
      return { name: disclosure[1], value: disclosure[2] }
    throw new TypeError('This is no disclosure.')
  })
  const digests = disclosures.reduce((sum, { value }) => sum + digestsIn(value), digestsIn({ _sd, ...claims }))
  return {
    header: Object.entries(header).map(([name, value]) => shownOf(name, value)),
    claims: Object.entries(claims).map(([name, value]) => shownOf(name, value)),
    disclosures: disclosures.map(({ name, value }) => shownOf(name, value)),
    decoys: Math.max(0, digests - disclosures.length),
  }
}
