import { startPostgres } from '../../../stack/parts/postgres.ts'
import { launchNode } from './stack.ts'

/** Starts PostgreSQL in the directory it is given, else a process that waits; tells its number, and waits to be killed. */
const [directory, port] = process.argv.slice(2)
const { pid } = directory
  ? await startPostgres({ directory, port: Number(port), durable: false })
  : await launchNode('setInterval(() => {}, 1000)')
process.stdout.write(`${pid}\n`)
setInterval(() => undefined, 1_000)
