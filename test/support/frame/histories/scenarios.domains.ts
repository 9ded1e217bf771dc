import type { Scenario } from './files.ts'

const subject = { tenantId: '00000000-0000-4000-8000-000000000001', domainId: '00000000-0000-4000-8000-000000000006' }

const FAULT = { code: 'domain.record_missing', reason: 'No TXT record is the token.' }

const verifying = (path: string, lookUpDomain: (nth: number) => unknown, more: Partial<Scenario> = {}): Scenario => ({
  workflowType: 'verifyDomain',
  path,
  payload: { ...subject, attempt: 1 },
  answers: { lookUpDomain },
  ...more,
})

const waitsFor = (nextInMs: number) => ({ status: 'WAITING', fault: FAULT, nextInMs })

const verified = (nextInMs: number) => ({ status: 'VERIFIED', nextInMs })

/** Histories of the workflow that looks for the record of a domain. */
export const DOMAIN_SCENARIOS: Scenario[] = [
  verifying('given-up-after-two-looks', (nth) => (nth < 1 ? waitsFor(500) : { status: 'GIVEN_UP', fault: FAULT })),
  verifying('verified-and-deleted', (nth) => {
    if (nth === 1) throw new Error('a crash')
    return [waitsFor(300), undefined, verified(300), { status: 'OVER' }][nth]
  }),
  verifying('asked-to-look', (nth) => [waitsFor(3_600_000), verified(500), { status: 'OVER' }][nth], {
    update: 'lookNow',
  }),
  verifying('changed', (nth) => (nth < 1 ? verified(604_800_000) : { status: 'OVER' }), { signal: 'changed' }),
  verifying('last-of-two-runs', (nth) => (nth < 3 ? verified(100) : { status: 'OVER' }), {
    payload: { ...subject, attempt: 1, looksPerRun: 2 },
  }),
]
