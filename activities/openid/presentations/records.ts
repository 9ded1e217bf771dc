import type { RequestState, RequestUriMethod } from '../../../protocol/openid/presentations/requests.ts'
import type { PresentationVerdict } from './verify.ts'
import type { BrowserRequest } from './wallet-requests.ts'

/** A request, as the client of the API sees it. */
export interface PresentationRequestRecord {
  id: string
  state: RequestState
  /** As wallets know the verifier. */
  clientId: string
  responseMode: string
  requestUriMethod: RequestUriMethod
  redirectUri: string | null
  failures: number
  failureCode: string | null
  createdAt: string
  expiresAt: string
  endedAt: string | null
  keptUntil: string
  /** What the wallet presented waits for the response code of the browser. */
  needsResponseCode: boolean
}

export interface CreatedPresentationRequest extends PresentationRequestRecord {
  /** Opens a wallet on another device: for a QR code. */
  uri: string | null
  qrCode: string | null
  /** Opens a wallet on the device of the browser. */
  sameDeviceUri: string | null
  /** What a page gives to its browser (Digital Credentials API). */
  browserRequest: BrowserRequest | null
  /** The page of the platform that shows the links, where the request has one. */
  pageUri: string | null
}

export interface PresentationRequestDetails extends PresentationRequestRecord {
  credentials: PresentationVerdict[]
}
