import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { SqlEntityManager } from '@mikro-orm/postgresql'

const folder = new URL('./', import.meta.url)

interface SqlFunction {
  name: string
  text: string
  /** Digest of the arguments and of the type that is returned. */
  signature: string
}

/** Throws unless a file begins with the one function that it is named for. */
function parseFunction(file: string): SqlFunction {
  const text = readFileSync(new URL(file, folder), 'utf8')
  const name = file.replace(/\.sql$/, '')
  const [, head] = new RegExp(`^create or replace function ${name}(\\([\\s\\S]*?)\\nlanguage `, 'm').exec(text) ?? []
  if (!head) throw new Error(`entities/functions/${file} does not create the function ${name}.`)
  const signature = createHash('sha256').update(head.replaceAll(/\s+/g, ' ')).digest('hex')
  return { name, text, signature }
}

const readFunctions = (): SqlFunction[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map(parseFunction)

/** The comment of a function says that it is ours, and the signature that it was created with. */
const MARK = 'countersign function '

/** Functions of ours, and functions of others that have a name of ours. */
const STANDING = `select p.proname as name, p.oid::regprocedure::text as place,
  obj_description(p.oid, 'pg_proc') as comment
from pg_proc p where p.pronamespace = 'public'::regnamespace
  and (p.proname = any (string_to_array(?, ' ')) or starts_with(obj_description(p.oid, 'pg_proc'), ?))`

interface StandingFunction {
  name: string
  place: string
  comment: string | null
}

/**
 * Brings the functions to their current text, within the caller's transaction. PostgreSQL replaces a function of the same
 * signature; one with another signature, and one that there is no file for any more, is dropped. Safe to repeat.
 */
export async function applyFunctions(em: SqlEntityManager): Promise<void> {
  const functions = readFunctions()
  const current = new Map(functions.map(({ name, signature }) => [name, `${MARK}${signature}`]))
  const names = [...current.keys()].join(' ')
  for (const { name, place, comment } of await em.execute<StandingFunction[]>(STANDING, [names, MARK]))
    if (current.get(name) !== comment) await em.execute(`drop function ${place}`)
  for (const { name, text } of functions) {
    await em.execute(text)
    await em.execute(`comment on function ${name} is '${current.get(name)}'`)
  }
}
