import express, { type Router } from 'express'
import { createPartChecks } from '../../activities/frame/parts.ts'

interface Parts extends Readonly<Parameters<typeof createPartChecks>[0]> {
  stopping: () => boolean
}

/**
 * /health/live: the process responds. /health/ready: its parts respond too; the body names the part that is down.
 * Without the database, or when the process cannot sign and verify a test document, nothing works: 503. Without keys or
 * Temporal much still works: 200 with status `degraded`.
 */
export function health({ stopping, ...dependencies }: Parts): Router {
  const check = createPartChecks(dependencies)
  const router = express.Router()
  router.get('/health/live', (_request, response) => {
    response.json({ status: 'live' })
  })
  router.get('/health/ready', async (_request, response) => {
    const parts = await check()
    const down = Object.values(parts).includes('down')
    const unready = stopping() || parts.database === 'down' || parts.documents === 'down'
    const status = stopping() ? 'stopping' : unready ? 'unready' : down ? 'degraded' : 'ready'
    response.status(unready ? 503 : 200).json({ status, parts })
  })
  return router
}
