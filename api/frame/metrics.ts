import { collectDefaultMetrics, Histogram, type Registry } from 'prom-client'

/** Rate, errors and duration by route template; prom-client adds up the processes of a cluster. */
export function createMeasures(registry: Registry) {
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'countersign_http_request_seconds',
    help: 'Seconds from a request to its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  /** As many as there are series of the histogram. */
  const series = new Map<string, ReturnType<typeof requests.labels>>()
  return {
    observe(method: string, route: string, status: number, seconds: number): void {
      const name = `${method} ${status} ${route}`
      let one = series.get(name)
      if (!one) {
        one = requests.labels({ method, route, status: String(status) })
        series.set(name, one)
      }
      one.observe(seconds)
    },
  }
}

export type Measures = ReturnType<typeof createMeasures>
