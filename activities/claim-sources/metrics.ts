import { Counter, type Registry } from 'prom-client'
import type { Observers } from '../index.ts'
import { FETCH_RESULTS } from './fetch.ts'

/** Counts calls of claim sources, each with all its attempts, by result. */
export function claimsCounter(metrics: Registry): Required<Pick<Observers, 'claimsFetched'>> {
  const fetched = new Counter({
    name: 'countersign_claim_source_calls_total',
    help: 'Calls of claim sources, each with all its attempts, by result',
    labelNames: ['result'],
    registers: [metrics],
  })
  for (const result of FETCH_RESULTS) fetched.inc({ result }, 0)
  return { claimsFetched: (result) => fetched.inc({ result }) }
}
