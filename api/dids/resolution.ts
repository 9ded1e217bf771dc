import express, { type Router } from 'express'
import type { Platform } from '../../activities/index.ts'
import { type ResolutionError, resolution } from '../../protocol/dids/resolution.ts'
import { expressAuthentication } from '../frame/authentication.ts'

/** DID Resolution 0.3, section 7.1 (HTTP binding). */
const STATUS: Record<ResolutionError, number> = {
  invalidDid: 400,
  invalidDidUrl: 400,
  invalidPublicKeyLength: 400,
  invalidPublicKeyType: 400,
  unsupportedPublicKeyType: 400,
  notFound: 404,
  methodNotSupported: 501,
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/**
 * Serves `GET /1.0/identifiers/{did}`, the interface of universal resolvers. It is not in the API's document: a DID
 * that does not resolve gives a resolution result, not problem details.
 */
export function didResolution({ didResolver }: Pick<Platform, 'didResolver'>): Router {
  const router = express.Router({ caseSensitive: true, strict: true })
  router.get('/1.0/identifiers/:did', async (request, response) => {
    await expressAuthentication(request, 'vcApi', ['dids:read'])
    const { publicKeyFormat, enableExperimentalPublicKeyTypes } = request.query
    const format = text(publicKeyFormat)
    const options = {
      ...(format !== undefined && { publicKeyFormat: format }),
      enableExperimentalPublicKeyTypes: enableExperimentalPublicKeyTypes === 'true',
    }
    const result = await resolution(
      request.params.did,
      options,
      async (did) => (await didResolver.resolve(did)).document,
    )
    const error = (result.didResolutionMetadata ?? result.didDereferencingMetadata)?.error
    response
      .status(error ? STATUS[error] : 200)
      .type('application/ld+json;profile="https://w3id.org/did-resolution"')
      .send(JSON.stringify(result))
  })
  return router
}
