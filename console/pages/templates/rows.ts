import { isObject, type Json, XSD } from './claims.ts'

/** One claim in the editor. */
export interface Row {
  /** Of the editor alone. */
  key: number
  name: string
  namespace: string
  /** `claims.course`, or a path into another source. */
  from: string
  /** Grows when the source follows the name, so that its field shows it. */
  renames: number
  isRequired: boolean
  /** JSON, or a text. */
  byDefault: string
  /** Web semantic: the URL that the name stands for, where the template's own context has it. */
  meaning: string
  /** Web semantic: the whole URL of the type of its values. */
  valueType: string
  /** Its mapping is a path and nothing else. */
  isShort: boolean
  /** SD-JWT VC: the holder cannot leave it out. */
  isAlways: boolean
  /** SD-JWT VC: its labels, which the editor keeps. */
  display?: unknown
}

/** A template as it is in the editor. */
export interface Edited {
  rows: readonly Row[]
  /** What the form began with. */
  source: Json
  /** Mappings that no row shows. */
  others: Json
  /** Web semantic: as lines. */
  contexts: string
}

/** For the types of values that a form can have. */
export const VALUE_TYPES = ['date', 'dateTime', 'boolean', 'integer', 'decimal', 'double'].map((name) => XSD + name)

let lastKey = 0

export const emptyRow = (namespace = ''): Row => ({
  ...{ key: ++lastKey, name: '', namespace, from: '', renames: 0, isRequired: true, byDefault: '' },
  ...{ meaning: '', valueType: '', isShort: false, isAlways: false },
})

/** A default value as it is typed: a text that could be JSON stands in quotes. */
export function typed(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' && valueIn(value) === value ? value : JSON.stringify(value)
}

/** What was typed: JSON where it is JSON, else the text. */
export function valueIn(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return value ?? text
  } catch {
    return text // a text, as most default values are
  }
}

const isRule = (mapping: Json) =>
  ['map_from', 'default_value', 'required'].some((member) => Object.hasOwn(mapping, member))

function termOf(definition: unknown): Pick<Row, 'meaning' | 'valueType'> {
  const term = typeof definition === 'string' ? { '@id': definition } : isObject(definition) ? definition : {}
  return {
    meaning: typeof term['@id'] === 'string' ? term['@id'] : '',
    valueType: typeof term['@type'] === 'string' ? term['@type'] : '',
  }
}

/** What a context says of a name itself. */
export const termIn = (context: Json, name: string) => termOf(Object.hasOwn(context, name) ? context[name] : undefined)

function rowOf(name: string, mapping: unknown, definition: unknown, namespace = ''): Row | undefined {
  const rule = typeof mapping === 'string' ? { map_from: mapping } : mapping
  if (!isObject(rule) || !isRule(rule)) return undefined
  return {
    ...emptyRow(namespace),
    name,
    from: typeof rule.map_from === 'string' ? rule.map_from : '',
    isRequired: rule.required === true,
    byDefault: typed(rule.default_value),
    ...termOf(definition),
    isShort: typeof mapping === 'string',
  }
}

/** The rows of mappings, and the mappings that no row can show: those stay as they are. */
export function rowsOf(mappings: unknown, own: Json = {}): { rows: Row[]; others: Json } {
  const [rows, others] = [[] as Row[], {} as Json]
  for (const [name, mapping] of Object.entries(isObject(mappings) ? mappings : {})) {
    const row = rowOf(name, mapping, Object.hasOwn(own, name) ? own[name] : undefined)
    if (row) rows.push(row)
    else others[name] = mapping
  }
  return { rows, others }
}

export const elementRowsOf = (mappings: unknown): Row[] =>
  Object.entries(isObject(mappings) ? mappings : {}).flatMap(([namespace, elements]) =>
    Object.entries(isObject(elements) ? elements : {}).flatMap(
      ([name, mapping]) => rowOf(name, mapping, undefined, namespace) ?? [],
    ),
  )

/** Without a path and a default value, a claim is taken from the claim of its name. */
export const pathFor = ({ name, from, byDefault }: Row): string | undefined =>
  from !== '' ? from : byDefault === '' ? `claims.${name}` : undefined

function mappingOf(row: Row): unknown {
  const path = pathFor(row)
  const isPathAlone = row.byDefault === '' && !row.isRequired
  if (row.isShort && isPathAlone && path !== undefined) return path
  return {
    ...(path !== undefined && { map_from: path }),
    ...(row.byDefault !== '' && { default_value: valueIn(row.byDefault) }),
    ...(row.isRequired && { required: true }),
  }
}

/** Members are defined one by one: a claim may have any name. */
const named = (entries: [string, unknown][]): Json => Object.fromEntries(entries)

export const mappingsOf = (rows: readonly Row[], others: Json = {}): Json =>
  named([
    ...rows.filter(({ name }) => name !== '').map((row): [string, unknown] => [row.name, mappingOf(row)]),
    ...Object.entries(others),
  ])

export const elementsIn = (rows: readonly Row[]): Json =>
  named(
    [...new Set(rows.map(({ namespace }) => namespace))].map((namespace) => [
      namespace,
      mappingsOf(rows.filter((row) => row.namespace === namespace)),
    ]),
  )

/** The template's own context with the terms of the rows; terms of rows that are gone go too. */
export function ownContext(before: Json, old: readonly Row[], rows: readonly Row[]): Json {
  const gone = new Set(old.map(({ name }) => name))
  const kept = Object.entries(before).filter(([name]) => !gone.has(name))
  const terms = rows.flatMap(({ name, meaning, valueType }): [string, unknown][] => {
    if (name === '' || meaning === '') return []
    const known = Object.hasOwn(before, name) ? before[name] : undefined
    const more = isObject(known)
      ? Object.entries(known).filter(([member]) => member !== '@id' && member !== '@type')
      : []
    if (valueType === '' && more.length === 0) return [[name, meaning]]
    return [[name, { ...Object.fromEntries(more), '@id': meaning, ...(valueType && { '@type': valueType }) }]]
  })
  return named([...kept, ...terms])
}
