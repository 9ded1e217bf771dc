import { setTimeout as sleep } from 'node:timers/promises'
import { ClaimSource } from '../../entities/claim-sources.ts'
import { inTenant } from '../../entities/orm.ts'
import { CLAIMS_FETCHED_ENTRY } from '../../protocol/claim-sources/entries.ts'
import {
  type ClaimsFailure,
  type ClaimsOutcome,
  type ClaimsSubject,
  messageForWallet,
  reasonOf,
} from '../../protocol/claim-sources/outcome.ts'
import { parametersOf } from '../../protocol/claim-sources/parameters.ts'
import { isOutboundFault, Unavailable } from '../../protocol/errors.ts'
import type { Json } from '../../protocol/json.ts'
import type { Dependencies } from '../dependencies.ts'
import { addLogEntry } from '../frame/log-entries.ts'
import type { Outbound } from '../frame/outbound/index.ts'
import type { Sealer } from '../frame/sealing.ts'
import { createSourceCall, type SourceCall } from './call.ts'
import { CallFailed } from './failures.ts'
import { openAuthorization } from './records.ts'
import { createTokens } from './tokens.ts'
import { createFetchTurns } from './turns.ts'

interface Parts extends Pick<Dependencies, 'config' | 'database' | 'log' | 'now' | 'uuid'> {
  outbound: Outbound
  sealer: Sealer
  /** What became of each call, for the metrics. */
  claimsFetched?: ((result: FetchResult) => void) | undefined
}

/** `refused`: a rule of outbound calls, such as TLS. */
export const FETCH_RESULTS = [
  'fetched',
  'answer',
  'busy',
  'connection',
  'no_token',
  'not_called',
  'not_found',
  'not_json',
  'not_object',
  'refused',
  'secret_unusable',
  'timeout',
  'too_long',
] as const
export type FetchResult = (typeof FETCH_RESULTS)[number]

const resultOf = (outcome: ClaimsOutcome): FetchResult => {
  const code = outcome.state === 'fetched' ? outcome.state : outcome.failure.code
  return FETCH_RESULTS.find((each) => each === code) ?? 'refused'
}

/** Who waits no longer than this comes not again. */
const SOON_MS = 300

/** Without an answer of the source's side. */
const NOT_FOUND: ClaimsFailure = {
  code: 'not_found',
  part: 'claim_source',
  reason: 'the tenant has no such claim source',
  mayPass: false,
}

const SECRET_UNUSABLE: ClaimsFailure = {
  code: 'secret_unusable',
  part: 'claim_source',
  reason: 'the stored secret cannot be read; send it again with updateClaimSource',
  mayPass: false,
}

const endedBefore = (failure: ClaimsFailure): ClaimsOutcome => ({
  state: 'failed',
  attempts: 0,
  failure,
  forWallet: messageForWallet(failure),
})

const busy = (): ClaimsFailure => ({ code: 'busy', part: 'claim_source', reason: reasonOf('busy'), mayPass: true })

type Attempt = { claims: Json } | { failure: ClaimsFailure }

