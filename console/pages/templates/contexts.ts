import { Problem } from '../../../client/index.ts'
import { parseTyped } from '../../frame/forms/typed.ts'
import { api } from '../../frame/session.ts'
import { definitionIn, isObject, type Json } from './claims.ts'

export const BASE_CONTEXTS = ['https://www.w3.org/ns/credentials/v2', 'https://www.w3.org/2018/credentials/v1']

/** A context by line: an address, or an object as JSON. */
export const linesOf = (contexts: unknown): string[] =>
  (contexts === undefined || contexts === null ? [] : [contexts].flat()).map((each) =>
    typeof each === 'string' ? each : JSON.stringify(each),
  )

/** Lines as contexts; a line that is no JSON, or has a number that JSON does not hold, stays a text, which the platform refuses with its place. */
export function contextsIn(text: string): unknown[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line): unknown => {
      if (!line.startsWith('{')) return line
      try {
        return parseTyped(line)
      } catch {
        return line // named by the platform
      }
    })
}

/** What a name means, by the platform's own reading of the contexts. */
export interface Meaning {
  term: string
  /** Undefined: no context defines it. */
  url?: string
  by: 'own' | 'vocabulary' | 'address' | 'none'
}

const MOST_TERMS = 200
const MOST_TRIES = 20
const SUBJECT = 'urn:countersign:subject'
const markerOf = (at: number) => `urn:countersign:claim:${at}`

const withBase = (contexts: unknown[]): unknown[] =>
  BASE_CONTEXTS.some((base) => base === contexts[0]) ? contexts : [BASE_CONTEXTS[1], ...contexts]

/** Which context is the nearest one that says so. */
function sourceOf(contexts: unknown[], term: string, url: string): Meaning['by'] {
  const inline = contexts.filter(isObject)
  if (inline.some((context) => Object.hasOwn(context, term))) return 'own'
  return inline.some((context) => context['@vocab'] !== undefined && url === `${context['@vocab']}${term}`)
    ? 'vocabulary'
    : 'address'
}

const statementsOf = async (data: Json): Promise<string> => {
  const options = { input_format: 'jsonld', output_format: 'n-quads', output_encoding: 'text' } as const
  const converted = await api.post('/v1/credentials/web-semantic/linkeddata/convert', { body: { data, options } })
  return typeof converted.data === 'string' ? converted.data : ''
}

/**
 * Has the platform read a subject with every term, and returns which URL each stands for. A type goes with them: it may
 * define terms of its own. Throws what is wrong with the contexts as a whole.
 */
export async function meaningsOf(contexts: unknown[], types: string[], terms: string[]): Promise<Meaning[]> {
  const asked = [...new Set(terms)].filter((term) => !/^($|@|id$|type$)/.test(term)).slice(0, MOST_TERMS)
  let [left, kinds] = [asked, types.filter(Boolean)]
  for (let turn = 0; turn < MOST_TRIES && left.length + kinds.length > 0; turn++) {
    const claims = Object.fromEntries(left.map((term) => [term, { '@id': markerOf(asked.indexOf(term)) }]))
    const data = { '@context': withBase(contexts), '@id': SUBJECT, '@type': kinds, ...claims }
    try {
      const text = await statementsOf(data)
      const known = types.filter(Boolean).map((term): Meaning => {
        const own = definitionIn(contexts, term)
        if (!kinds.includes(term)) return { term, by: 'none' }
        return own ? { term, url: own.meaning, by: sourceOf(contexts, term, own.meaning) } : { term, by: 'address' }
      })
      const claimed = asked.map((term): Meaning => {
        if (!left.includes(term)) return { term, by: 'none' }
        const line = text.split('\n').find((each) => each.includes(` <${markerOf(asked.indexOf(term))}> .`))
        const url = /^\S+ <([^>]*)>/.exec(line ?? '')?.[1]
        return url === undefined ? { term, by: 'none' } : { term, url, by: sourceOf(contexts, term, url) }
      })
      return [...known, ...claimed]
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'credential.term_undefined') throw error
      const paths = error.errors.map(({ path }) => path)
      const claimsLeft = left.filter((term) => !paths.includes(`data.${term}`))
      // a type that nobody defines hides no claim
      const kindsLeft = kinds.filter(
        (_, at) => !paths.some((path) => path.startsWith('data.@type') && path.endsWith(`.${at}`)),
      )
      if (claimsLeft.length + kindsLeft.length === left.length + kinds.length) throw error
      left = claimsLeft
      kinds = kindsLeft
    }
  }
  return [...types.filter(Boolean), ...asked].map((term) => ({ term, by: 'none' }))
}
