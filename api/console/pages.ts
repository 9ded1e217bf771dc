import express, { type Request, type Response, type Router } from 'express'
import { Refusal } from '../../protocol/errors.ts'
import { isFresh } from '../../protocol/etag.ts'
import type { ConsoleFile, ConsoleFiles } from './files.ts'

/** Nothing from elsewhere, nothing inline, and no page around it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

const HEADERS = {
  'Content-Security-Policy': POLICY,
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  Vary: 'Accept-Encoding',
}

/** An ETag is of one representation; browsers send back what they got (RFC 9110, section 8.8.3.3). */
function send(request: Request, response: Response, file: ConsoleFile, caching: string): void {
  const zips = request.acceptsEncodings('gzip') === 'gzip'
  const etag = zips ? file.etag.replace(/"$/, '-gzip"') : file.etag
  response.set({ ...HEADERS, 'Cache-Control': caching, ETag: etag }).type(file.type)
  if (isFresh(request.headers['if-none-match'], etag)) {
    response.status(304).end()
    return
  }
  if (zips) response.set('Content-Encoding', 'gzip')
  response.send(zips ? file.gzipped : file.bytes)
}

/** The operator's console: one page, which shows what its address names, and its assets. */
export function consolePages({ page, assets }: ConsoleFiles): Router {
  const router = express.Router({ caseSensitive: true, strict: true })
  router.get('/console/assets/{*name}', (request, response) => {
    const file = assets.get(request.path.slice('/console/assets/'.length))
    if (!file) throw new Refusal('request.not_found', 'The console has no such file. Load its page again.')
    send(request, response, file, 'public, max-age=31536000, immutable')
  })
  // a new version is seen at once, and one that did not change is not sent again
  router.get(['/console', '/console/{*page}'], (request, response) => send(request, response, page, 'no-cache'))
  return router
}
