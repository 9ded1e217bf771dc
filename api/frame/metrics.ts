import { collectDefaultMetrics, Histogram, type Registry } from 'prom-client'

/** Rate, errors and duration by route template; prom-client adds up the processes of a cluster. */
export function createMeasures(registry: Registry) {
  collectDefaultMetrics({ register: registry })
  return {
    requests: new Histogram({
      name: 'countersign_http_request_seconds',
      help: 'Seconds from a request to its answer',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers: [registry],
    }),
  }
}

export type Measures = ReturnType<typeof createMeasures>
