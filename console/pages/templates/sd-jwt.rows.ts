import { belowClaims, type Claim, isObject, type Json, objectsIn } from './claims.ts'
import { emptyRow, type Row, typed, valueIn } from './rows.ts'

/** Stands for every element of an array in a path as it is typed. */
const EVERY = '[]'

type Path = (string | null)[]

const isPath = (value: unknown): value is Path =>
  Array.isArray(value) && value.every((step) => step === null || typeof step === 'string')

/** A path as it is typed: names with dots between them, and [] for every element of an array. */
const textOfPath = (path: Path): string => path.map((step) => step ?? EVERY).join('.')

/** What was typed as a path. */
export const pathIn = (text: string): Path => text.split('.').map((step) => (step === EVERY ? null : step))

/** Whether the text of the path says the same as the path. */
const isTypeable = (path: Path): boolean =>
  path.every((step) => step === null || (step !== '' && step !== EVERY && !step.includes('.')))

function rowOf(claim: unknown): Row | undefined {
  if (!isObject(claim) || !isPath(claim.path) || !isTypeable(claim.path)) return undefined
  const { path, map_from: from, default_value: byDefault, required, disclosure, display } = claim
  return {
    ...emptyRow(),
    name: textOfPath(path),
    from: typeof from === 'string' ? from : '',
    isRequired: required === true,
    byDefault: typed(byDefault),
    isAlways: disclosure === 'always',
    ...(display !== undefined && { display }),
  }
}

/** The rows of the claims of a template, and the claims that no row can show: those stay as they are. */
export function sdJwtRowsOf(claims: unknown): { rows: Row[]; others: Json } {
  const all: unknown[] = Array.isArray(claims) ? claims : []
  const rest = all.filter((claim) => !rowOf(claim))
  return { rows: all.flatMap((claim) => rowOf(claim) ?? []), others: rest.length > 0 ? { claims: rest } : {} }
}

const isSourced = ({ name, from, byDefault }: Row): boolean =>
  from !== '' || byDefault !== '' || !pathIn(name).includes(null)

/** Whether the row says only how a part of another claim is disclosed: then it has no source of its own. */
export const isPart = ({ name, from, byDefault }: Row, rows: readonly Row[]): boolean =>
  from === '' &&
  byDefault === '' &&
  (pathIn(name).includes(null) || rows.some((other) => name.startsWith(`${other.name}.`) && isSourced(other)))

function claimOf(row: Row, rows: readonly Row[]): Json {
  const { name, from, byDefault, isRequired, isAlways, display } = row
  const path = pathIn(name)
  const hasSource = !isPart(row, rows)
  const source = from || (byDefault === '' ? `claims.${name}` : '')
  return {
    path,
    ...(hasSource && source && { map_from: source }),
    ...(hasSource && byDefault !== '' && { default_value: valueIn(byDefault) }),
    ...(hasSource && isRequired && { required: true }),
    disclosure: isAlways ? 'always' : 'selectively',
    ...(display !== undefined && { display }),
  }
}

export const sdJwtClaimsIn = (rows: readonly Row[], others: Json): Json[] => [
  ...rows.map((row) => claimOf(row, rows)),
  ...objectsIn(others.claims),
]

/** The claims that a request gives, for forms and lists. */
export function claimsOfSdJwt(claims: readonly unknown[]): Claim[] {
  return claims.flatMap((claim): Claim[] => {
    if (!isObject(claim) || !isPath(claim.path)) return []
    const { map_from: from, default_value: defaultValue, required, disclosure } = claim
    const path = typeof from === 'string' ? belowClaims(from) : undefined
    const type = typeof defaultValue === 'number' ? 'number' : typeof defaultValue === 'boolean' ? 'boolean' : undefined
    return [
      {
        name: textOfPath(claim.path),
        ...(path !== undefined && { path }),
        isRequired: required === true,
        isSelective: disclosure !== 'always',
        ...(defaultValue !== undefined && defaultValue !== null && { defaultValue }),
        ...(type && { type }),
      },
    ]
  })
}
