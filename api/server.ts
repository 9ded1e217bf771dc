import cluster from 'node:cluster'
import { loadConfig } from '../config.ts'

/**
 * The API's process entry: one primary that serves no requests, and API_PROCESSES processes that share the port. Both
 * `npm start` and docker-compose.yml run this file.
 */
const config = loadConfig(process.env)

// each loads its own half: the primary would delay its processes by loading modules that only they need
if (cluster.isPrimary) await import('./server.primary.ts').then(({ runPrimary }) => runPrimary(config))
else await import('./server.process.ts').then(({ serve }) => serve(config))
