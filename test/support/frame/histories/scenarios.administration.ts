import type { Scenario } from './files.ts'

const tenant = {
  tenantId: '00000000-0000-4000-8000-000000000001',
  subjectTenantId: '00000000-0000-4000-8000-000000000010',
}

const failingOnce = (nth: number) => {
  if (nth === 0) throw new Error('a crash')
}

const erasing = (path: string, eraseSlice: (nth: number) => unknown, slicesPerRun?: number): Scenario => ({
  workflowType: 'erasePerson',
  path,
  payload: { tenantId: tenant.tenantId, erasureId: '00000000-0000-4000-8000-00000000000a', round: 1, slicesPerRun },
  answers: { eraseSlice },
})

const KEYS_AWAY = { waiting: 'The key store does not answer.' }

const id = '00000000-0000-4000-8000-000000000020'
const exporting = { tenantId: tenant.tenantId, exportId: id }
const importing = { tenantId: tenant.tenantId, importId: id }

export const ADMINISTRATION_SCENARIOS: Scenario[] = [
  erasing('two-slices', (nth) => ({ phase: nth < 1 ? 'more' : 'done', credentials: nth })),
  erasing('crashed-and-gone', (nth) => {
    failingOnce(nth)
    return { phase: 'gone', credentials: 0 }
  }),
  erasing('last-of-two-runs', (nth) => ({ phase: nth < 3 ? 'more' : 'done', credentials: nth }), 3),
  {
    workflowType: 'eraseExpired',
    path: 'two-pages',
    payload: undefined,
    answers: {
      findRetentions: (nth) => ({ tenantIds: [tenant.subjectTenantId, tenant.tenantId], more: nth < 1 }),
      eraseExpiredOf: (nth) => {
        failingOnce(nth)
        return { done: nth !== 1 }
      },
    },
  },
  {
    workflowType: 'exportTenant',
    path: 'done-after-a-crash',
    payload: exporting,
    answers: {
      writeTenantExport: (nth) => {
        if (nth === 1) throw new Error('a crash')
        return { state: nth < 2 ? 'RUNNING' : 'DONE', rows: 10 * nth }
      },
    },
  },
  {
    workflowType: 'importTenant',
    path: 'checked-and-written',
    payload: importing,
    answers: {
      continueTenantImport: (nth) => ({
        state: (['CHECKING', 'WRITING', 'WRITING', 'DONE'] as const)[nth],
        lines: nth,
      }),
    },
  },
  {
    workflowType: 'importTenant',
    path: 'failed-after-a-crash',
    payload: importing,
    answers: {
      continueTenantImport: (nth) => {
        failingOnce(nth)
        return { state: 'FAILED', lines: 3 }
      },
    },
  },
  {
    workflowType: 'provisionTenant',
    path: 'ready-after-a-wait',
    payload: tenant,
    answers: {
      attemptProvisioning: (nth) => (nth < 1 ? { state: 'waiting', code: 'keys.unavailable' } : { state: 'ready' }),
    },
  },
  {
    workflowType: 'provisionTenant',
    path: 'failed-after-a-crash',
    payload: tenant,
    answers: {
      attemptProvisioning: (nth) => {
        failingOnce(nth)
        return { state: 'failed' }
      },
    },
  },
  {
    workflowType: 'deleteTenant',
    path: 'erased',
    payload: { ...tenant, settleSeconds: 1 },
    answers: {
      endTenantWork: (nth) => ({ running: nth < 1 }),
      destroyTenantKeys: (nth) => (nth < 1 ? { next: tenant.subjectTenantId } : {}),
      deleteTenantRows: (nth) => ({ done: nth > 0 }),
      finishTenantDeletion: () => ({ erased: true }),
    },
  },
  {
    workflowType: 'deleteTenant',
    path: 'waits-for-keys-and-begins-again',
    payload: { ...tenant, settleSeconds: 1 },
    answers: {
      endTenantWork: (nth) => {
        failingOnce(nth)
        return { running: false }
      },
      destroyTenantKeys: (nth) => (nth < 1 ? KEYS_AWAY : {}),
      deleteTenantRows: () => ({ done: true }),
      finishTenantDeletion: (nth) => ({ erased: nth > 0 }),
    },
  },
]
