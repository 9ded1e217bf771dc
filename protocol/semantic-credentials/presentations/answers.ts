import type { Json } from '../../data-integrity/index.ts'
import { excerpt, Refusal } from '../../errors.ts'
import { isObject, listOf } from '../../json.ts'
import { foreseen } from '../reasons.ts'
import type { CredentialQuery } from './asked.ts'
import {
  type Check,
  expectedDomains,
  failed,
  type PresentationToVerify,
  passed,
  signaturesOf,
  signerOf,
  skipped,
} from './checks.ts'
import { isEnveloped, withoutEnvelopes } from './envelopes.ts'
import { ofHolder } from './holder.ts'
import { credentialsIn } from './index.ts'
import { mismatch } from './matching.ts'
import type { PresentationQuery } from './queries.ts'

/** The expected challenge, in every proof (VC Data Integrity 1.0, section 4.4). */
export function challengeChecks(request: PresentationToVerify): Check[] {
  const { challenge, requireChallenge } = request
  const [first] = signaturesOf(request)
  if (!first) return [skipped('challenge', 'The presentation has no proof.')]
  if (challenge === undefined && requireChallenge)
    return [
      failed(
        'challenge',
        'The tenant requires a challenge (requireChallenge). Send the expected one with the request.',
      ),
    ]
  if (challenge === undefined)
    return [skipped('challenge', `No challenge was expected; the proof has ${excerpt(first.proof.challenge)}.`)]
  return signaturesOf(request).map(({ proof, pathOf }) =>
    proof.challenge === challenge
      ? passed('challenge', 'The proof has the expected challenge.', pathOf('challenge'))
      : failed(
          'challenge',
          `The proof has the challenge ${excerpt(proof.challenge)}, not the expected one.`,
          pathOf('challenge'),
        ),
  )
}

/** The expected domains: the caller's, and those of the requests. A proof may have several. */
export function domainChecks(request: PresentationToVerify): Check[] {
  const { requireDomain } = request
  const expected = expectedDomains(request)
  const [first] = signaturesOf(request)
  if (!first) return [skipped('domain', 'The presentation has no proof.')]
  if (expected.length === 0 && requireDomain)
    return [failed('domain', 'The tenant requires a domain (requireDomain). Send the expected one with the request.')]
  if (expected.length === 0)
    return [skipped('domain', `No domain was expected; the proof has ${excerpt(first.proof.domain)}.`)]
  return signaturesOf(request).map(({ proof, pathOf }) => {
    const missing = expected.find((each) => !listOf(proof.domain).includes(each))
    return missing === undefined
      ? passed('domain', `The proof has the domain ${excerpt(expected.join(', '))}.`, pathOf('domain'))
      : failed(
          'domain',
          `The proof has the domain ${excerpt(proof.domain)}, not ${excerpt(missing)}.`,
          pathOf('domain'),
        )
  })
}

/** A request accepts one presentation, until it expires. */
export function requestChecks({ asked }: PresentationToVerify): Check[] {
  const requests = asked.flatMap(({ request }) => request ?? [])
  if (requests.length === 0) return [skipped('request', 'No request of this tenant has the challenge.')]
  return requests.map(({ id, state }) => {
    if (state === 'used') return failed('request', `The request ${id} was answered before: its challenge is used.`)
    if (state === 'expired') return failed('request', `The request ${id} has expired.`)
    return passed('request', `The presentation answers the request ${id}.`)
  })
}

/** Runs checks one after the other: a single presentation must not fill the queue of the threads. */
async function inTurn<T>(items: T[], check: (item: T) => Promise<Check[]>): Promise<Check[]> {
  const checks: Check[] = []
  for (const item of items) checks.push(...(await check(item)))
  return checks
}

/** Returns why a credential does not match a query. Compares names first, which is cheap, and then their meaning. */
async function reasonOf(
  query: CredentialQuery,
  candidate: Json,
  request: PresentationToVerify,
): Promise<string | undefined> {
  const credential = ofHolder(query, candidate, request)
  const difference = mismatch(query, credential)
  if (difference !== undefined) return difference
  try {
    if (await request.means({ pattern: query.pattern, credential })) return undefined
    return 'its names mean something else than the contexts of the query say'
  } catch (error) {
    if (!foreseen(error) || (error instanceof Refusal && error.code === 'credential.too_complex')) throw error
    return error.message
  }
}

async function credentialQueryCheck(query: CredentialQuery, request: PresentationToVerify): Promise<Check> {
  const mismatches: { path: string; reason: string }[] = []
  for (const { credential, path } of credentialsIn(withoutEnvelopes(request.presentation))) {
    if (!isObject(credential) || isEnveloped(credential)) continue
    const reason = await reasonOf(query, credential, request)
    if (reason === undefined) return passed('query', `${path} matches the query.`, query.path)
    mismatches.push({ path, reason })
  }
  if (!query.required) return skipped('query', 'No credential matches the query, and it requires none.', query.path)
  const reasons = mismatches.slice(0, 3).map(({ path, reason }) => `${path}: ${reason}`)
  const evidence = `No credential matches the query. ${reasons.length > 0 ? `${reasons.join('; ')}.` : 'The presentation has none.'}`
  return failed('query', evidence, query.path)
}

async function queryCheck(query: PresentationQuery, request: PresentationToVerify): Promise<Check[]> {
  if (query.type === 'DCQL')
    return [
      failed(
        'query',
        'The credentials of DCQL are not in a presentation: a sign-in or a request by OpenID4VP asks for them.',
        query.path,
      ),
    ]
  if (query.type !== 'DIDAuth')
    return inTurn(query.credentialQuery, async (each) => [await credentialQueryCheck(each, request)])
  const [first] = signaturesOf(request)
  return first
    ? [passed('query', `The holder proof authenticates ${excerpt(signerOf(first.proof))}.`, query.path)]
    : [failed('query', 'DIDAuth requires a proof of the holder, and there is none.', query.path)]
}

/** The queries of the requests and the template, one by one. */
export async function queryChecks(request: PresentationToVerify): Promise<Check[]> {
  const queries = request.asked.flatMap((each) => each.queries)
  if (queries.length === 0) return [skipped('query', 'The call names no request and no template.')]
  return inTurn(queries, (query) => queryCheck(query, request))
}
