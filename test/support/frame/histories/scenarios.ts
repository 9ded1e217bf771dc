import { ApplicationFailure } from '@temporalio/common'
import type { Scenario } from './files.ts'
import { ADMINISTRATION_SCENARIOS } from './scenarios.administration.ts'
import { DOMAIN_SCENARIOS } from './scenarios.domains.ts'
import { MAIL_SCENARIOS } from './scenarios.mails.ts'
import { PRESENTATION_SCENARIOS, SESSION_SCENARIOS } from './scenarios.openid.ts'

const subject = { tenantId: '00000000-0000-4000-8000-000000000001', didId: '00000000-0000-4000-8000-000000000002' }

const notYet = { resolved: false, reason: 'The published document does not hold our keys.' }

const saysWhy = { ...notYet, code: 'did.keys_missing' }

const refuse = (code: string) => () => {
  throw ApplicationFailure.nonRetryable('It will not do.', code)
}

const gone = refuse('did.not_found')

const failingOnce = (nth: number) => {
  if (nth === 0) throw new Error('a crash')
}

const registration = (path: string, answers: Scenario['answers'], patienceDays = 7): Scenario => ({
  workflowType: 'registerWebDid',
  path,
  payload: { ...subject, checkSeconds: 1, patienceDays },
  answers: { createDidKeys: () => undefined, writeDidDocument: () => ({ hosting: 'platform' }), ...answers },
})

const batch = { tenantId: subject.tenantId, batchId: '00000000-0000-4000-8000-000000000003' }

const batchSigning = (path: string, answers: Scenario['answers'], run: object = {}): Scenario => ({
  workflowType: 'signBatch',
  path,
  payload: { ...batch, total: 9, chunkRows: 2, ...run },
  answers: { completeBatch: () => ({ state: 'COMPLETED' }), ...answers },
})

const signedUpTo = (nth: number) => ({ state: 'signed', signed: 2 * nth, failed: 0 })

const revoking = (path: string, revokeSlice: (nth: number) => unknown, slicesPerRun?: number): Scenario => ({
  workflowType: 'revokeCredentials',
  path,
  payload: { tenantId: subject.tenantId, revocationId: '00000000-0000-4000-8000-000000000004', slicesPerRun },
  answers: { revokeSlice },
})

const notifying = (path: string, deliverNotification: (nth: number) => unknown): Scenario => ({
  workflowType: 'notifyStatus',
  path,
  payload: {
    tenantId: subject.tenantId,
    notificationId: '00000000-0000-4000-8000-000000000005',
    waits: ['1s', '1s'],
  },
  answers: { deliverNotification, concludeNotification: () => undefined },
})

const delivering = (path: string, first: () => unknown, attemptDelivery: (nth: number) => unknown): Scenario => ({
  workflowType: 'deliverWebhook',
  path,
  payload: {
    tenantId: subject.tenantId,
    webhookId: '00000000-0000-4000-8000-000000000007',
    eventId: '00000000-0000-4000-8000-000000000008',
    deliveryId: '00000000-0000-4000-8000-000000000009',
    round: 0,
  },
  answers: { attemptDeliveryAtOnce: first, attemptDelivery },
})

const crash = (): never => {
  throw new Error('a crash')
}

const refusedFor = (nextInMs: number) => ({ state: 'PENDING', code: 'answer', nextInMs })

const sending = (path: string, attemptMessage: (nth: number) => unknown): Scenario => ({
  workflowType: 'deliverMessage',
  path,
  payload: { tenantId: subject.tenantId, sentId: '00000000-0000-4000-8000-000000000008' },
  answers: { attemptMessage },
})

