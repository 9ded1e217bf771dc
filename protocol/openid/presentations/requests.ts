import { type FieldError, Refusal } from '../../errors.ts'
import { LOOPBACK_HOSTS } from '../../hosts/names.ts'
import { NOT_OF_URLS, readCalledUrl } from '../../hosts/urls.ts'
import type { Json } from '../../json.ts'
import { isLabel, LABEL_EXPECTED } from '../../names.ts'
import { type TrustedContexts, trustedContextsErrors } from '../../semantic-credentials/warnings.ts'
import { type DcqlQuery, needsHolder } from '../dcql/query.ts'
import { readDcqlQuery } from '../dcql/read.ts'
import { readAttestation } from '../verifiers/attestations.ts'
import { readTransactions, type TransactionEntry } from './transactions.ts'

/** Waits for a wallet; a wallet has read it; presented; refused by the wallet or by the checks; nobody presented in time. */
export const REQUEST_STATES = ['PENDING', 'FETCHED', 'VERIFIED', 'REFUSED', 'EXPIRED'] as const
export type RequestState = (typeof REQUEST_STATES)[number]

export interface PresentationSubject {
  tenantId: string
  presentationId: string
}

/** What the workflow of a request finds: when it looks again; absent: the request has ended. */
export interface PresentationLook {
  nextInMs?: number
}

export const RESPONSE_MODES = ['direct_post', 'direct_post.jwt', 'dc_api', 'dc_api.jwt'] as const
export type ResponseMode = (typeof RESPONSE_MODES)[number]

/** How wallets fetch their request: `post`, if they can, with what they are able to (OpenID4VP 1.0, section 5.10). */
export const REQUEST_URI_METHODS = ['get', 'post'] as const
export type RequestUriMethod = (typeof REQUEST_URI_METHODS)[number]

/** Whether the wallet answers through the browser that asks (Digital Credentials API). */
export const isOfBrowser = (mode: ResponseMode): boolean => mode === 'dc_api' || mode === 'dc_api.jwt'
export const isEncrypted = (mode: ResponseMode): boolean => mode.endsWith('.jwt')

/** How a wallet answers through the browser of the platform's page, as openly as by the way of the request. */
export const inBrowser = (mode: ResponseMode): ResponseMode => (isEncrypted(mode) ? 'dc_api.jwt' : 'dc_api')

/** The audience of what is presented to a page (OpenID4VP 1.0, appendix A.4). */
export const audienceOf = (origin: string): string => `origin:${origin}`

export const CLIENT_ID_PREFIXES = [
  'decentralized_identifier',
  'verifier_attestation',
  'x509_hash',
  'x509_san_dns',
] as const
export type ClientIdPrefix = (typeof CLIENT_ID_PREFIXES)[number]

/** What a client of the API asks for. */
export interface PresentationRequestInput {
  /** Whose DID and certificates are used. */
  verifierId?: string
  verifierDid?: string
  /** In PEM. */
  certificateChain?: string
  /** A JWT by which somebody vouches for the key of the DID. */
  verifierAttestation?: string
  clientIdPrefix?: ClientIdPrefix
  clientName?: string
  dcqlQuery?: Json
  /** With `dcqlQuery`: contexts of credentials of JSON-LD beside the bundled and the registered ones. */
  trustedContexts?: TrustedContexts
  presentationTemplateId?: string
  responseMode: ResponseMode
  /** How the links ask wallets to fetch the request; absent: as the verifier of `verifierId` does. */
  requestUriMethod?: RequestUriMethod
  redirectUri?: string
  /** A page of the platform shows the request to a person. */
  page?: boolean
  /** Of the pages whose browser asks; only where the answer comes through it. */
  expectedOrigins?: readonly string[]
  transactionData?: readonly Json[]
  lifetimeSeconds: number
  keptSeconds: number
}

export const LIFETIME_SECONDS = { default: 600, least: 30, most: 86_400 } as const
/** After the end of the request. */
export const KEPT_SECONDS = { default: 86_400, least: 60, most: 30 * 86_400 } as const
const MAX_URI = 2_048
const MAX_ORIGINS = 10

export const invalidRequest = (errors: FieldError[]) =>
  new Refusal('openid_presentation.invalid', 'The request has values that cannot be used; see errors.', errors)

/** A scheme of an app, by its reversed domain (RFC 8252, section 7.1). */
const OF_APPS = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/

