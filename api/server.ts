import cluster from 'node:cluster'
import { loadConfig } from '../config.ts'
import { runPrimary } from './server.primary.ts'
import { serve } from './server.process.ts'

/**
 * The API's process entry: one primary that serves no requests, and API_PROCESSES processes that share the port. Both
 * `npm start` and docker-compose.yml run this file.
 */
const config = loadConfig(process.env)

if (cluster.isPrimary) await runPrimary(config)
else await serve(config)
