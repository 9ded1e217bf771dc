import express, { type Router } from 'express'
import type { Platform } from '../activities/index.ts'
import { Refusal } from '../protocol/errors.ts'

/** DID documents of the tenant whose host was asked: did:web reads these two addresses (did:web draft, Read). */
export function publicDids({ administration, publicDids }: Pick<Platform, 'administration' | 'publicDids'>): Router {
  const router = express.Router({ caseSensitive: true, strict: true })

  const serve = async (host: string, path: string) => {
    const tenant = await administration.findTenantByHost(host)
    const document = tenant && (await publicDids.documentAt(tenant.id, path))
    if (!document) throw new Refusal('did.not_found', 'No DID document is hosted here.')
    return document
  }

  router.get('/.well-known/did.json', async (request, response) => {
    const document = await serve(request.headers.host ?? '', '')
    response.set('Cache-Control', 'public, max-age=60').type('application/did+json').send(JSON.stringify(document))
  })
  router.get('/*path/did.json', async (request, response) => {
    const path = request.path.slice(1, -'/did.json'.length)
    const document = await serve(request.headers.host ?? '', path)
    response.set('Cache-Control', 'public, max-age=60').type('application/did+json').send(JSON.stringify(document))
  })
  return router
}
