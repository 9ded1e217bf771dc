import type { Request, Response } from 'express'
import type { StrangerCall } from '../../../activities/administration/accounts/calls.ts'
import type { DeviceMark } from '../../../activities/administration/accounts/devices.ts'
import type { Opened } from '../../../activities/administration/accounts/sessions.ts'
import type { Platform } from '../../../activities/index.ts'
import { Refusal } from '../../../protocol/errors.ts'

/** How the platform is reached, which decides what its cookies may be. */
type Site = Platform['accounts']['site']

/**
 * With the prefix browsers take the cookie from this very host alone, and over https (RFC 6265bis, section 4.1.3.2): no
 * subdomain of a tenant plants another session. It needs the path /, which http does without (D-629).
 */
const nameOf = (name: string, { isSecure }: Site) => `${isSecure ? '__Host-' : ''}countersign_${name}`

const PATH = '/v1/auth'

const optionsOf = ({ isSecure }: Site) =>
  ({ httpOnly: true, sameSite: 'strict', secure: isSecure, path: isSecure ? '/' : PATH }) as const

/** The value of a cookie; of one that was sent twice nobody knows which is ours. */
function cookieOf({ headers }: Request, name: string): string | undefined {
  const found = (headers.cookie ?? '').split(';').flatMap((each) => {
    const [own = '', value = ''] = each.trim().split(/=(.*)/s)
    return own === name ? [value] : []
  })
  return found.length === 1 ? found[0] : undefined
}

export const browserOf = (request: Request, site: Site) => ({
  refreshToken: cookieOf(request, nameOf('refresh', site)),
  deviceMark: cookieOf(request, nameOf('device', site)),
})

export const responseOf = ({ res }: Request): Response => {
  if (!res) throw new Error('a request has its response')
  return res
}

/** A request of a stranger; its log entry is in the log of the first tenant. */
export async function asStranger(request: Request, { tenants }: Platform): Promise<StrangerCall> {
  const { locals } = responseOf(request)
  const { id: tenantId } = await tenants.first()
  Object.assign(locals, { tenantId, clientId: null })
  return { requestId: locals.requestId as string, address: request.address }
}

export function keepRefreshToken(response: Response, site: Site, { refreshToken, refreshSeconds }: Opened): void {
  response.cookie(nameOf('refresh', site), refreshToken, { ...optionsOf(site), maxAge: refreshSeconds * 1000 })
}

export const dropRefreshToken = (response: Response, site: Site): void => {
  response.clearCookie(nameOf('refresh', site), optionsOf(site))
}

export function keepMark(response: Response, site: Site, mark: DeviceMark | undefined): void {
  if (mark) response.cookie(nameOf('device', site), mark.value, { ...optionsOf(site), maxAge: mark.seconds * 1000 })
}

/**
 * Refuses what another site, or another host of this site, makes a browser send with our cookie: such a page cannot set
 * the header without asking first, which this API never allows, and its browser says where it comes from. Throws
 * `session.cross_site`.
 */
export function assertSameSite({ headers }: Request, { origin }: Site): void {
  const from = headers.origin
  const fetchSite = headers['sec-fetch-site']
  const isOurs =
    headers['x-requested-with'] !== undefined &&
    (from === undefined || from === origin) &&
    (fetchSite === undefined || fetchSite === 'same-origin' || fetchSite === 'none')
  if (isOurs) return
  throw new Refusal(
    'session.cross_site',
    'A request with a cookie needs the header X-Requested-With, and comes only from pages of the platform.',
  )
}
