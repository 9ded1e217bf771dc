import type { Request } from 'express'
import type { Platform } from '../../activities/index.ts'
import { Refusal } from '../../protocol/errors.ts'
import { isKnown } from '../frame/published.ts'

/** The tenant whose status lists the host of a public request publishes. */
export async function publisherOf({ tenants }: Pick<Platform, 'tenants'>, { headers }: Request) {
  const tenant = await tenants.byHost(headers.host ?? '')
  if (!tenant) throw new Refusal('status_list.not_found', 'There is no such status list.')
  return tenant
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
