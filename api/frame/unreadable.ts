import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server } from 'node:http'
import type { RequestHandler } from 'express'
import type { Logger } from 'pino'
import { Refusal } from '../../protocol/errors.ts'
import { problemOf } from './errors.ts'

function refusalOf(code: string | undefined): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new Refusal('request.headers_too_large', 'The headers are larger than 16 KiB; send fewer or shorter ones.')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Refusal('request.timeout', 'The request did not arrive in time. Send it again.')
  return new Refusal(
    'request.malformed',
    'The request is not HTTP/1.1, or Content-Length and Transfer-Encoding contradict each other.',
  )
}

/** Sends problem details for requests that Node's HTTP parser refuses before they reach express. */
export function answerUnreadable(server: Server, log: Logger): void {
  // an unknown expectation is no reason to refuse the request (RFC 9110 section 10.1.1)
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    const refusal = refusalOf(error.code)
    const problem = problemOf(refusal, randomUUID())
    const line = { requestId: problem.instance, code: error.code, status: problem.status, problem: refusal.code }
    log.info(line, 'unreadable request')
    const body = JSON.stringify(problem)
    const head = [
      `HTTP/1.1 ${problem.status} ${problem.title}`,
      'Content-Type: application/problem+json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${problem.instance}`,
      'Connection: close',
    ]
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  })
}

/** Headers with one value: of a repeated one, two readers may take different values (RFC 9110 section 5.3). */
const ONCE = new Map(
  ['Host', 'Authorization', 'Content-Type', 'Idempotency-Key'].map((name) => [name.toLowerCase(), name]),
)

/** The number of times that each of these headers was sent. */
function timesOf(rawHeaders: readonly string[]): Map<string, number> {
  const times = new Map<string, number>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = ONCE.get(String(rawHeaders[at]).toLowerCase())
    if (name !== undefined) times.set(name, (times.get(name) ?? 0) + 1)
  }
  return times
}

/** An absolute URL in place of a path: scheme, authority and what follows. */
const ABSOLUTE = /^([^/?#]+):\/\/([^/?#]*)(.*)$/

const setAside = new WeakMap<IncomingMessage, string>()

/** Sets an absolute URL aside for `readTarget`: express reads the URL before any handler, and answers HTML to one with a wrong host. */
export function setTargetAside(request: IncomingMessage): void {
  const { url = '' } = request
  if (!ABSOLUTE.test(url)) return
  setAside.set(request, url)
  request.url = '/'
}

/**
 * Reads a request for an absolute URL as one for its path at its host, whatever the Host header says (RFC 9112 section
 * 3.2.2, D-560). Comes before all that looks at the path or the host.
 */
export const readTarget: RequestHandler = (request, _response, next) => {
  const [whole, scheme = '', authority = '', rest = ''] = ABSOLUTE.exec(setAside.get(request) ?? request.url) ?? []
  if (whole === undefined) return next()
  // user info in a URL from outside is an attempt to hide its host (RFC 9110 section 4.2.4)
  if (!/^https?$/i.test(scheme) || !URL.canParse(`http://${authority}`) || authority.includes('@'))
    throw new Refusal(
      'request.malformed',
      'The target of the request is not a path, and not an http or https URL of a host.',
    )
  request.url = rest.startsWith('/') ? rest : `/${rest}`
  request.originalUrl = request.url
  request.headers.host = authority
  next()
}

/**
 * Requires one Host (RFC 9112 section 3.2), single-value headers once, and no U+0000 in the URL, which PostgreSQL does
 * not accept in a text.
 */
export const checkHead: RequestHandler = (request, _response, next) => {
  const times = timesOf(request.rawHeaders)
  if (times.get('Host') !== 1) throw new Refusal('request.malformed', 'The request must have exactly one Host header.')
  for (const [name, count] of times)
    if (count > 1)
      throw new Refusal('request.malformed', `The request has more than one ${name} header.`, [
        { path: name, code: 'header', message: 'expected at most once' },
      ])
  if (request.url.includes('%00'))
    throw new Refusal('request.unusable_text', 'The path or the query contains U+0000 (%00); remove it.')
  next()
}