function redirectErrors(uri: string): FieldError[] {
  const broken = (code: string, message: string) => [{ path: 'redirectUri', code, message }]
  if (uri.length > MAX_URI) return broken('length', `expected at most ${MAX_URI} characters`)
  if (/[^\x21-\x7e]/.test(uri) || NOT_OF_URLS.test(uri) || !URL.canParse(uri))
    return broken('url', 'expected an absolute URI in ASCII')
  if (uri.includes('#')) return broken('fragment', 'expected no fragment')
  const url = new URL(uri)
  if (url.username || url.password) return broken('user_info', 'expected no user info before the host')
  if (url.searchParams.has('response_code')) return broken('query', 'expected no response_code: the platform adds it')
  if (OF_APPS.test(url.protocol) || (url.protocol === 'http:' && LOOPBACK_HOSTS.has(url.hostname))) return []
  const read = readCalledUrl(uri, { query: 'keep' })
  if ('url' in read) return []
  const others = ', http on loopback, or a scheme such as com.example.app:'
  return broken(read.fault.rule, `expected an https URL of a public host${others}: ${read.fault.message}`)
}

const isOrigin = (text: string): boolean => {
  if (text.length > MAX_URI || !URL.canParse(text)) return false
  const { origin, protocol, hostname } = new URL(text)
  return origin === text && (protocol === 'https:' || (protocol === 'http:' && LOOPBACK_HOSTS.has(hostname)))
}

function browserErrors({ responseMode, expectedOrigins, redirectUri }: PresentationRequestInput): FieldError[] {
  const path = 'expectedOrigins'
  if (!isOfBrowser(responseMode)) {
    if (expectedOrigins === undefined) return []
    return [{ path, code: 'exclusive', message: `expected none with ${responseMode}: no page asks` }]
  }
  const errors: FieldError[] = []
  if (redirectUri !== undefined)
    errors.push({ path: 'redirectUri', code: 'exclusive', message: `expected none with ${responseMode}` })
  const { length } = expectedOrigins ?? []
  if (length === 0 || length > MAX_ORIGINS)
    errors.push({ path, code: 'count', message: `expected 1 to ${MAX_ORIGINS} origins of pages with ${responseMode}` })
  for (const [nth, origin] of expectedOrigins?.entries() ?? [])
    if (!isOrigin(origin))
      errors.push({
        path: `${path}.${nth}`,
        code: 'origin',
        message: 'expected an origin, such as https://shop.example',
      })
  return errors
}

function methodErrors({ requestUriMethod, responseMode }: PresentationRequestInput): FieldError[] {
  if (requestUriMethod !== 'post' || !isOfBrowser(responseMode)) return []
  const message = `expected none with ${responseMode}: the browser has the request, and nobody fetches it`
  return [{ path: 'requestUriMethod', code: 'exclusive', message }]
}

function pageErrors({ page, responseMode, redirectUri }: PresentationRequestInput): FieldError[] {
  if (page !== true) return []
  if (isOfBrowser(responseMode))
    return [{ path: 'page', code: 'exclusive', message: `expected none with ${responseMode}: a page of yours asks` }]
  if (redirectUri !== undefined) return []
  return [{ path: 'redirectUri', code: 'required', message: 'expected where the page leads back to' }]
}

function contextErrors({ trustedContexts, dcqlQuery }: PresentationRequestInput): FieldError[] {
  if (trustedContexts === undefined) return []
  if (dcqlQuery !== undefined) return trustedContextsErrors(trustedContexts).slice(0, 20)
  const message = 'expected none with a presentation template, which has its own'
  return [{ path: 'trustedContexts', code: 'exclusive', message }]
}

function within(value: number, { least, most }: { least: number; most: number }, path: string): FieldError[] {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return []
  return [{ path, code: 'range', message: `expected ${least} to ${most} seconds` }]
}

/** A member, and what it has. */
type Choice = [name: string, value: unknown, is: string]

/** Exactly one of two members. */
function eitherOf(...choices: [Choice, Choice]): FieldError[] {
  const [[path, one, is], [otherPath, other, otherIs]] = choices
  if ((one === undefined) !== (other === undefined)) return []
  if (one !== undefined)
    return [{ path: otherPath, code: 'exclusive', message: `expected exactly one of ${path} and ${otherPath}` }]
  return [{ path, code: 'required', message: `expected ${path}, ${is}, or else ${otherPath}, ${otherIs}` }]
}

const ID_OF_VERIFIER = 'the id of a verifier of createOidcVerifier'

