import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ExecutionContext } from 'ava'

export interface Asked {
  method: string
  url: string
  headers: IncomingHttpHeaders
  bytes: Buffer
  body: string
}

export type Answer = (request: IncomingMessage, response: ServerResponse, asked: Asked) => void

/** A server that answers as told; it notes what it is sent. */
export async function serverOf(t: ExecutionContext, answer: Answer) {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const bytes = Buffer.concat(chunks)
    const { method = '', url = '', headers } = request
    const noted = { method, url, headers, bytes, body: bytes.toString() }
    asked.push(noted)
    answer(request, response, noted)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

export const TOKEN = { access_token: 'a-token', expires_in: 3600, token_type: 'Bearer' }

export const json = (response: ServerResponse, body: unknown, status = 200, headers: Record<string, string> = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

export const isTokenRequest = ({ url }: { url?: string }) => url === '/v1/auth/token'

/** The same, with the token as a platform gives it; only what comes after it is noted. */
export async function platformOf(t: ExecutionContext, answer: Answer) {
  const asked: Asked[] = []
  const { url } = await serverOf(t, (request, response, noted) => {
    if (isTokenRequest(request)) return json(response, TOKEN)
    asked.push(noted)
    answer(request, response, noted)
  })
  return { url, asked, env: environmentAt(url) }
}

export const environmentAt = (url: string) => ({
  COUNTERSIGN_URL: url,
  COUNTERSIGN_CLIENT_ID: 'a',
  COUNTERSIGN_CLIENT_SECRET: 'the-secret',
})
