import type { Request } from 'express'
import type { Platform } from '../../activities/index.ts'
import { Refusal } from '../../protocol/errors.ts'
import { isFresh, isUnmodified, type Modified } from '../../protocol/etag.ts'
import type { JsonObject } from '../frame/wire.ts'

/** The tenant whose status lists the host of a public request publishes. */
export async function publisherOf({ tenants }: Pick<Platform, 'tenants'>, { headers }: Request) {
  const tenant = await tenants.byHost(headers.host ?? '')
  if (!tenant) throw new Refusal('status_list.not_found', 'There is no such status list.')
  return tenant
}

interface Published {
  etag: string
  modified?: Modified
  /** Default: verifiers ask again after 3 seconds. */
  cacheControl?: string
}

/**
 * Sets the headers of a public document. Returns whether the caller has its current version, so that the answer is 304:
 * by its tag, or where the caller sends none by the time of its last change (RFC 9110, section 13.2.2).
 */
export function isKnown(
  { headers, res }: Pick<Request, 'headers' | 'res'>,
  { etag, modified, cacheControl = 'public, max-age=3' }: Published,
): boolean {
  res?.set({
    ETag: etag,
    ...(modified && { 'Last-Modified': modified.at.toUTCString() }),
    'Cache-Control': cacheControl,
    // readers in a browser too (Fetch standard, CORS protocol)
    'Access-Control-Allow-Origin': '*',
  })
  const tags = headers['if-none-match']
  if (tags !== undefined || modified === undefined) return isFresh(tags, etag)
  return isUnmodified(headers['if-modified-since'], modified)
}

type Form = readonly [type: string, bytes: Buffer]

/**
 * Sends a public document in the form that the caller accepts, and the first where it accepts none. Each form has a tag of
 * its own, by its place.
 */
export function sendForm(request: Request, etag: string, forms: readonly [Form, ...Form[]]): void {
  const accepted = request.accepts(forms.map(([type]) => type))
  const at = Math.max(
    0,
    forms.findIndex(([type]) => type === accepted),
  )
  const [type, bytes] = forms[at] ?? forms[0]
  const ownEtag = etag.replace(/"$/, `-${at}"`)
  request.res?.set('Vary', 'Accept')
  if (isKnown(request, { etag: ownEtag })) request.res?.status(304).end()
  else request.res?.set('Content-Type', type).send(bytes)
}

/**
 * Sends a credential in an envelope: the JWT itself, and to callers who accept only JSON the object that has it
 * (VC-JOSE-COSE 1.0, section 3.1; VC Data Model 2.0, section 4.12).
 */
export function sendJwt(
  request: Request,
  etag: string,
  { jwt, credential }: { jwt: string; credential: JsonObject },
): undefined {
  const object = Buffer.from(JSON.stringify(credential))
  sendForm(request, etag, [
    ['application/vc+jwt', Buffer.from(jwt)],
    ['application/vc', object],
    ['application/ld+json', object],
    ['application/json', object],
  ])
}
