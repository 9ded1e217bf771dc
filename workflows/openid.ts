import {
  allHandlersFinished,
  condition,
  continueAsNew,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
  sleep,
} from '@temporalio/workflow'
import type { ClaimFetcher } from '../activities/claim-sources/fetch.ts'
import type { RequestExpiry } from '../activities/openid/presentations/expiry.ts'
import type { Issuances } from '../activities/openid/sessions/issue.ts'
import type { SessionLooks } from '../activities/openid/sessions/look.ts'
import type { VerifierKeyRotation } from '../activities/openid/verifiers/rotation.ts'
import type { Json } from '../protocol/json.ts'
import type { PendingIssuance, SessionLook, SessionSubject } from '../protocol/openid/oid4vci/session.ts'
import type { Payload } from '../protocol/workflows.ts'
import { atOnceOr } from './at-once.ts'
import { signalOf, updateOf } from './contract.ts'
import { atOnce, outward, quick, refusalOf, sweeping } from './options.ts'
import { createProgressLine } from './progress.ts'

const { lookAtOpenIdSession, failOpenIdIssuance } = proxyActivities<SessionLooks & Issuances>(quick)
const { issueOpenIdCredential } = proxyActivities<Issuances>(outward)
const { fetchClaims } = proxyActivities<ClaimFetcher>(outward)
const { expirePresentationRequest } = proxyActivities<RequestExpiry>(quick)
const verifiers = proxyActivities<VerifierKeyRotation>(sweeping)
const local = proxyLocalActivities<SessionLooks & Issuances>(atOnce)

/** A step of the session is in its row: a token was given, a notification came, an operator has something tried again. */
const changed = signalOf('issueOpenIdCredentials', 'changed')
/** A wallet waits for what it has asked for. */
const proceed = updateOf('issueOpenIdCredentials', 'proceed')

const NOT_NOW = 'The issuer cannot issue the credential. Contact the issuer.'

/** An issuance has about twenty events; Temporal takes 2,000 updates in a run. */
const LOOKS_PER_RUN = 200

/** Rows are read and keys sign within the workflow's task: a session with an activity for each took Temporal twice the time. */
const lookAt = (subject: SessionSubject): Promise<SessionLook> =>
  atOnceOr(
    'look at the session',
    () => local.lookAtOpenIdSession(subject),
    () => lookAtOpenIdSession(subject),
  )

const sign = (issuance: Parameters<Issuances['issueOpenIdCredential']>[0]): Promise<unknown> =>
  atOnceOr(
    'issue the credential',
    () => local.issueOpenIdCredential(issuance).then(() => true),
    () => issueOpenIdCredential(issuance).then(() => true),
  )

type Fetched = { claims?: Json } | { failure: { code: string; message: string; forWallet: string } }

async function claimsFor({ source }: PendingIssuance): Promise<Fetched> {
  if (!source) return {}
  const outcome = await fetchClaims(source)
  if (outcome.state === 'fetched') return { claims: outcome.claims }
  const { failure, forWallet } = outcome
  return { failure: { code: `claim_source.${failure.code}`, message: `${failure.part}: ${failure.reason}`, forWallet } }
}

/** Fetches claims, then signs and records. A refusal ends the attempt; the wallet and the operator may repeat it. */
async function issue(subject: SessionSubject, pending: PendingIssuance): Promise<void> {
  const issuance = { ...subject, issuanceId: pending.issuanceId }
  try {
    const fetched = await claimsFor(pending)
    if ('failure' in fetched) await failOpenIdIssuance({ ...issuance, failure: fetched.failure })
    else await sign({ ...issuance, ...fetched })
  } catch (error) {
    const refusal = refusalOf(error)
    if (!refusal) throw error
    await failOpenIdIssuance({ ...issuance, failure: { ...refusal, forWallet: NOT_NOW } })
  }
}

/** One line for operators: what the session waits for. */
const lineOf = ({ sessionId }: SessionSubject, look: SessionLook): string => {
  const { state, pending, issued, offered, waitsFor = 'wallet', failures = [], nextInMs } = look
  const cause = failures.length > 0 ? ` (${failures.join(', ')})` : ''
  const count = `session ${sessionId}: ${state}${cause}, ${issued} of ${offered} issued`
  if (nextInMs === undefined) return count
  const waits = pending.length > 0 ? `issues ${pending.length}` : `waits for the ${waitsFor}`
  return `${count}, ${waits} until ${new Date(Date.now() + nextInMs).toISOString()}`
}

/** The line is a new one with each of these; its time alone makes none. */
const markOf = ({ state, issued, pending, waitsFor = '', failures = [] }: SessionLook): string =>
  [state, issued, pending.length, waitsFor, ...failures].join(' ').trimEnd()

/**
 * A session from the offer to its end: waits for each step of the wallet, issues what it asks for, and ends when its time
 * is up (D-464).
 */
export async function issueOpenIdCredentials({
  looksPerRun = LOOKS_PER_RUN,
  ...subject
}: Payload<'issueOpenIdCredentials'>): Promise<SessionLook['state']> {
  const show = createProgressLine()
  let [requested, answered, isWoken] = [0, 0, false]
  setHandler(changed, () => {
    isWoken = true
  })
  setHandler(proceed, async () => {
    requested += 1
    const own = requested
    await condition(() => answered >= own)
    return undefined
  })
  for (let looks = 1; ; looks += 1) {
    isWoken = false
    const underWay = requested // a request that comes during the look gets the next one
    const look = await lookAt(subject)
    show(lineOf(subject, look), undefined, markOf(look))
    for (const pending of look.pending) await issue(subject, pending)
    answered = underWay
    if (look.nextInMs === undefined) {
      answered = Number.POSITIVE_INFINITY
      await condition(allHandlersFinished)
      return look.state
    }
    if (look.pending.length === 0) await condition(() => isWoken || requested > answered, look.nextInMs)
    if (looks < looksPerRun || requested > answered) continue
    await condition(allHandlersFinished)
    if (requested === answered) await continueAsNew<typeof issueOpenIdCredentials>({ looksPerRun, ...subject })
  }
}

/** A request for credentials until its time is over, when it ends unless a wallet has answered. */
export async function expirePresentation(subject: Payload<'expirePresentation'>): Promise<void> {
  for (;;) {
    const { nextInMs } = await expirePresentationRequest(subject)
    if (nextInMs === undefined) return
    await sleep(nextInMs)
  }
}

/** Scheduled: adds and removes keys of verifiers. */
export async function rotateVerifierKeys(): ReturnType<VerifierKeyRotation['rotateVerifierKeys']> {
  return verifiers.rotateVerifierKeys()
}
