import { Counter, type Registry } from 'prom-client'
import type { Observers } from '../index.ts'

/** Counts rows under way whose workflow did not run. */
export function reconciliationCounter(metrics: Registry): Required<Pick<Observers, 'reconciled'>> {
  const rows = new Counter({
    name: 'countersign_reconciled_total',
    help: 'Rows under way whose workflow did not run, by workflow and outcome: started again, or left as an operator ended it',
    labelNames: ['workflow', 'outcome'],
    registers: [metrics],
  })
  return {
    reconciled(workflow, outcome) {
      if (outcome === 'started' || outcome === 'left') rows.inc({ workflow, outcome })
    },
  }
}