/** Activities that fetch the claims of a subject from a claim source. */
export function createClaimFetcher({ config, database, outbound, sealer, log, now, uuid, claimsFetched }: Parts) {
  const { timeoutMs, patienceMs, retrySeconds } = config.claimSources
  const callSource = createSourceCall({ outbound, tokens: createTokens({ outbound, now }) })
  const turns = createFetchTurns()

  /** Throws `Unavailable('outbound')`: not called. The time of the call begins with its turn. */
  async function attempt(tenantId: string, call: SourceCall): Promise<Attempt> {
    try {
      return { claims: await turns.call(tenantId, call.source.url, () => callSource(call)) }
    } catch (error) {
      if (error instanceof CallFailed) return { failure: error.failure }
      throw error
    }
  }

  /** When nobody waits any more. */
  function untilOf({ until }: ClaimsSubject): number {
    const patience = now().getTime() + patienceMs
    return Math.min(patience, until === undefined ? patience : Date.parse(until))
  }

  /** Repeats what may pass, for as long as somebody waits for it. Whoever comes late, after an outage, makes one attempt. */
  async function untilOver(subject: ClaimsSubject, call: Omit<SourceCall, 'timeoutMs'>): Promise<ClaimsOutcome> {
    const until = untilOf(subject)
    for (let attempts = 1; ; attempts += 1) {
      const left = until - now().getTime()
      const lasts = Math.min(timeoutMs, left > 0 ? left : patienceMs)
      const made = await attempt(subject.tenantId, { ...call, timeoutMs: lasts })
      if ('claims' in made) return { state: 'fetched', attempts, claims: made.claims }
      const { failure } = made
      const waitMs = (retrySeconds[attempts - 1] ?? Number.POSITIVE_INFINITY) * 1000
      if (!failure.mayPass || now().getTime() + waitMs >= until)
        return { state: 'failed', attempts, failure, forWallet: messageForWallet(failure) }
      await sleep(waitMs)
    }
  }

  async function fetchFrom(subject: ClaimsSubject, source: ClaimSource): Promise<ClaimsOutcome> {
    const held = openAuthorization(sealer, source)
    if (held && held.secret === undefined) return endedBefore(SECRET_UNUSABLE)
    const authorization = held?.secret === undefined ? null : { terms: held.terms, secret: held.secret }
    return untilOver(subject, { source, authorization, parameters: parametersOf(source.requestParameters, subject) })
  }

  /** The outcome without a turn. Throws `Unavailable` for another try, while somebody waits. */
  function withoutTurn(subject: ClaimsSubject, { retryAfterSeconds }: Unavailable): ClaimsOutcome {
    const left = untilOf(subject) - now().getTime()
    if (subject.until === undefined || left < SOON_MS) return endedBefore(busy())
    throw new Unavailable('outbound', reasonOf('busy'), Math.min(retryAfterSeconds, left / 2000))
  }

  async function outcomeOf(subject: ClaimsSubject): Promise<ClaimsOutcome> {
    const { tenantId, claimSourceId: id } = subject
    const source = await inTenant(database.tenants, tenantId, (em) => em.findOne(ClaimSource, { id }))
    return source ? fetchFrom(subject, source) : endedBefore(NOT_FOUND)
  }

  function record(subject: ClaimsSubject, outcome: ClaimsOutcome): Promise<void> {
    const { tenantId, claimSourceId, requestId, clientId } = subject
    const metadata: Record<string, string | number> = { claimSourceId, attempts: outcome.attempts }
    if (outcome.state === 'failed') {
      const { code, part, responseCode, reason } = outcome.failure
      Object.assign(metadata, { code, part, reason, ...(responseCode !== undefined && { responseCode }) })
      log.warn({ tenantId, ...metadata }, 'the claims of a subject were not fetched')
    }
    claimsFetched?.(resultOf(outcome))
    const entry = { ...CLAIMS_FETCHED_ENTRY, tenantId, requestId, clientId, metadata }
    const result = outcome.state === 'failed' ? 'FAIL' : 'SUCCESS'
    return inTenant(database.tenants, tenantId, async (em) =>
      addLogEntry(em, { now, uuid }, { ...entry, outcome: result }),
    )
  }

  return {
    /**
     * Calls a claim source for a subject, again while the fault may pass and the wallet waits. What the source's side does
     * wrong is a named result. Nothing is kept: each call asks the source. Safe to retry: a claim source is only read.
     * Throws `Unavailable('outbound')` where it has no turn yet.
     */
    async fetchClaims(subject: ClaimsSubject): Promise<ClaimsOutcome> {
      const outcome = await turns
        .activity(subject.tenantId, () => outcomeOf(subject))
        .catch((error: unknown) => {
          if (isOutboundFault(error)) return withoutTurn(subject, error)
          throw error
        })
      await record(subject, outcome)
      return outcome
    },
  }
}

export type ClaimFetcher = ReturnType<typeof createClaimFetcher>
