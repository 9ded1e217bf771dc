import { Problem } from '../../../client/index.ts'
import { isExactNumber } from './numbers.ts'

/** What the page itself refuses, said at the field as what the platform refuses. */
export const refusedAt = (path: string, code: string, message: string): Problem =>
  new Problem(new Response(null, { status: 400 }), { detail: message, errors: [{ path, code, message }] })

/** Thrown for a number that would be sent as another one: its digits are more than a double has (D-155). */
export class Inexact extends Error {
  constructor(readonly literal: string) {
    super(literal)
  }
}

/** Texts, which may contain what looks like a number, and numbers. */
const TOKENS = /"(?:[^"\\]|\\.)*"|(-?\d[\d.eE+-]*)/g

/** JSON that somebody typed. Throws `Inexact`, and `SyntaxError` where it is none. */
export function parseTyped(text: string): unknown {
  const value: unknown = JSON.parse(text)
  for (const [, literal] of text.matchAll(TOKENS))
    if (literal !== undefined && !isExactNumber(literal)) throw new Inexact(literal)
  return value
}

/** Whether it is JSON with a number that would be sent as another one. */
export function isInexact(text: string): boolean {
  try {
    parseTyped(text)
    return false
  } catch (error) {
    return error instanceof Inexact // other texts are no JSON
  }
}

export interface JsonRules {
  /** What is said where it is no JSON. */
  rule: string
  /** The same where a number of it has too many digits. */
  inexact: string
}
