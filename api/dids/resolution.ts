import express, { type Router } from 'express'
import type { Platform } from '../../activities/index.ts'
import { mediaTypesOf, resolution } from '../../protocol/dids/resolution.ts'
import { expressAuthentication } from '../frame/authentication.ts'

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/**
 * Serves `GET /1.0/identifiers/{did}`, the HTTP binding of DID Resolution 1.0. It is not in the API's document: a DID
 * that does not resolve gives a resolution result, not problem details.
 */
export function didResolution({ didResolver }: Pick<Platform, 'didResolver'>): Router {
  const router = express.Router({ caseSensitive: true, strict: true })
  router.get('/1.0/identifiers/:did', async (request, response) => {
    const { tenantId } = await expressAuthentication(request, 'vcApi', ['dids:read'])
    const { publicKeyFormat, enableExperimentalPublicKeyTypes, ...others } = request.query
    const didUrl = request.params.did
    const format = text(publicKeyFormat)
    const [unknown] = Object.keys(others)
    const mediaTypes = mediaTypesOf(didUrl)
    const accepted = request.accepts(mediaTypes)
    const { status, mediaType, body } = await resolution({
      didUrl,
      mediaType: mediaTypes.find((each) => each === accepted),
      options: {
        ...(format !== undefined && { publicKeyFormat: format }),
        enableExperimentalPublicKeyTypes: enableExperimentalPublicKeyTypes === 'true',
        ...(unknown !== undefined && { unknown }),
      },
      resolve: (did) => didResolver.documentFor(tenantId, did),
    })
    response.status(status).vary('Accept')
    // set() and text bodies would add a charset, which these types do not have
    response.setHeader('content-type', mediaType)
    response.send(Buffer.from(JSON.stringify(body)))
  })
  return router
}
