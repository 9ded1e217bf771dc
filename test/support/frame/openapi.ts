import { readFileSync } from 'node:fs'
import type { GeneratedOpenApi } from '../../../api/frame/openapi/generated.ts'
import { completeOpenApi } from '../../../api/frame/openapi/index.ts'

export interface Schema {
  $ref?: string
  type?: string
  format?: string
  nullable?: boolean
  enum?: unknown[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  additionalProperties?: boolean | Schema
}

interface Media {
  schema?: Schema
  example?: unknown
  examples?: Record<string, unknown>
}

export interface Described {
  operationId: string
  summary?: string
  description?: string
  security?: Record<string, string[]>[]
  parameters?: { in?: string; name?: string; $ref?: string; required?: boolean; schema?: Schema }[]
  requestBody?: { required?: boolean; content: Record<string, Media> }
  responses: Record<string, { description: string; headers?: object; content?: Record<string, Media> }>
}

export interface Operation extends Described {
  method: string
  path: string
}

interface Document {
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, Schema> }
}

export const document = completeOpenApi(
  JSON.parse(readFileSync(new URL('../../../build/openapi.json', import.meta.url), 'utf8')) as Document &
    GeneratedOpenApi,
)

/** Every operation of the generated document: what is added there is tested without being named anywhere. */
export const operations: Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) => ({ ...described, method: method.toUpperCase(), path })),
)

export const schemaOf = (schema: Schema | undefined): Schema =>
  schema?.$ref
    ? schemaOf(document.components.schemas[schema.$ref.replace('#/components/schemas/', '')])
    : (schema ?? {})

/** The schema of a JSON body; undefined where there is none, or another media type. */
export const bodySchema = ({ requestBody }: Operation): Schema | undefined => {
  const json = requestBody?.content['application/json']
  return json && schemaOf(json.schema)
}

export const parametersIn = ({ parameters = [] }: Operation, where: 'path' | 'query'): string[] =>
  parameters.flatMap(({ in: place, name }) => (place === where && name ? [name] : []))

export const isPublic = ({ security = [] }: Operation): boolean => security.length === 0

/** The area of the one scope that an operation needs; undefined where it needs none. */
export const areaOfToken = ({ security = [] }: Operation): string | undefined =>
  security.flatMap((scheme) => Object.values(scheme).flat())[0]?.split(':', 1)[0]

/** The path with its parameters filled in, percent-encoded unless told that they are raw already. */
export const fill = (
  path: string,
  values: Record<string, string>,
  encode: (value: string) => string = encodeURIComponent,
) => path.replace(/\{(\w+)\}/g, (_, name: string) => encode(values[name] ?? `no-${name}`))

/** The smallest value that a schema takes; for an operation that nobody gave an example yet. */
export function synthesize(declared: Schema | undefined): unknown {
  const { type, format, enum: values, properties = {}, required = [] } = schemaOf(declared)
  if (values) return values[0]
  if (type === 'string') return format === 'date-time' ? '2027-01-01T00:00:00Z' : 'text'
  if (type === 'number' || type === 'integer') return 1
  if (type === 'boolean') return true
  if (type === 'array') return []
  return Object.fromEntries(required.map((name) => [name, synthesize(properties[name])]))
}
