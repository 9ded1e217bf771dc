import { isObject, listOf } from '../json.ts'
import type { FormatName } from './formats.ts'

const DECODED: readonly FormatName[] = ['compact', 'compact-semantic', 'sd-jwt-vc']

/**
 * Who a stored credential is about, each once: the ids of its subjects, and `sub` of a compact one or an SD-JWT VC. Documents that are bytes,
 * as of mobile credentials, name no subject.
 */
export function subjectIdsOf(format: FormatName, document: unknown): string[] {
  if (!isObject(document)) return []
  const content = DECODED.includes(format) ? document.decoded : document
  if (!isObject(content)) return []
  const subjects = listOf(content.credentialSubject).map((subject) => (isObject(subject) ? subject.id : undefined))
  const named = DECODED.includes(format) ? [content.sub, ...subjects] : subjects
  return [...new Set(named)].filter((id): id is string => typeof id === 'string' && id !== '')
}
