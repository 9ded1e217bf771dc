import { defineEntity, p } from '@mikro-orm/core'
import type { RequestState, RequestUriMethod, ResponseMode } from '../../protocol/openid/presentations/requests.ts'
import { EVERYTHING, owned, ownedByTenant, type Rights } from '../base.ts'

/** A request for credentials that a client of the API makes, and what came of it. */
const OpenIdPresentationSchema = defineEntity({
  name: 'OpenIdPresentation',
  tableName: 'openid_presentations',
  filters: ownedByTenant,
  properties: {
    ...owned,
    verifierDid: p.text(),
    /** DER in base64, the verifier's own first; null: wallets know it by its DID. */
    certificateChain: p.array().nullable(),
    /** As wallets know the verifier. */
    clientIdentifier: p.text(),
    clientName: p.text().nullable(),
    responseMode: p.text().$type<ResponseMode>(),
    /** How the link asks wallets to fetch the request; null: get. */
    requestUriMethod: p.text().$type<RequestUriMethod>().nullable(),
    /** Where the wallet leads its holder, on the device of the browser. */
    redirectUri: p.text().nullable(),
    /** SHA-256 of what names the wallet's request, on another device and on the same one. */
    otherDeviceDigest: p.blob(),
    sameDeviceDigest: p.blob(),
    /** SHA-256 of what names the page of the platform; null: there is none. */
    pageDigest: p.blob().nullable(),
    /** SHA-256 of the cookie of the browser that opened the page first. */
    browserDigest: p.blob().nullable(),
    state: p.text().$type<RequestState>(),
    /** How the wallet answered: by one of the two, or through the browser. */
    answeredBy: p.text().$type<'other' | 'same' | 'browser'>().nullable(),
    /** Answers that were taken for verification, whatever came of them. */
    attempts: p.integer().default(0),
    failures: p.integer().default(0),
    failureCode: p.text().nullable(),
    /** JSON, encrypted: what is asked for, the key of the answer until there is one, and what was presented. */
    content: p.blob(),
    /** Of the request that began it, for the log. */
    requestId: p.uuid(),
    clientId: p.text(),
    expiresAt: p.datetime(),
    fetchedAt: p.datetime().nullable(),
    endedAt: p.datetime().nullable(),
    /** When the client had the answer of a wallet on the browser's device, by its response code. */
    redeemedAt: p.datetime().nullable(),
    /** The row is deleted then. */
    keptUntil: p.datetime(),
    updatedAt: p.datetime(),
  },
})
export class OpenIdPresentation extends OpenIdPresentationSchema.class {}
OpenIdPresentationSchema.setClass(OpenIdPresentation)

export const RIGHTS = {
  openid_presentations: { app: EVERYTHING, system: 'select, delete' },
} satisfies Rights
