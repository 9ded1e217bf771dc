import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { OpenIdPresentation } from '../../../entities/openid/presentations.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { Json } from '../../../protocol/json.ts'
import type { DcqlQuery } from '../../../protocol/openid/dcql/query.ts'
import { PRESENTATION_ENTRY } from '../../../protocol/openid/entries.ts'
import type { EncryptionKey } from '../../../protocol/openid/presentations/encryption.ts'
import { isOfBrowser, type RequestState } from '../../../protocol/openid/presentations/requests.ts'
import type { TransactionEntry } from '../../../protocol/openid/presentations/transactions.ts'
import type { TrustedContexts } from '../../../protocol/semantic-credentials/warnings.ts'
import { derivedId } from '../../credentials/issue.ts'
import type { Dependencies } from '../../dependencies.ts'
import { addLogEntry } from '../../frame/log-entries.ts'
import type { Sealer } from '../../frame/sealing.ts'
import { digestOf, isSame } from '../../frame/secrets.ts'
import type { Events } from '../../webhooks/events.ts'
import type { WalletDevice } from '../verifiers/secrets.ts'
import type { PresentationVerdict } from './verify.ts'

/** What the row of a request keeps encrypted. */
export interface RequestContent {
  query: DcqlQuery
  transactionData?: TransactionEntry[]
  /** The template that the query was made from, as it was then. */
  template?: { query: unknown; trustedContexts?: TrustedContexts }
  /** Of a query of DCQL: contexts of credentials of JSON-LD beside the bundled and the registered ones. */
  trustedContexts?: TrustedContexts
  /** A JWT by which somebody vouches for the verifier. */
  attestation?: string
  /** Of the pages whose browser asks. */
  expectedOrigins?: readonly string[]
  /** Until the request has ended. */
  encryption?: EncryptionKey
  /** SHA-256 of the accepted answer of a link, in base64url. */
  answerDigest?: string
  /** Of the last answer; those of a refused one without what they say of a person. */
  credentials?: PresentationVerdict[]
}

type Owned = Pick<OpenIdPresentation, 'tenantId' | 'id'>

const boundTo = ({ tenantId, id }: Owned) => `${tenantId}/openid/presentations/${id}`

export const requestNotFound = () => new Refusal('openid_presentation.not_found', 'There is no such request.')

export const over = () =>
  new Refusal(
    'openid_presentation.over',
    'This request is not known, has ended, or was answered already. Begin a new one.',
  )

export const notYours = () =>
  new Refusal('openid_presentation.not_yours', 'This page was opened in another browser. Go on there.')

/** A page of the platform, and the cookie of the browser that asks for it. */
export interface PageOfBrowser {
  page: string
  browser: string | undefined
}

export const LOCK = { lockMode: LockMode.PESSIMISTIC_WRITE }

/** What an operator and the log are told of an end. */
interface End {
  state: Extract<RequestState, 'VERIFIED' | 'REFUSED' | 'EXPIRED'>
  code?: string
  /** The check of the presentation that failed. */
  reason?: string
}

/** Whichever device it is on. */
const named = (digest: Buffer) => ({ $or: [{ otherDeviceDigest: digest }, { sameDeviceDigest: digest }] })

interface Parts extends Pick<Dependencies, 'now' | 'uuid'> {
  sealer: Sealer
  webhookEvents: Pick<Events, 'emitEvent'>
}

