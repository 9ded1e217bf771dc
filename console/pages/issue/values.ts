import { isExactNumber } from '../../frame/forms/numbers.ts'
import { refusedAt } from '../../frame/forms/typed.ts'
import type { Claim, ClaimType } from '../templates/claims.ts'

/** The field of a claim, as the API names it in errors. */
export const fieldOf = (path: string): string => `claims.${path}`

/** The field that says what an untyped claim is. */
export const kindOf = (path: string): string => `kind ${path}`

const isKind = (text: unknown): text is ClaimType => text === 'number' || text === 'boolean' || text === 'text'

/** What is said of a value that is none of its kind: not every format has types by which the platform would refuse it. */
export interface ValueRules {
  notNumber: string
  notBoolean: string
}

function typedValue(text: string, type: ClaimType, path: string, rules: ValueRules): unknown {
  if (type === 'integer' || type === 'number') {
    const literal = text.replace(/^(-?)\./, '$10.') // as some browsers have it
    if (!isExactNumber(literal)) throw refusedAt(fieldOf(path), 'number', rules.notNumber)
    return Number(literal)
  }
  if (type === 'boolean') {
    if (text !== 'true' && text !== 'false') throw refusedAt(fieldOf(path), 'boolean', rules.notBoolean)
    return text === 'true'
  }
  if (type === 'dateTime') {
    const moment = new Date(text)
    return Number.isNaN(moment.getTime()) ? text : moment.toISOString().replace(/\.\d+Z$/, 'Z')
  }
  return text
}

type Claims = Record<string, unknown>

/** Objects without a prototype: every name of a claim is a member and nothing else. */
function put(target: Claims, [step = '', ...rest]: string[], value: unknown): void {
  if (rest.length === 0) {
    target[step] = value
    return
  }
  const inner = target[step]
  const next: Claims = typeof inner === 'object' && inner !== null ? (inner as Claims) : Object.create(null)
  target[step] = next
  put(next, rest, value)
}

const textIn = (form: FormData, name: string): string => {
  const value = form.get(name)
  return typeof value === 'string' ? value.trim() : ''
}

/** The claims that a form has; an empty field is an absent claim. */
export function claimsIn(form: FormData, claims: readonly Claim[], rules: ValueRules): Claims {
  const found: Claims = Object.create(null)
  for (const { path, type } of claims) {
    if (path === undefined) continue
    const text = textIn(form, fieldOf(path))
    const kind = form.get(kindOf(path))
    const its = type ?? (isKind(kind) ? kind : 'text')
    if (text !== '') put(found, path.split('.'), typedValue(text, its, path, rules))
  }
  return found
}

/** What the wallet will show of each claim. */
export function shownIn(form: FormData | undefined, claims: readonly Claim[]): [name: string, value: string][] {
  return claims.flatMap(({ name, path, defaultValue }): [string, string][] => {
    const typed = path === undefined || !form ? '' : textIn(form, fieldOf(path))
    const fixed =
      defaultValue === undefined ? '' : typeof defaultValue === 'string' ? defaultValue : JSON.stringify(defaultValue)
    return typed || fixed ? [[name, typed || fixed]] : []
  })
}