/** Its id leads to nobody of the tenant. */
export const unknownVerifier = () =>
  new Refusal('oidc_verifier.not_found', 'The tenant has no verifier with the id in verifierId; see errors.', [
    {
      path: 'verifierId',
      code: 'unknown',
      message: `expected ${ID_OF_VERIFIER}, as indexOidcVerifier lists it; without one, leave it out and name a DID in verifierDid`,
    },
  ])

function namingErrors(input: PresentationRequestInput): FieldError[] {
  const { verifierId, verifierDid, certificateChain, clientIdPrefix, clientName } = input
  const errors = eitherOf(
    ['verifierDid', verifierDid, 'a DID of the tenant with a P-256 or an Ed25519 key'],
    ['verifierId', verifierId, ID_OF_VERIFIER],
  )
  if (verifierId !== undefined && certificateChain)
    errors.push({ path: 'certificateChain', code: 'exclusive', message: 'expected none: the verifier has its own' })
  const isCertified = clientIdPrefix?.startsWith('x509_')
  if (verifierId === undefined && isCertified === true && !certificateChain)
    errors.push({ path: 'certificateChain', code: 'required', message: `expected certificates for ${clientIdPrefix}` })
  if (clientIdPrefix === 'decentralized_identifier' && certificateChain)
    errors.push({ path: 'certificateChain', code: 'exclusive', message: `expected none with ${clientIdPrefix}` })
  if (clientName !== undefined && !isLabel(clientName))
    errors.push({ path: 'clientName', code: 'text', message: LABEL_EXPECTED })
  return errors
}

function attestationErrors(input: PresentationRequestInput): FieldError[] {
  const { verifierAttestation: jwt, clientIdPrefix, certificateChain, responseMode } = input
  const path = 'verifierAttestation'
  const isNamed = clientIdPrefix === 'verifier_attestation'
  if (jwt === undefined)
    return isNamed ? [{ path, code: 'required', message: `expected a verifier attestation for ${clientIdPrefix}` }] : []
  if (clientIdPrefix !== undefined && !isNamed)
    return [{ path, code: 'exclusive', message: `expected none with ${clientIdPrefix}` }]
  if (certificateChain !== undefined)
    return [{ path: 'certificateChain', code: 'exclusive', message: 'expected none with a verifier attestation' }]
  const read = readAttestation(jwt)
  if ('errors' in read) return read.errors
  // wallets compare response_uri with them (sections 5.9.3 and 8.2), and each request has another one
  if (read.attestation.listsAddresses && !isOfBrowser(responseMode))
    return [{ path, code: 'redirect_uris', message: `expected no redirect_uris with ${responseMode}` }]
  return []
}

/** What is asked for, once it is known to be well formed. */
export interface Asked {
  query: DcqlQuery
  transactionData?: TransactionEntry[]
}

/** Throws `Refusal('openid_presentation.invalid')` with every rule that the input breaks. `query`: of a template. */
export function checkRequest(input: PresentationRequestInput, query?: DcqlQuery): Asked {
  const { dcqlQuery, presentationTemplateId, redirectUri, lifetimeSeconds, keptSeconds, transactionData } = input
  const read = dcqlQuery === undefined ? undefined : readDcqlQuery(dcqlQuery, 'dcqlQuery')
  const errors = [
    ...eitherOf(
      ['dcqlQuery', dcqlQuery, 'what is asked for'],
      ['presentationTemplateId', presentationTemplateId, 'the id of a presentation template'],
    ),
    ...namingErrors(input),
    ...attestationErrors(input),
    ...browserErrors(input),
    ...pageErrors(input),
    ...methodErrors(input),
    ...contextErrors(input),
    ...(read?.errors ?? []),
    ...(redirectUri === undefined ? [] : redirectErrors(redirectUri)),
    ...within(lifetimeSeconds, LIFETIME_SECONDS, 'expiresInSec'),
    ...within(keptSeconds, KEPT_SECONDS, 'keptForSec'),
  ]
  const asked = read?.query ?? query ?? { credentials: [] }
  const data = transactionData && readTransactions(transactionData, asked, 'transactionData')
  errors.push(...(data?.errors ?? []))
  if (errors.length > 0) throw invalidRequest(errors.slice(0, 50))
  return { query: asked, ...(data && { transactionData: data.entries }) }
}

/** A wallet returns `state` where somebody may present without a signature for this request (section 5.3). */
export const needsState = ({ credentials }: DcqlQuery): boolean => !credentials.every(needsHolder)