/** Rows of requests. */
export function createRequestRows({ now, uuid, sealer, webhookEvents }: Parts) {
  const isOpen = ({ endedAt, expiresAt }: OpenIdPresentation): boolean => !endedAt && expiresAt > now()

  /** Throws `openid_presentation.over`. */
  function assertOpen(row: OpenIdPresentation): void {
    if (!isOpen(row)) throw over()
  }

  return {
    isOpen,
    assertOpen,

    sealed: (row: Owned, content: RequestContent): Buffer =>
      sealer.seal(Buffer.from(JSON.stringify(content)), boundTo(row)),

    opened: (row: OpenIdPresentation): RequestContent =>
      JSON.parse(sealer.open(row.content, boundTo(row)).toString('utf8')) as RequestContent,

    /** Throws `openid_presentation.not_found`. */
    async byId(em: SqlEntityManager, id: string, lock = false): Promise<OpenIdPresentation> {
      const row = await em.findOne(OpenIdPresentation, { id }, lock ? LOCK : {})
      if (!row) throw requestNotFound()
      return row
    },

    /** The request that a wallet names, and on which device that is. Throws `openid_presentation.over`. */
    async byName(em: SqlEntityManager, name: string, lock = false) {
      const digest = digestOf(name)
      const row = await em.findOne(OpenIdPresentation, named(digest), lock ? LOCK : {})
      if (!row || isOfBrowser(row.responseMode)) throw over()
      assertOpen(row)
      const way: WalletDevice = Buffer.from(row.sameDeviceDigest).equals(digest) ? 'same' : 'other'
      return { row, way }
    },

    /** The request that was answered with just this, until what was presented is redeemed. */
    async answeredWith(em: SqlEntityManager, name: string, answer: string): Promise<OpenIdPresentation | undefined> {
      const where = { ...named(digestOf(name)), state: 'VERIFIED' as const, redeemedAt: null }
      const row = await em.findOne(OpenIdPresentation, where)
      return row && this.opened(row).answerDigest === answer ? row : undefined
    },

    /** The request that a browser answers. Throws `openid_presentation.not_found`, `.over`. */
    async ofBrowser(em: SqlEntityManager, id: string, lock = false) {
      const row = await this.byId(em, id, lock)
      if (!isOfBrowser(row.responseMode)) throw over()
      assertOpen(row)
      return { row, way: 'browser' as const }
    },

    /** The request of a page of the platform. Throws `openid_presentation.not_found`. */
    async byPage(em: SqlEntityManager, page: string, lock = false): Promise<OpenIdPresentation> {
      const row = await em.findOne(OpenIdPresentation, { pageDigest: digestOf(page) }, lock ? LOCK : {})
      if (!row) throw requestNotFound()
      return row
    },

    /** The request of a page, for the browser that opened it first. Throws `.not_found`, `.not_yours`. */
    async ofPage(em: SqlEntityManager, { page, browser }: PageOfBrowser, lock = false): Promise<OpenIdPresentation> {
      const row = await this.byPage(em, page, lock)
      if (!row.browserDigest || browser === undefined || !isSame(digestOf(browser), row.browserDigest)) throw notYours()
      return row
    },

    /**
     * Ends a request, and tells the tenant's webhooks: no answer is taken any more, and the key of the answer is gone. Its row
     * is kept as long as before.
     */
    async end(em: SqlEntityManager, row: OpenIdPresentation, content: RequestContent, end: End): Promise<void> {
      const { state, code, reason } = end
      const { id, tenantId, requestId, clientId } = row
      const at = now()
      const { encryption: _, ...kept } = content
      const keptMs = row.keptUntil.getTime() - row.expiresAt.getTime()
      Object.assign(row, { state, failureCode: code ?? null, endedAt: at, updatedAt: at })
      Object.assign(row, { keptUntil: new Date(at.getTime() + keptMs), content: this.sealed(row, kept) })
      const metadata: Json = { id, state, ...(code !== undefined && { code }), ...(reason !== undefined && { reason }) }
      const outcome = state === 'VERIFIED' ? 'SUCCESS' : 'FAIL'
      const entry = { ...PRESENTATION_ENTRY, tenantId, requestId, clientId, outcome } as const
      addLogEntry(em, { now, uuid }, { ...entry, metadata: metadata as Record<string, string> })
      const payload = { requestId: id, state, failureCode: code ?? null }
      const type = 'OpenId4VpRequestEnded'
      await webhookEvents.emitEvent(em, { id: derivedId(tenantId, `openid4vp-event/${id}`), tenantId, type, payload })
    },
  }
}

export type RequestRows = ReturnType<typeof createRequestRows>
