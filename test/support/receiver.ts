import type { IncomingMessage, ServerResponse } from 'node:http'
import { blocksOf } from './frame/docs.ts'

export interface Received {
  method: string
  path: string
  headers: Record<string, string>
  body: Buffer
  atMs: number
}

/** How a receiver answers, by the number of the request at the path, from 0. */
export type Behaviour = (nth: number, response: ServerResponse) => void

export const status =
  (code: number, headers: Record<string, string> = {}): Behaviour =>
  (_nth, response) =>
    void response.writeHead(code, headers).end()

/** An answer with a body. */
export const answer =
  (code: number, contentType: string, body: string | Uint8Array): Behaviour =>
  (_nth, response) =>
    void response.writeHead(code, { 'content-type': contentType }).end(body)

/** What a receiver can do wrong besides its status. */
export const FAULTS = {
  silent: () => undefined,
  reset: (_nth, { socket }) => void socket?.destroy(),
  half(_nth, response) {
    response.writeHead(200, { 'content-length': '100' }).write('half')
    setTimeout(() => response.socket?.destroy(), 20)
  },
  drips(_nth, response) {
    response.writeHead(200)
    const timer = setInterval(() => response.write('.'), 50)
    response.on('close', () => clearInterval(timer))
  },
} satisfies Record<string, Behaviour>

/** A receiver that stores what comes, and answers as its paths are scripted; 200 by default. */
export function createReceiver() {
  const received: Received[] = []
  const scripts = new Map<string, Behaviour>()
  const at = (path: string) => received.filter((each) => each.path === path)
  return {
    script: (path: string, behaviour: Behaviour) => void scripts.set(path, behaviour),
    at,
    received,
    listener(request: IncomingMessage, response: ServerResponse) {
      const { method = '', url: path = '', headers } = request
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const nth = at(path).length
        const flat = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
        received.push({ method, path, headers: flat, body: Buffer.concat(chunks), atMs: Date.now() })
        const behaviour = scripts.get(path) ?? status(200)
        behaviour(nth, response)
      })
    },
  }
}

export interface DeliveryBody {
  deliveryId: string
  deliveryTimestamp: string
  webhookId: string
  event: { id: string; type: string; payload: Record<string, unknown>; timestamp: string }
}

type OpenDelivery = (
  request: Pick<Received, 'method' | 'path' | 'headers' | 'body'> & { authority: string },
  terms: { keys: readonly object[]; webhookId: string; now?: number },
) => DeliveryBody

/** The example of docs/webhooks.md, as a receiver would copy it. */
export async function documentedVerifier(): Promise<OpenDelivery> {
  const [example] = (await blocksOf('docs/webhooks.md', 'Verify a delivery')).filter(
    ({ language }) => language === 'js',
  )
  if (!example) throw new Error('docs/webhooks.md has no example')
  const module = (await import(`data:text/javascript,${encodeURIComponent(example.code)}`)) as {
    openDelivery: OpenDelivery
  }
  return module.openDelivery
}
