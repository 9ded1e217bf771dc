import type { OpenIdPresentation } from '../../../entities/openid/presentations.ts'
import { inTenant } from '../../../entities/orm.ts'
import { inBrowser, type RequestState } from '../../../protocol/openid/presentations/requests.ts'
import type { Dependencies } from '../../dependencies.ts'
import { digestOf, isSame, newSecret } from '../../frame/secrets.ts'
import type { Tenants } from '../../frame/tenants/index.ts'
import type { SignInRequests } from '../verifiers/asking.ts'
import type { SignInSecrets } from '../verifiers/secrets.ts'
import { backTo, type Links, type RequestLinks } from './links.ts'
import { notYours, type PageOfBrowser, type RequestRows, requestNotFound } from './rows.ts'
import { type BrowserRequest, browserRequestOf, browserSession, signedBy, walletRequestOf } from './wallet-requests.ts'

/** What a page says of its request. `returning`: the wallet leads its holder back; `done`: so does the page. */
export type PageState = 'waiting' | 'returning' | 'done' | 'refused' | 'expired' | 'over'

export interface PageLook {
  state: PageState
  failures: number
}

export interface PageView extends PageLook, RequestLinks {
  /** Who asks, where the request says it. */
  clientName: string | null
  /** The verifier's address, where the page leads back to. */
  redirectUri: string
}

/** What the cookie of a browser gets, and how long it lasts. */
export interface NewBrowser {
  secret: string
  seconds: number
}

/** The tenant whose address a browser opens. */
export interface PagePlace {
  tenantId: string
  /** The origin that pages are opened at, and wallets are asked for. */
  origin: string
  /** Whether the browser asks there, and not at another domain of the tenant. */
  isThere: boolean
}

interface Parts extends Pick<Dependencies, 'database' | 'now'> {
  tenants: Pick<Tenants, 'byHost'>
  rows: RequestRows
  links: Links
  secrets: SignInSecrets
  signInRequests: SignInRequests
}

const ENDS: Partial<Record<RequestState, PageState>> = { REFUSED: 'refused', EXPIRED: 'expired' }

/** The platform's own pages of requests: each belongs to the browser that opened it first. */
export function createRequestPages(parts: Parts) {
  const { database, now, tenants, rows, links, secrets, signInRequests } = parts

  function stateOf(row: OpenIdPresentation): PageState {
    if (rows.isOpen(row)) return 'waiting'
    if (row.state !== 'VERIFIED') return ENDS[row.state] ?? 'expired'
    if (row.redeemedAt) return 'over'
    return row.answeredBy === 'same' ? 'returning' : 'done'
  }

  async function toView(row: OpenIdPresentation): Promise<PageView> {
    const { redirectUri, failures, clientName } = row
    if (!redirectUri) throw new Error(`the request ${row.id} has a page and no redirect URI`)
    const { uri, sameDeviceUri } = await links.linksOf(row.tenantId, row)
    return { state: stateOf(row), failures, clientName: clientName ?? null, redirectUri, uri, sameDeviceUri }
  }

  return {
    /** Throws `openid_presentation.not_found` where the host is of no tenant. */
    async placeAt(host: string): Promise<PagePlace> {
      const tenant = await tenants.byHost(host)
      if (!tenant) throw requestNotFound()
      const { id: tenantId, baseUrl: origin } = tenant
      return { tenantId, origin, isThere: tenant.origin === origin }
    },

    /**
     * Shows the page. The first browser that opens it gets a secret for its cookie, and the page is that browser's from
     * then on. Throws `openid_presentation.not_found`, `.not_yours`.
     */
    openPage: (
      tenantId: string,
      { page, browser }: PageOfBrowser,
    ): Promise<{ view: PageView; newBrowser: NewBrowser | undefined }> =>
      inTenant(database.tenants, tenantId, async (em) => {
        // of two browsers at once the second finds the first one's secret
        const row = await rows.byPage(em, page, true)
        if (!row.browserDigest) {
          const [secret, at] = [newSecret(), now()]
          Object.assign(row, { browserDigest: digestOf(secret), updatedAt: at })
          const seconds = Math.max(1, Math.floor((row.keptUntil.getTime() - at.getTime()) / 1000))
          return { view: await toView(row), newBrowser: { secret, seconds } }
        }
        if (browser === undefined || !isSame(digestOf(browser), row.browserDigest)) throw notYours()
        return { view: await toView(row), newBrowser: undefined }
      }),

    /** What has become of the request. Throws `openid_presentation.not_found`, `.not_yours`. */
    look: (tenantId: string, of: PageOfBrowser): Promise<PageLook> =>
      inTenant(database.tenants, tenantId, async (em) => {
        const row = await rows.ofPage(em, of)
        return { state: stateOf(row), failures: row.failures }
      }),

    /**
     * What the page gives to its browser (Digital Credentials API), signed for its origin. Throws `openid_presentation.*`,
     * `oidc_verifier.*`.
     */
    async browserRequest({ tenantId, origin }: PagePlace, of: PageOfBrowser): Promise<BrowserRequest> {
      const row = await inTenant(database.tenants, tenantId, (em) => rows.ofPage(em, of))
      rows.assertOpen(row)
      const content = { ...rows.opened(row), expectedOrigins: [origin] }
      const { clientIdentifier, clientName, certificateChain, expiresAt } = row
      const responseMode = inBrowser(row.responseMode)
      const asked = { clientIdentifier, clientName, certificateChain, expiresAt, responseMode }
      const session = browserSession(secrets, row.id, now())
      return browserRequestOf(
        await signInRequests.sign(tenantId, signedBy(row, content), walletRequestOf(asked, content, session)),
      )
    },

    /**
     * Where the page leads its browser when a wallet has presented: to the verifier with the response code. After a wallet
     * on the same device only the browser that the wallet came back to has `returnCode`. Undefined: not yet. Throws
     * `openid_presentation.not_found`, `.not_yours`.
     */
    finish: (tenantId: string, of: PageOfBrowser, returnCode: string | undefined): Promise<string | undefined> =>
      inTenant(database.tenants, tenantId, async (em) => {
        const row = await rows.ofPage(em, of)
        const state = stateOf(row)
        const isBack = state === 'returning' && returnCode !== undefined && secrets.isReturnCode(row.id, returnCode)
        return state === 'done' || isBack ? backTo(row, secrets.responseCode(row.id)) : undefined
      }),

    /**
     * Ends a request whose person does not want to present, and returns the verifier's address. Throws
     * `openid_presentation.not_found`, `.not_yours`.
     */
    cancel: (tenantId: string, of: PageOfBrowser): Promise<string> =>
      inTenant(database.tenants, tenantId, async (em) => {
        const row = await rows.ofPage(em, of, true)
        if (rows.isOpen(row))
          await rows.end(em, row, rows.opened(row), { state: 'REFUSED', code: 'openid_presentation.declined' })
        return (await toView(row)).redirectUri
      }),
  }
}

export type RequestPages = ReturnType<typeof createRequestPages>
