import { serveJobs } from './child.ts'
import { Connection } from './connection.ts'
import { SERIAL } from './formats.ts'
import type { Measured } from './measure.ts'

/** Requests to send, the same number at a time, for a while. */
export interface Load {
  host: string
  port: number
  path: string
  token: string
  /** Sent in turn; SERIAL in them is replaced by a number that was not sent before. */
  bodies: string[]
  /** Part of every right answer, which also has status 200. */
  expected: string
  concurrency: number
  seconds: number
}

let serial = 0

/** Bodies cut at the serial number's place. */
const cut = (bodies: string[]) => bodies.map((body) => body.split(SERIAL))

/**
 * Opens connections one after the other, each with an answer. A cluster gives those that come all at once to whichever process is
 * free first, and they stay there: 27 of 32 were seen at one of two.
 */
async function connected({ host, port, concurrency }: Load): Promise<Connection[]> {
  const connections: Connection[] = []
  while (connections.length < concurrency) {
    const connection = await Connection.open(host, port)
    await connection.send(`GET /health/live HTTP/1.1\r\nhost: ${host}:${port}\r\n`, '')
    connections.push(connection)
  }
  return connections
}

async function run(load: Load): Promise<Measured> {
  const { host, port, path, token, expected } = load
  const head = `POST ${path} HTTP/1.1\r\nhost: ${host}:${port}\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\n`
  const parts = cut(load.bodies)
  const latencies: number[] = []
  let errors = 0
  const connections = await connected(load)
  const begun = performance.now()
  const until = begun + load.seconds * 1000
  const oneAfterAnother = async (connection: Connection) => {
    while (performance.now() < until) {
      const number = String(++serial).padStart(SERIAL.length, '0')
      const body = parts[serial % parts.length]?.join(number) ?? ''
      const sent = performance.now()
      const answer = await connection.send(head, body)
      latencies.push(performance.now() - sent)
      if (answer.status !== 200 || !answer.body.includes(expected)) {
        if (errors++ === 0) process.stderr.write(`first wrong answer: ${answer.status} ${answer.body}\n`)
      }
    }
  }
  await Promise.all(connections.map(oneAfterAnother))
  const seconds = (performance.now() - begun) / 1000
  for (const connection of connections) connection.close()
  return { done: latencies.length, errors, seconds, latencies }
}

serveJobs(run)
