import { ApplicationFailure } from '@temporalio/common'
import type { Scenario } from './files.ts'

const session = { tenantId: '00000000-0000-4000-8000-000000000001', sessionId: '00000000-0000-4000-8000-000000000010' }

const issuing = (
  path: string,
  lookAtOpenIdSession: (nth: number) => unknown,
  more: Partial<Scenario> = {},
): Scenario => ({
  workflowType: 'issueOpenIdCredentials',
  path,
  payload: session,
  ...more,
  answers: { lookAtOpenIdSession, ...more.answers },
})

const pending = { issuanceId: '00000000-0000-4000-8000-000000000011' }

const fromSource = { ...pending, source: { claimSourceId: '00000000-0000-4000-8000-000000000012', claims: {} } }

const sessionWith = (state: string, more: object = {}) => ({ state, pending: [], issued: 0, offered: 1, ...more })

const refused = () => {
  throw ApplicationFailure.nonRetryable('It will not do.', 'credential_template.not_found')
}

const failingOnce = (nth: number) => {
  if (nth === 0) throw new Error('a crash')
}

const presentation = { tenantId: session.tenantId, presentationId: '00000000-0000-4000-8000-000000000013' }

/** A request for credentials whose time is over. */
export const PRESENTATION_SCENARIOS: Scenario[] = [
  {
    workflowType: 'expirePresentation',
    path: 'expired',
    payload: presentation,
    answers: { expirePresentationRequest: (nth) => (nth === 0 ? { nextInMs: 200 } : {}) },
  },
]

/** Paths of a session of a wallet. */
export const SESSION_SCENARIOS: Scenario[] = [
  issuing('timed-out', (nth) => (nth < 1 ? sessionWith('OFFERED', { nextInMs: 200 }) : sessionWith('EXPIRED'))),
  issuing(
    'issued',
    (nth) =>
      [
        sessionWith('OFFERED', { nextInMs: 60_000 }),
        sessionWith('AUTHORIZED', { nextInMs: 60_000, pending: [fromSource] }),
        sessionWith('ISSUED', { nextInMs: 100, issued: 1 }),
      ][nth] ?? sessionWith('COMPLETED', { issued: 1 }),
    {
      update: 'proceed',
      answers: {
        fetchClaims: () => ({ state: 'fetched', attempts: 1, claims: { given_name: 'Ada' } }),
        issueOpenIdCredential: failingOnce,
      },
    },
  ),
  issuing(
    'claims-not-fetched',
    (nth) =>
      [
        sessionWith('AUTHORIZED', { nextInMs: 60_000, pending: [fromSource] }),
        sessionWith('AUTHORIZED', { nextInMs: 60_000 }),
      ][nth] ?? sessionWith('CANCELLED'),
    {
      signal: 'changed',
      answers: {
        fetchClaims: () => ({
          state: 'failed',
          attempts: 2,
          failure: { code: 'timeout', part: 'claim_source', reason: 'no answer', mayPass: true },
          forWallet: 'Later.',
        }),
        failOpenIdIssuance: () => undefined,
      },
    },
  ),
  issuing(
    'refused',
    (nth) => (nth < 1 ? sessionWith('AUTHORIZED', { nextInMs: 100, pending: [pending] }) : sessionWith('FAILED')),
    {
      answers: { issueOpenIdCredential: refused, failOpenIdIssuance: () => undefined },
    },
  ),
  issuing('last-of-two-runs', (nth) => (nth < 3 ? sessionWith('OFFERED', { nextInMs: 100 }) : sessionWith('EXPIRED')), {
    payload: { ...session, looksPerRun: 2 },
  }),
]
