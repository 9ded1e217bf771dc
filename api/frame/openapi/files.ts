import { isObject } from '../../../protocol/json.ts'
import type { FileForm } from './document.ts'
import type { Content } from './generated.ts'
import type { Schema, Schemas } from './schemas.ts'

/** The part of a form that is the file. */
export const FILE_PART = 'file'
export const FILE_BYTES = 1024 * 1024

const without = (names: unknown, name: string): unknown[] =>
  Array.isArray(names) ? names.filter((each) => each !== name) : []

const targetOf = (schema: Schema | undefined, schemas: Schemas): Schema | undefined =>
  typeof schema?.$ref === 'string' ? schemas[schema.$ref.replace('#/components/schemas/', '')] : schema

/** The parts of a form: the file, and the members of the JSON body but the one that the file stands for. */
export function propertiesWithFile(
  { replaces, description }: FileForm,
  json: Schema | undefined,
  schemas: Schemas,
): Record<string, unknown> {
  const { properties } = targetOf(json, schemas) ?? {}
  const others = Object.entries(isObject(properties) ? properties : {}).filter(([name]) => name !== replaces)
  return { [FILE_PART]: { type: 'string', format: 'binary', description }, ...Object.fromEntries(others) }
}

/** The form of an operation that takes a file in place of one member of its JSON body. */
export function formWithFile(form: FileForm, json: Schema | undefined, schemas: Schemas): Content {
  const schema: Schema = {
    type: 'object',
    required: [FILE_PART, ...without(targetOf(json, schemas)?.required, form.replaces)],
    properties: propertiesWithFile(form, json, schemas),
    additionalProperties: false,
  }
  const encoding = { [FILE_PART]: { contentType: form.types.join(', ') } }
  return { 'multipart/form-data': { schema, encoding, example: { [FILE_PART]: '<the file>' } } }
}
