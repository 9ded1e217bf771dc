import type { Sample } from '../examples/sample.ts'
import { type Operation, parametersIn, type Schema, schemaOf } from '../openapi.ts'

/** What a member is called that holds the id or DID of a thing. */
const NAMED = /(^|_)(id|ids|did|dids)$|[a-z](Ids?|Dids?|DidUrls?)$/

interface Node extends Schema {
  allOf?: Schema[]
  anyOf?: Schema[]
  oneOf?: Schema[]
}

const DEEPEST = 8

/** The texts within a schema, as pointers; `*` is an entry of a list or of a map. */
function leaves(declared: Node | undefined, pointer: string, found: Map<string, Schema>, depth = 0): void {
  const schema = schemaOf(declared) as Node
  if (depth > DEEPEST) return
  const further = (each: Schema | undefined, at: string) => leaves(each, at, found, depth + 1)
  for (const each of [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) further(each, pointer)
  for (const [name, each] of Object.entries(schema.properties ?? {})) further(each, `${pointer}/${name}`)
  if (schema.items) further(schema.items, `${pointer}/*`)
  if (typeof schema.additionalProperties === 'object') further(schema.additionalProperties, `${pointer}/*`)
  if (schema.type === 'string' && !schema.enum) found.set(pointer, schema)
}

const isId = (pointer: string, schema: Schema): boolean =>
  schema.format === 'uuid' || NAMED.test(pointer.replaceAll('/*', '').split('/').at(-1) ?? '')

/** The members of a JSON body that hold an id, by their schema or their name. */
export function membersBySchema({ requestBody }: Operation): string[] {
  const found = new Map<string, Schema>()
  leaves(requestBody?.content['application/json']?.schema, '', found)
  return [...found].flatMap(([pointer, schema]) => (isId(pointer, schema) ? [pointer] : []))
}

/** Texts of a value with their pointers, names and indexes of a list alike. */
function* textsIn(value: unknown, pointer = ''): Generator<[pointer: string, text: string]> {
  if (typeof value === 'string') yield [pointer, value]
  else if (Array.isArray(value)) for (const each of value) yield* textsIn(each, `${pointer}/*`)
  else if (value && typeof value === 'object')
    for (const [name, each] of Object.entries(value)) yield* textsIn(each, `${pointer}/${name}`)
}

const ID = /^(?:urn:uuid:)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|did:[a-z]+:\S+)$/

/** The ids of the things of a sample. */
export const idsOf = (sample: Sample): Set<string> =>
  new Set([...textsIn(sample)].flatMap(([, text]) => (ID.test(text) ? [text] : [])))

/** The members of an example's body that name a thing of the sample. */
export function membersByExample(body: unknown, ids: ReadonlySet<string>): string[] {
  const named = (text: string) => [text, text.replace(/^urn:uuid:/, ''), text.replace(/#.*/, '')]
  return [...textsIn(body)].flatMap(([pointer, text]) => (named(text).some((each) => ids.has(each)) ? [pointer] : []))
}

/** The query parameters that hold an id, by their schema or their name. */
export const filtersBySchema = (operation: Operation): string[] =>
  parametersIn(operation, 'query').filter((name) => {
    const parameter = operation.parameters?.find((each) => each.in === 'query' && each.name === name)
    return isId(name, schemaOf(parameter?.schema)) || /Did|CredentialIssuer/.test(parameter?.schema?.$ref ?? '')
  })

/** A copy of a value with another one at the pointer, whose `*` is the one entry of a list. */
export function withMember(value: unknown, pointer: string, member: unknown): unknown {
  const [, name, rest] = /^\/([^/]+)(.*)$/.exec(pointer) ?? []
  if (name === undefined || rest === undefined) return member
  if (name === '*') return [withMember(Array.isArray(value) ? value[0] : undefined, rest, member)]
  const members = (value ?? {}) as Record<string, unknown>
  return { ...members, [name]: withMember(members[name], rest, member) }
}
