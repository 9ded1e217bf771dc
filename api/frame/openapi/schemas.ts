/** A schema object of OpenAPI 3.0. */
export interface Schema {
  [keyword: string]: unknown
}

export type Schemas = Readonly<Record<string, Schema>>

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const nameOf = (ref: unknown): string | undefined =>
  typeof ref === 'string' ? ref.replace('#/components/schemas/', '') : undefined

export const NULL: Schema = { type: 'object', nullable: true, enum: [null] }

/** The schema, or null: an enum that does not list null excludes it (OpenAPI 3.0.3, Proposal 2019-10-31). */
export const nullable = (schema: Schema): Schema => ({
  ...schema,
  ...(Array.isArray(schema.anyOf) ? { anyOf: [...schema.anyOf, NULL] } : { nullable: true }),
  ...(Array.isArray(schema.enum) && { enum: [...schema.enum, null] }),
})

/** A reference, or null: `nullable` beside a reference allows no null, since the referenced schema does not. */
function orNull(schema: Schema, all: Schemas): Schema {
  const { allOf, nullable: _, ...rest } = schema
  const [part] = allOf as Schema[]
  const target = all[nameOf(part?.$ref) ?? '']
  const isPlain = target !== undefined && 'type' in target && target.type !== 'object'
  return isPlain ? nullable({ ...target, ...rest }) : { ...rest, anyOf: [part, NULL] }
}

/**
 * Mends what the generator writes and OpenAPI 3.0.3 does not read as it is meant: `nullable` beside a reference, and a
 * description beside one, which is ignored.
 */
function mend(value: unknown, all: Schemas): unknown {
  if (Array.isArray(value)) return value.map((each) => mend(each, all))
  if (!isSchema(value)) return value
  const { $ref, ...rest } = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mend(member, all)]))
  if ($ref !== undefined) return Object.keys(rest).length === 0 ? { $ref } : { allOf: [{ $ref }], ...rest }
  return 'allOf' in rest && rest.nullable === true ? orNull(rest, all) : rest
}

/** PostgreSQL accepts no U+0000 in a text, so the API accepts none in a request. */
const NO_NUL = '^[^\\u0000]*$'

/** Times that every part reads alike: four digits of the year from 1000, nine of a fraction, zones up to 14 hours. */
const TIME =
  '^[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-5][0-9]([.][0-9]{1,9})?(Z|[+-](0[0-9]|1[0-3]):[0-5][0-9])$'

const isTime = ({ type, format, pattern }: Schema): boolean =>
  type === 'string' && format === 'date-time' && pattern === undefined

/** Says of each text of a request without a form of its own that it must not contain U+0000, and how a time is written. */
function withoutNul(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNul)
  if (!isSchema(value)) return value
  if (isTime(value)) return { ...value, pattern: TIME }
  const isFree = value.type === 'string' && !['pattern', 'format', 'enum', 'allOf'].some((name) => name in value)
  const members = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutNul(member)]))
  return isFree ? { ...members, pattern: NO_NUL } : members
}

/** Names of the schemas that these refer to, directly or through others. */
export function namesIn(value: unknown, all: Schemas, found = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null) return found
  const name = nameOf((value as Schema).$ref)
  if (name !== undefined && !found.has(name)) namesIn(all[name], all, found.add(name))
  for (const member of Object.values(value)) namesIn(member, all, found)
  return found
}

/** The generated schemas, with those that the areas give in place of them or besides them. */
export function completeSchemas(generated: Schemas, given: Schemas, requests: readonly unknown[]): Schemas {
  const all: Schemas = {
    ...generated,
    ...Object.fromEntries(
      Object.entries(given).map(([name, schema]) => {
        const description = generated[name]?.description
        return [name, description === undefined ? schema : { description, ...schema }]
      }),
    ),
  }
  const sent = namesIn(requests, all)
  return Object.fromEntries(
    Object.entries(all).map(([name, schema]) => {
      const mended = mend(schema, all)
      return [name, (sent.has(name) ? withoutNul(mended) : mended) as Schema]
    }),
  )
}

/** The schema of a response. */
export const completeSchema = (schema: Schema, all: Schemas): Schema => mend(schema, all) as Schema

/** The schema of a parameter. */
export const completeParameter = (schema: Schema, all: Schemas): Schema => withoutNul(mend(schema, all)) as Schema
