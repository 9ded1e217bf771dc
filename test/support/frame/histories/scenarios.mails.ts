import type { Scenario } from './files.ts'

const mailing = (path: string, attemptMail: (nth: number) => unknown): Scenario => ({
  workflowType: 'deliverMail',
  path,
  payload: {
    tenantId: '00000000-0000-4000-8000-000000000001',
    mailId: '00000000-0000-4000-8000-000000000010',
  },
  answers: { attemptMail },
})

/** Histories of the workflow that sends a mail. */
export const MAIL_SCENARIOS: Scenario[] = [
  mailing('sent', (nth) => (nth < 1 ? { state: 'PENDING', code: 'smtp.451', nextInMs: 300 } : { state: 'SENT' })),
  mailing('refused', () => ({ state: 'FAILED', code: 'smtp.550' })),
  mailing('crashed-and-over', (nth) => {
    if (nth < 1) throw new Error('a crash')
    return { state: 'OVER' }
  }),
]
