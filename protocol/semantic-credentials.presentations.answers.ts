import { isObject, listOf } from './json.ts'
import type { CredentialQuery } from './semantic-credentials.presentations.asked.ts'
import {
  type Check,
  failed,
  type PresentationToVerify,
  passed,
  proofsOf,
  shown,
  signerOf,
  skipped,
} from './semantic-credentials.presentations.checks.ts'
import { mismatch } from './semantic-credentials.presentations.matching.ts'
import type { PresentationQuery } from './semantic-credentials.presentations.queries.ts'
import { heldCredentials, isEnveloped } from './semantic-credentials.presentations.ts'

/** The expected challenge, in every proof (VC Data Integrity 1.0, section 4.4). */
export function challengeChecks({ presentation, challenge }: PresentationToVerify): Check[] {
  const [first] = proofsOf(presentation)
  if (!first) return [skipped('challenge', 'There is no proof to answer one.')]
  if (challenge === undefined)
    return [skipped('challenge', `None was expected; the proof has ${shown(first.proof.challenge)}.`)]
  return proofsOf(presentation).map(({ proof, path }) =>
    proof.challenge === challenge
      ? passed('challenge', 'The proof answers the expected challenge.', `${path}/challenge`)
      : failed('challenge', `The proof answers ${shown(proof.challenge)}, not the expected one.`, `${path}/challenge`),
  )
}

/** The caller's domain and that of what was asked; a proof may be made for several. */
export function domainChecks({ presentation, domain, asked }: PresentationToVerify): Check[] {
  const expected = [...new Set([domain, ...asked.map((each) => each.domain)])].filter((each) => each !== undefined)
  const [first] = proofsOf(presentation)
  if (!first) return [skipped('domain', 'There is no proof to be made for one.')]
  if (expected.length === 0)
    return [skipped('domain', `None was expected; the proof has ${shown(first.proof.domain)}.`)]
  return proofsOf(presentation).map(({ proof, path }) => {
    const missing = expected.find((each) => !listOf(proof.domain).includes(each))
    return missing === undefined
      ? passed('domain', `The proof is made for ${shown(expected.join(', '))}.`, `${path}/domain`)
      : failed('domain', `The proof is made for ${shown(proof.domain)}, not for ${shown(missing)}.`, `${path}/domain`)
  })
}

/** A request takes one answer, in its time. */
export function requestChecks({ asked }: PresentationToVerify): Check[] {
  const requests = asked.flatMap(({ request }) => request ?? [])
  if (requests.length === 0) return [skipped('request', 'The challenge is that of no request of this tenant.')]
  return requests.map(({ id, state }) => {
    if (state === 'used') return failed('request', `The request ${id} was answered already: its challenge is used.`)
    if (state === 'expired') return failed('request', `The request ${id} has expired.`)
    return passed('request', `The presentation answers the request ${id}.`)
  })
}

function askedCheck(query: CredentialQuery, { presentation }: PresentationToVerify): Check {
  const held = heldCredentials(presentation).flatMap(({ held, path }) =>
    isObject(held) && !isEnveloped(held) ? [{ path, mismatch: mismatch(query, held) }] : [],
  )
  const fitting = held.find((each) => each.mismatch === undefined)
  if (fitting) return passed('query', `${fitting.path} is what it asks for.`, query.path)
  if (!query.required) return skipped('query', 'No credential answers it, and none has to.', query.path)
  const why = held.slice(0, 3).map((each) => `${each.path}: ${each.mismatch}`)
  const evidence = `No credential answers it. ${why.length > 0 ? `${why.join('; ')}.` : 'The presentation holds none.'}`
  return failed('query', evidence, query.path)
}

function queryCheck(query: PresentationQuery, request: PresentationToVerify): Check[] {
  if (query.type !== 'DIDAuth') return query.credentialQuery.map((each) => askedCheck(each, request))
  const [first] = proofsOf(request.presentation)
  return first
    ? [passed('query', `${shown(signerOf(first.proof))} authenticates itself by the holder proof.`, query.path)]
    : [failed('query', 'DIDAuth asks for a proof of the holder, and there is none.', query.path)]
}

/** What the template asks for, query by query. */
export function queryChecks(request: PresentationToVerify): Check[] {
  const queries = request.asked.flatMap((each) => each.queries)
  if (queries.length === 0) return [skipped('query', 'No request and no template was named.')]
  return queries.flatMap((query) => queryCheck(query, request))
}
