import { Counter, type Registry } from 'prom-client'
import type { Observers } from '../index.ts'
import type { AttemptResult } from './deliver.ts'

/** Every result has a line from the start: a rate needs the zero before. */
const RESULTS: readonly AttemptResult[] = [
  'delivered',
  'answer',
  'timeout',
  'connection',
  'not_called',
  'refused',
  'stopped',
]

/** Counts attempts to deliver to webhooks, by result. */
export function webhookCounter(metrics: Registry): Required<Pick<Observers, 'webhookTried'>> {
  const tried = new Counter({
    name: 'countersign_webhook_attempts_total',
    help: 'Attempts to deliver an event to a webhook, by result',
    labelNames: ['result'],
    registers: [metrics],
  })
  for (const result of RESULTS) tried.inc({ result }, 0)
  return { webhookTried: (result) => tried.inc({ result }) }
}
