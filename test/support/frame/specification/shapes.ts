import { document, type Schema } from '../openapi.ts'

interface Branching extends Schema {
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
}

/** What a schema says of a member: whether it is required, and may be null; `open` when it takes any member. */
export type Found = { required: boolean; nullable: boolean } | 'open' | undefined

/** A schema and all that it is made of. */
function branches(schema: Branching | undefined): Branching[] {
  if (!schema) return []
  if (schema.$ref) return branches(document.components.schemas[schema.$ref.replace('#/components/schemas/', '')])
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]
  return parts.length > 0 ? [schema, ...parts.flatMap((part) => branches(part))] : [schema]
}

const hasShape = ({ properties, items, anyOf, oneOf, allOf }: Branching) =>
  Boolean(properties ?? items ?? anyOf ?? oneOf ?? allOf)

const isOpen = (branch: Branching) =>
  (branch.type === undefined || branch.type === 'object') &&
  (Boolean(branch.additionalProperties) || (!hasShape(branch) && branch.enum === undefined))

const isNullable = (schema: Branching | undefined) => branches(schema).some(({ nullable }) => nullable === true)

/** `a[].b` as the steps that lead there. */
const stepsOf = (place: string) => place.replaceAll('[]', '.[]').split('.')

function find(schema: Schema | undefined, [step = '', ...rest]: string[]): Found {
  let open = false
  let found: { required: boolean; nullable: boolean } | undefined
  for (const branch of branches(schema)) {
    const next = step === '[]' ? branch.items : branch.properties?.[step]
    if (!next) {
      open ||= isOpen(branch)
      continue
    }
    const own = {
      required: step === '[]' || (branch.required ?? []).includes(step),
      nullable: isNullable(next) || next.nullable === true,
    }
    const deeper = rest.length === 0 ? own : find(next, rest)
    if (deeper === 'open') open = true
    else if (deeper)
      found = {
        required: deeper.required || Boolean(found?.required),
        nullable: deeper.nullable || Boolean(found?.nullable),
      }
  }
  return found ?? (open ? 'open' : undefined)
}

export interface Member {
  place: string
  /** As `Row` explains them. */
  mark: '' | '?' | '^' | '~'
}

const MARKS = ['?', '^', '~'] as const

export const membersOf = (words: string): Member[] =>
  words
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => {
      const mark = MARKS.find((each) => word.endsWith(each)) ?? ''
      return { place: mark ? word.slice(0, -1) : word, mark }
    })

/** Members that a request's schema does not have as the specification has them, each with what is different. */
export const wrongInRequest = (schema: Schema | undefined, words: string): string[] =>
  membersOf(words).flatMap(({ place, mark }) => {
    const found = find(schema, stepsOf(place))
    if (found === 'open') return place.includes('.') ? [] : [`${place} is not named`]
    if (!found) return [`${place} is missing`]
    if (mark === '' && !found.required) return [`${place} is not required`]
    if (mark !== '' && found.required) return [`${place} is required`]
    if (mark === '^' && !found.nullable) return [`${place} is not nullable`]
    return []
  })

export const wrongInAnswer = (schema: Schema | undefined, words: string): string[] =>
  membersOf(words).flatMap(({ place, mark }) => {
    const found = find(schema, stepsOf(place))
    if (found === 'open') return place.includes('.') ? [] : [`${place} is not named`]
    if (!found) return [`${place} is missing`]
    return mark === '' && !found.required ? [`${place} is not always there`] : []
  })

/** Members that an answer should have and does not; of lists in their first row, of what is absent nothing. */
export const absentIn = (answer: unknown, words: string): string[] =>
  membersOf(words)
    .filter(({ place, mark }) => (mark === '' || mark === '~') && isAbsent(answer, stepsOf(place)))
    .map(({ place }) => place)

function isAbsent(value: unknown, [step = '', ...rest]: string[]): boolean {
  if (step === '[]') return Array.isArray(value) && value.length > 0 && rest.length > 0 && isAbsent(value[0], rest)
  if (typeof value !== 'object' || value === null) return false // an outer member is absent, or a text
  if (!Object.hasOwn(value, step)) return rest.length === 0
  const next: unknown = Reflect.get(value, step)
  return rest.length > 0 && isAbsent(next, rest)
}
