import express, { type Request, type RequestHandler, type Response, type Router } from 'express'
import type { Platform } from '../../activities/index.ts'
import { Refusal } from '../../protocol/errors.ts'

/**
 * Serves the DID documents of the tenant of the requested host, at the two addresses of did:web (did:web draft, Read).
 * `published` allows every origin and limits the rate.
 */
export function publicDids({ publicDids }: Pick<Platform, 'publicDids'>, published: RequestHandler): Router {
  const router = express.Router({ caseSensitive: true, strict: true })

  const serve = async ({ headers }: Request, response: Response, path: string) => {
    const document = await publicDids.documentAt(headers.host ?? '', path)
    if (!document) throw new Refusal('did.not_found', 'No DID document is hosted here.')
    response.set('Cache-Control', 'public, max-age=60')
    // sent as bytes: for a text express adds a charset, which this media type does not have (DID Core, section 6.2)
    response.type('application/did+json').send(Buffer.from(JSON.stringify(document)))
  }

  router.get('/.well-known/did.json', published, (request, response) => serve(request, response, ''))
  // originalUrl: an alias may have rewritten a path that is also a DID's
  router.get('/*path/did.json', published, (request, response) => {
    const [path = ''] = request.originalUrl.split('?', 1)
    return serve(request, response, path.slice(1, -'/did.json'.length))
  })
  return router
}
