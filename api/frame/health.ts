import express, { type Router } from 'express'
import type { Dependencies } from '../../activities/index.ts'

/** Milliseconds to wait for the parts that a process needs, and for the optional ones. */
const NEEDED_MS = 2_500
const OPTIONAL_MS = 800

type Check = () => Promise<unknown>

const within = (ms: number, check: Check): Promise<'up' | 'down'> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve('down'), ms)
    check()
      .then(
        () => resolve('up'),
        () => resolve('down'),
      )
      .finally(() => clearTimeout(timer))
  })

interface Parts extends Pick<Dependencies, 'sql' | 'keys' | 'temporal' | 'selfTest'> {
  stopping: () => boolean
}

/**
 * /health/live: the process responds. /health/ready: its parts respond too; the body names the part that is down.
 * Without the database, or when the process cannot sign and verify a test document, nothing works: 503. Without keys or
 * Temporal much still works: 200 with status `degraded`.
 */
export function health({ sql, keys, temporal, selfTest, stopping }: Parts): Router {
  const router = express.Router()
  router.get('/health/live', (_request, response) => {
    response.json({ status: 'live' })
  })
  router.get('/health/ready', async (_request, response) => {
    const [database, keyStore, workflows, documents] = await Promise.all([
      within(NEEDED_MS, () => sql.query({ text: 'select 1', values: [] })),
      within(OPTIONAL_MS, () => keys.ready()),
      within(OPTIONAL_MS, () => temporal.check()),
      within(NEEDED_MS, () => selfTest.check()),
    ])
    const parts = { database, keys: keyStore, temporal: workflows, documents }
    const down = Object.values(parts).includes('down')
    const unready = stopping() || database === 'down' || documents === 'down'
    const status = stopping() ? 'stopping' : unready ? 'unready' : down ? 'degraded' : 'ready'
    response.status(unready ? 503 : 200).json({ status, parts })
  })
  return router
}
