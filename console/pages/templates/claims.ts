/** How a value is typed in a form, and what it becomes. */
export type ClaimType = 'text' | 'integer' | 'number' | 'boolean' | 'date' | 'dateTime'

/** A claim that a template takes from a request. */
export interface Claim {
  /** Where it is in the credential; of a mobile one with its namespace. */
  name: string
  namespace?: string
  /** Where a request has it, below `claims`; absent: the template has its value. */
  path?: string
  isRequired: boolean
  defaultValue?: unknown
  /** Of an SD-JWT VC: the holder may leave it out. */
  isSelective?: boolean
  /** Absent: the template does not say. */
  type?: ClaimType
  /** The URL that its context maps it to. */
  meaning?: string
}

export type Json = Record<string, unknown>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The text at a path; empty where there is none. */
export const textIn = (source: unknown, ...path: string[]): string => {
  const value = path.reduce((inner: unknown, step) => (isObject(inner) ? inner[step] : undefined), source)
  return typeof value === 'string' ? value : ''
}

/** The objects of a list; none where there is no list. */
export const objectsIn = (list: unknown): Json[] => (Array.isArray(list) ? list.filter(isObject) : [])

/** What is there: neither undefined nor an empty text. */
export const named = (values: Json): Json =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== ''))

const own = (value: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(value, name) ? value[name] : undefined

const ROOT =
  /^(claims|authentication_provider|authenticationProvider|credential_configuration|credentialConfiguration)\.(.+)$/s

/** The part of a path below `claims`; undefined: it leads elsewhere. */
export function belowClaims(path: string): string | undefined {
  const [, root = 'claims', rest = path] = ROOT.exec(path) ?? []
  return root === 'claims' ? rest : undefined
}

export const XSD = 'http://www.w3.org/2001/XMLSchema#'

const TYPES: Record<string, ClaimType> = {
  date: 'date',
  dateTime: 'dateTime',
  boolean: 'boolean',
  integer: 'integer',
  int: 'integer',
  long: 'integer',
  nonNegativeInteger: 'integer',
  positiveInteger: 'integer',
  double: 'number',
  float: 'number',
}

/** What a context that stands in the template itself says about a name. */
export interface Definition {
  meaning: string
  type?: ClaimType
}

const typeOf = (type: unknown): ClaimType | undefined =>
  typeof type === 'string' && type.startsWith(XSD) ? TYPES[type.slice(XSD.length)] : undefined

/** The last inline context that defines the name; a vocabulary defines every name. */
export function definitionIn(contexts: unknown, name: string): Definition | undefined {
  const inline = (Array.isArray(contexts) ? contexts : [contexts]).filter(isObject).toReversed()
  for (const context of inline) {
    const term = own(context, name)
    if (typeof term === 'string') return { meaning: term }
    if (isObject(term) && typeof term['@id'] === 'string') {
      const type = typeOf(term['@type'])
      return { meaning: term['@id'], ...(type && { type }) }
    }
  }
  const vocabulary = inline.map((context) => own(context, '@vocab')).find((each) => typeof each === 'string')
  return typeof vocabulary === 'string' ? { meaning: vocabulary + name } : undefined
}

const typeOfValue = (value: unknown): ClaimType | undefined =>
  typeof value === 'number' ? 'number' : typeof value === 'boolean' ? 'boolean' : undefined

function claimOf(name: string, mapping: Record<string, unknown>, known: Partial<Claim>): Claim {
  const { map_from: from, default_value: defaultValue, required } = mapping
  const path = typeof from === 'string' ? belowClaims(from) : undefined
  const type = known.type ?? typeOfValue(defaultValue)
  return {
    name,
    ...known,
    ...(path !== undefined && { path }),
    isRequired: required === true,
    ...(defaultValue !== undefined && defaultValue !== null && { defaultValue }),
    ...(type && { type }),
  }
}

const RULE = ['map_from', 'default_value', 'required']

/** Claims of web semantic, compact and compact-semantic templates. */
export function claimsOf(mappings: unknown, contexts?: unknown): Claim[] {
  const flat = (members: Record<string, unknown>, above: string): Claim[] =>
    Object.entries(members).flatMap(([name, mapping]): Claim[] => {
      const known = definitionIn(contexts, name) ?? {}
      if (typeof mapping === 'string') return [claimOf(above + name, { map_from: mapping }, known)]
      if (!isObject(mapping)) return []
      const isRule = RULE.some((member) => Object.hasOwn(mapping, member))
      return isRule ? [claimOf(above + name, mapping, known)] : flat(mapping, `${above}${name}.`)
    })
  return isObject(mappings) ? flat(mappings, '') : []
}

/** Elements whose types ISO/IEC 18013-5 and the PID rulebook fix. */
function typeOfElement(namespace: string, name: string): ClaimType | undefined {
  if (!/^(org\.iso\.18013\.5\.1|eu\.europa\.ec\.eudi\.pid\.1)$/.test(namespace)) return undefined
  if (/_date$/.test(name)) return 'date'
  if (/^age_over_\d\d$/.test(name)) return 'boolean'
  return /^(age_in_years|age_birth_year|height|weight|sex)$/.test(name) ? 'integer' : undefined
}

/** Elements of a mobile template, by namespace. */
export function elementsOf(mappings: unknown): Claim[] {
  return Object.entries(isObject(mappings) ? mappings : {}).flatMap(([namespace, elements]) =>
    Object.entries(isObject(elements) ? elements : {}).map(([name, mapping]) => {
      const type = typeOfElement(namespace, name)
      return claimOf(name, isObject(mapping) ? mapping : {}, { namespace, ...(type && { type }) })
    }),
  )
}