/** Every path that a workflow can take gets a history here; test/frame/temporal/workflow-safety.test.ts replays them all. */
export const scenarios: Scenario[] = [
  ...ADMINISTRATION_SCENARIOS,
  registration('at-once', { lookUpDid: () => ({ resolved: true }), completeDid: () => undefined }),
  registration('after-two-waits', {
    lookUpDid: (nth) => (nth < 2 ? notYet : { resolved: true }),
    completeDid: failingOnce,
  }),
  registration('out-of-patience', { lookUpDid: () => notYet, failDid: () => undefined }, 1 / 86_400),
  registration('deleted-meanwhile', { lookUpDid: gone }),
  registration('refused', { createDidKeys: refuse('key.unsupported'), failDid: () => undefined }),
  {
    ...registration('woken', {
      lookUpDid: (nth) => (nth === 0 ? notYet : { resolved: true }),
      completeDid: () => undefined,
    }),
    payload: { ...subject, checkSeconds: 3600 },
    signal: 'lookNow',
  },
  registration('waits-and-says-why', {
    lookUpDid: (nth) => (nth < 2 ? saysWhy : { resolved: true }),
    completeDid: () => undefined,
  }),
  registration('out-of-patience-says-why', { lookUpDid: () => saysWhy, failDid: () => undefined }, 1 / 86_400),
  registration('refused-says-why', { createDidKeys: refuse('key.unsupported'), failDid: () => undefined }),
  {
    workflowType: 'deleteDid',
    path: 'retried',
    payload: subject,
    answers: {
      wakeRegistration: (nth) => ({ running: nth < 1 }),
      destroyDidKeys: failingOnce,
      removeDid: () => undefined,
    },
  },
  {
    workflowType: 'deleteDid',
    path: 'without-registration',
    payload: subject,
    answers: {
      wakeRegistration: () => ({ running: false }),
      destroyDidKeys: () => undefined,
      removeDid: () => undefined,
    },
  },
  ...MAIL_SCENARIOS,
  ...DOMAIN_SCENARIOS,
  { workflowType: 'reapKeys', path: 'done', payload: undefined, answers: { reapUnownedKeys: () => ({ reaped: 0 }) } },
  {
    workflowType: 'sweepCertificates',
    path: 'done',
    payload: undefined,
    answers: { sweepCertificates: () => ({ lists: 1, notices: 0 }) },
  },
  {
    workflowType: 'refreshTrustLists',
    path: 'done',
    payload: undefined,
    answers: { refreshTrustLists: () => ({ refreshed: 1, failed: 0 }) },
  },
  {
    workflowType: 'rotateTokenKeys',
    path: 'done',
    payload: undefined,
    answers: { rotateTokenKeys: () => ({ added: 1, removed: 0 }) },
  },
  {
    workflowType: 'signLogHeads',
    path: 'done',
    payload: undefined,
    answers: { signLogHeads: () => ({ signed: 1, broken: 0 }) },
  },
  {
    workflowType: 'removeOldLogEntries',
    path: 'done',
    payload: undefined,
    answers: { removeOldLogEntries: () => ({ removed: 1, broken: 0 }) },
  },
  {
    workflowType: 'publishStatusLists',
    path: 'done',
    payload: undefined,
    answers: { publishChangedLists: () => ({ signed: 1, failed: 0 }) },
  },
  {
    workflowType: 'publishStatusLists',
    path: 'three-slices',
    payload: undefined,
    answers: {
      publishChangedLists: (nth) => {
        if (nth === 1) throw new Error('a crash')
        return { signed: 1, failed: 0, until: '2027-01-31T09:30:00.000Z', more: nth < 3 }
      },
    },
  },
  {
    workflowType: 'publishStatusLists',
    path: 'three-windows',
    payload: undefined,
    answers: {
      publishChangedLists: (nth) => ({
        signed: 1,
        failed: 0,
        until: '2027-01-31T09:30:00.000Z',
        more: nth === 0,
        windowSeconds: 0.8,
      }),
    },
    cancelled: true,
  },
  batchSigning('five-chunks', { signBatchChunk: signedUpTo }),
  batchSigning('retried-chunk', {
    signBatchChunk: (nth) => {
      if (nth === 1) throw new Error('a crash')
      return signedUpTo(nth)
    },
  }),
  batchSigning('last-of-two-runs', { signBatchChunk: signedUpTo }, { chunksPerRun: 3 }),
  batchSigning('paused-and-resumed', {
    signBatchChunk: (nth) => (nth === 2 || nth === 3 ? { state: 'PAUSED', signed: 4, failed: 0 } : signedUpTo(nth)),
    reviewBatch: () => ({ state: 'PROCESSING' }),
  }),
  batchSigning('cancelled-at-the-end', {
    signBatchChunk: signedUpTo,
    completeBatch: () => ({ state: 'CANCELLED' }),
    discardBatchRows: () => undefined,
  }),
  batchSigning('cancelled', {
    signBatchChunk: (nth) => (nth > 1 ? { state: 'CANCELLED', signed: 0, failed: 0 } : signedUpTo(nth)),
    discardBatchRows: () => undefined,
  }),
  batchSigning('rows-refused', { signBatchChunk: (nth) => ({ state: 'signed', signed: 2 * nth + 1, failed: 1 }) }),
  notifying('sent', () => ({ state: 'SENT' })),
  notifying('no-service', () => ({ state: 'NO_SERVICE' })),
  notifying('second-try', (nth) => ({ state: nth < 1 ? 'later' : 'SENT' })),
  notifying('given-up', () => ({ state: 'later', reason: 'answered 503' })),
  delivering('delivered', () => ({ state: 'DELIVERED' }), crash),
  delivering(
    'delivered-at-the-third-attempt',
    () => refusedFor(100),
    (call) => (call === 0 ? refusedFor(100) : call === 1 ? crash() : { state: 'DELIVERED' }),
  ),
  delivering('failed', crash, (call) => (call < 3 ? refusedFor(0) : { state: 'FAILED', code: 'timeout' })),
  delivering(
    'stopped',
    () => undefined,
    (call) => (call === 0 ? refusedFor(50) : { state: 'STOPPED' }),
  ),
  {
    workflowType: 'rotateWebhookKeys',
    path: 'done',
    payload: undefined,
    answers: { rotateWebhookKeys: () => ({ added: 1, removed: 0 }) },
  },
  {
    workflowType: 'rotateVerifierKeys',
    path: 'done',
    payload: undefined,
    answers: { rotateVerifierKeys: () => ({ rotated: 1, forgotten: 0 }) },
  },
  sending('delivered', () => ({ state: 'DELIVERED' })),
  sending('delivered-at-the-second-attempt', (nth) => {
    if (nth === 1) throw new Error('a crash')
    return nth < 1 ? { state: 'PENDING', code: 'answer', nextInMs: 300 } : { state: 'DELIVERED' }
  }),
  sending('failed', (nth) =>
    nth < 1 ? { state: 'PENDING', code: 'timeout', nextInMs: 100 } : { state: 'FAILED', code: 'answer' },
  ),
  revoking('two-slices', (nth) => ({ phase: nth < 2 ? 'more' : 'done', checked: 5 * nth, revoked: 4 * nth })),
  revoking('waits-and-looks-again', (nth) => {
    if (nth === 1) throw new Error('a crash')
    return { phase: nth < 2 ? 'more' : nth < 4 ? 'wait' : 'done', checked: 10, revoked: 10 }
  }),
  revoking('last-of-two-runs', (nth) => ({ phase: nth < 3 ? 'more' : 'done', checked: nth, revoked: nth }), 3),
  batchSigning('rows-left-at-the-end', {
    signBatchChunk: signedUpTo,
    completeBatch: (nth) => (nth < 1 ? { state: 'PROCESSING', next: 7 } : { state: 'COMPLETED' }),
  }),
  {
    workflowType: 'reconcileWork',
    path: 'two-slices',
    payload: undefined,
    answers: {
      reconcileSlice: (nth) => {
        if (nth === 1) throw new Error('a crash')
        const counts = { looked: 5, started: nth < 1 ? 2 : 0, left: nth }
        return nth < 2 ? { ...counts, next: { work: 1 } } : counts
      },
      compareRestoredKeys: () => undefined,
    },
  },
  ...SESSION_SCENARIOS,
  ...PRESENTATION_SCENARIOS,
  { workflowType: 'purgeExpired', path: 'done', payload: undefined, answers: { purgeExpiredRows: () => ({}) } },
]
