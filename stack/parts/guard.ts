/**
 * The last one out. Runs as a process of its own session beside whoever starts PostgreSQL, Temporal, API and worker;
 * when that process is gone, however it went, its end of the pipe closes and the guard ends what it left behind,
 * the latest first. It runs without a loader, so that it costs 40 ms: only erasable syntax and node: imports here.
 */
import { createInterface } from 'node:readline'
import { end, type Recorded } from './processes.ts'

export type GuardMessage = { watch: Recorded } | { forget: number }

const watched = new Map<number, Recorded>()

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined)

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line) as GuardMessage
  if ('watch' in message) watched.set(message.watch.pid, message.watch)
  else watched.delete(message.forget)
}

for (const one of [...watched.values()].reverse()) await end(one)
