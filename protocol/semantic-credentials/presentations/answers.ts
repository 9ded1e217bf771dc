import type { Json } from '../../data-integrity/index.ts'
import { Refusal } from '../../errors.ts'
import { isObject, listOf } from '../../json.ts'
import { foreseen } from '../reasons.ts'
import type { CredentialQuery } from './asked.ts'
import {
  type Check,
  expectedDomains,
  failed,
  type PresentationToVerify,
  passed,
  proofsOf,
  shown,
  signerOf,
  skipped,
} from './checks.ts'
import { ofHolder } from './holder.ts'
import { heldCredentials, isEnveloped } from './index.ts'
import { mismatch } from './matching.ts'
import type { PresentationQuery } from './queries.ts'

/** The expected challenge, in every proof (VC Data Integrity 1.0, section 4.4). */
export function challengeChecks({ presentation, challenge, requireChallenge }: PresentationToVerify): Check[] {
  const [first] = proofsOf(presentation)
  if (!first) return [skipped('challenge', 'There is no proof to answer one.')]
  if (challenge === undefined && requireChallenge)
    return [failed('challenge', 'The tenant requires a challenge (requireChallenge), and none was expected.')]
  if (challenge === undefined)
    return [skipped('challenge', `None was expected; the proof has ${shown(first.proof.challenge)}.`)]
  return proofsOf(presentation).map(({ proof, path }) =>
    proof.challenge === challenge
      ? passed('challenge', 'The proof answers the expected challenge.', `${path}/challenge`)
      : failed('challenge', `The proof answers ${shown(proof.challenge)}, not the expected one.`, `${path}/challenge`),
  )
}

/** The caller's domain and that of what was asked; a proof may be made for several. */
export function domainChecks(request: PresentationToVerify): Check[] {
  const { presentation, requireDomain } = request
  const expected = expectedDomains(request)
  const [first] = proofsOf(presentation)
  if (!first) return [skipped('domain', 'There is no proof to be made for one.')]
  if (expected.length === 0 && requireDomain)
    return [failed('domain', 'The tenant requires a domain (requireDomain), and none was expected.')]
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

/** One after the other: one presentation must not fill the queue of the threads. */
async function inTurn<T>(items: T[], check: (item: T) => Promise<Check[]>): Promise<Check[]> {
  const checks: Check[] = []
  for (const item of items) checks.push(...(await check(item)))
  return checks
}

/** Names first, for that costs nothing; what they mean only where they fit. */
async function misfit(query: CredentialQuery, held: Json, request: PresentationToVerify): Promise<string | undefined> {
  const credential = ofHolder(query, held, request)
  const unlike = mismatch(query, credential)
  if (unlike !== undefined) return unlike
  try {
    if (await request.means({ pattern: query.pattern, credential })) return undefined
    return 'its names mean something else than the contexts of the query say'
  } catch (error) {
    if (!foreseen(error) || (error instanceof Refusal && error.code === 'credential.too_complex')) throw error
    return error.message
  }
}

async function askedCheck(query: CredentialQuery, request: PresentationToVerify): Promise<Check> {
  const held: { path: string; mismatch: string }[] = []
  for (const { held: credential, path } of heldCredentials(request.presentation)) {
    if (!isObject(credential) || isEnveloped(credential)) continue
    const mismatch = await misfit(query, credential, request)
    if (mismatch === undefined) return passed('query', `${path} is what it asks for.`, query.path)
    held.push({ path, mismatch })
  }
  if (!query.required) return skipped('query', 'No credential answers it, and none has to.', query.path)
  const why = held.slice(0, 3).map((each) => `${each.path}: ${each.mismatch}`)
  const evidence = `No credential answers it. ${why.length > 0 ? `${why.join('; ')}.` : 'The presentation holds none.'}`
  return failed('query', evidence, query.path)
}

async function queryCheck(query: PresentationQuery, request: PresentationToVerify): Promise<Check[]> {
  if (query.type !== 'DIDAuth') return inTurn(query.credentialQuery, async (each) => [await askedCheck(each, request)])
  const [first] = proofsOf(request.presentation)
  return first
    ? [passed('query', `${shown(signerOf(first.proof))} authenticates itself by the holder proof.`, query.path)]
    : [failed('query', 'DIDAuth asks for a proof of the holder, and there is none.', query.path)]
}

/** What the template asks for, query by query. */
export async function queryChecks(request: PresentationToVerify): Promise<Check[]> {
  const queries = request.asked.flatMap((each) => each.queries)
  if (queries.length === 0) return [skipped('query', 'No request and no template was named.')]
  return inTurn(queries, (query) => queryCheck(query, request))
}
