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
import type { Json } from '../../protocol/json.ts'
import type { Dependencies } from '../dependencies.ts'
import { addLogEntry } from '../frame/log-entries.ts'
import { OutboundFault } from '../frame/outbound/faults.ts'
import type { Outbound } from '../frame/outbound/index.ts'
import { createHostSlots } from '../frame/outbound/slots.ts'
import type { Sealer } from '../frame/sealing.ts'
import { createSourceCall, type SourceCall } from './call.ts'
import { CallFailed } from './failures.ts'
import { openAuthorization } from './records.ts'
import { createTokens } from './tokens.ts'

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

/** Of one tenant in one process: a slow source of one tenant takes no place of others. */
const PER_TENANT = { perHost: 16, waiting: 64 }

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
  const tenants = createHostSlots(PER_TENANT)

  async function attempt(tenantId: string, call: SourceCall): Promise<Attempt> {
    const began = performance.now()
    const waiting = new AbortController()
    const timer = setTimeout(() => waiting.abort(new OutboundFault('busy', reasonOf('busy'))), call.timeoutMs)
    try {
      return {
        claims: await tenants.run(tenantId, waiting.signal, () => {
          clearTimeout(timer)
          return callSource({ ...call, timeoutMs: Math.max(1, call.timeoutMs - (performance.now() - began)) })
        }),
      }
    } catch (error) {
      if (error instanceof CallFailed) return { failure: error.failure }
      if (error instanceof OutboundFault) return { failure: busy() }
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  /** Repeats what may pass, for as long as somebody waits for it. Whoever comes late, after an outage, makes one attempt. */
  async function untilOver(subject: ClaimsSubject, call: Omit<SourceCall, 'timeoutMs'>): Promise<ClaimsOutcome> {
    const patience = now().getTime() + patienceMs
    const until = Math.min(patience, subject.until === undefined ? patience : Date.parse(subject.until))
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
     */
    async fetchClaims(subject: ClaimsSubject): Promise<ClaimsOutcome> {
      const { tenantId, claimSourceId: id } = subject
      const source = await inTenant(database.tenants, tenantId, (em) => em.findOne(ClaimSource, { id }))
      const outcome = source ? await fetchFrom(subject, source) : endedBefore(NOT_FOUND)
      await record(subject, outcome)
      return outcome
    },
  }
}

export type ClaimFetcher = ReturnType<typeof createClaimFetcher>
