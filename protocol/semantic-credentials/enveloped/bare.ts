import { CONTEXT } from '../../contexts/urls.ts'
import { type Json, listOf } from '../../json.ts'
import type { EnvelopeFault } from './opened.ts'

/** What stands beside the envelope is not signed, and whoever reads it would take it for what the envelope says. */
const MEMBERS = ['@context', 'id', 'type']

/**
 * What forbids that an object is read by the envelope in its `id`: the one rule of what may stand around an envelope (VC
 * Data Model 2.0, sections 4.12 and 4.13; D-950). `name`: the type that it must have.
 */
export function bareFault(envelope: Json, name: string): EnvelopeFault | undefined {
  const more = Object.keys(envelope).find((member) => !MEMBERS.includes(member))
  if (more !== undefined)
    return {
      code: 'envelope.members',
      message: `An ${name} has no member ${more.slice(0, 100)}: what is not in the envelope is not signed.`,
    }
  if (!listOf(envelope['@context']).includes(CONTEXT.credentialsV2))
    return { code: 'envelope.context', message: `The @context of an ${name} must have ${CONTEXT.credentialsV2}.` }
  if (listOf(envelope.type).join() !== name)
    return { code: 'envelope.members', message: `The only type of an object with an envelope must be ${name}.` }
  if (typeof envelope.id !== 'string' || !envelope.id.startsWith('data:'))
    return { code: 'envelope.url', message: `The id of an ${name} must be a data: URL with a media type.` }
  return undefined
}
