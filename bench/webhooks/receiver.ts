import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serveJobs } from '../child.ts'

/** What the receiver is asked for: its address, or the events that came since it was asked before. */
export interface ReceiverJob {
  take: boolean
}

export interface ReceiverResult {
  port: number
  /** Event ids with the time at which each came, in milliseconds since 1970. */
  received: [id: string, atMs: number][]
}

const clock = () => performance.timeOrigin + performance.now()

let received: ReceiverResult['received'] = []
const server = createServer((request, response) => {
  received.push([String(request.headers['webhook-id']), clock()])
  request.resume()
  response.writeHead(204).end()
})
const listening = new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))

async function answer({ take }: ReceiverJob): Promise<ReceiverResult> {
  await listening
  const taken = take ? received : []
  if (take) received = []
  return { port: (server.address() as AddressInfo).port, received: taken }
}

serveJobs(answer)
