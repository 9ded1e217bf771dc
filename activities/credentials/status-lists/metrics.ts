import { Counter, type Registry } from 'prom-client'
import type { Observers } from '../../index.ts'

/** Counts signings of status lists, by outcome. How many wait, for how long, and how many fail: backlog.metrics.ts. */
export function statusListCounter(metrics: Registry): Required<Pick<Observers, 'statusListTried'>> {
  const tried = new Counter({
    name: 'countersign_status_list_signings_total',
    help: 'Status lists that a window tried to sign, by outcome',
    labelNames: ['outcome'],
    registers: [metrics],
  })
  for (const outcome of ['signed', 'failed']) tried.inc({ outcome }, 0) // a rate needs the zero before
  return { statusListTried: (outcome) => tried.inc({ outcome }) }
}
