import { isObject, type Json } from '../../json.ts'
import { MAX_BATCH } from './authorization/types.ts'
import { refuseMember, walletRefusal } from './refusals.ts'
import { PRE_AUTHORIZED } from './session.ts'

/** A request comes in the casing of the standards, from wallets, or in that of the specification, from REST clients (D-465). */
export type Casing = 'snake' | 'camel'

const MAX_TEXT = 4_096

/** A member that is a text; undefined where it is absent. Throws `wallet.<code>` for any other value. */
function textOf(body: Json, names: readonly string[], code: 'invalid_request' | 'invalid_credential_request') {
  const given = names.filter((name) => body[name] !== undefined && body[name] !== null)
  const [name] = given
  if (name === undefined) return undefined
  if (given.length > 1) throw refuseMember(code, name, 'repeated', `expected one of ${given.join(' and ')}`)
  const value = body[name]
  if (typeof value !== 'string') throw refuseMember(code, name, 'type', 'expected a text')
  if (value === '' || value.length > MAX_TEXT)
    throw refuseMember(code, name, 'length', `expected 1 to ${MAX_TEXT} characters`)
  return value
}

export interface PreAuthorizedRequest {
  grantType: 'pre-authorized_code'
  code: string
  txCode?: string
}

export interface AuthorizationCodeRequest {
  grantType: 'authorization_code'
  code: string
  codeVerifier: string
  redirectUri: string
}

export interface RefreshRequest {
  grantType: 'refresh_token'
  refreshToken: string
  /** Of what was granted; absent: all of it. */
  scope?: string
}

export type TokenRequest = (PreAuthorizedRequest | AuthorizationCodeRequest | RefreshRequest) & {
  clientId?: string
  casing: Casing
  /** Configurations whose authorization details the wallet asks for; absent: it asks for none. */
  configurationIds?: string[]
}

const GRANTS = `authorization_code, refresh_token or ${PRE_AUTHORIZED}`

/** RFC 7636, section 4.1. */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/
const MAX_DETAILS = 20

/**
 * The configurations in `authorization_details`, JSON as a text in a form (OpenID4VCI 1.0, section 5.1.1); undefined: there
 * are none. Throws `wallet.invalid_authorization_details`.
 */
export function readDetails(given: unknown): string[] | undefined {
  if (given === undefined || given === null) return undefined
  const refuse = (message: string) =>
    refuseMember('invalid_authorization_details', 'authorization_details', 'details', message)
  let details: unknown = given
  if (typeof given === 'string') {
    try {
      details = JSON.parse(given)
    } catch {
      throw refuse('expected JSON')
    }
  }
  if (!Array.isArray(details) || details.length === 0 || details.length > MAX_DETAILS)
    throw refuse(`expected a list of 1 to ${MAX_DETAILS} objects`)
  return details.map((detail: unknown) => {
    if (
      !isObject(detail) ||
      detail.type !== 'openid_credential' ||
      typeof detail.credential_configuration_id !== 'string'
    )
      throw refuse('expected objects of the type openid_credential with a credential_configuration_id')
    return detail.credential_configuration_id
  })
}

/**
 * Reads a token request, a form or JSON. Members that the standards do not know are ignored (RFC 6749, section 3.2). Throws
 * `wallet.invalid_request`, `wallet.unsupported_grant_type`, `wallet.invalid_authorization_details`.
 */
export function readTokenRequest(body: Json): TokenRequest {
  const text = (...names: string[]) => textOf(body, names, 'invalid_request')
  const required = (value: string | undefined, name: string): string => {
    if (value !== undefined) return value
    throw refuseMember('invalid_request', name, 'required', `expected ${name}`)
  }
  const casing: Casing = body.grantType === undefined ? 'snake' : 'camel'
  const grantType = required(text('grant_type', 'grantType'), 'grant_type')
  const clientId = text('client_id', 'clientId')
  const configurationIds = readDetails(body.authorization_details)
  const common = { casing, ...(clientId !== undefined && { clientId }), ...(configurationIds && { configurationIds }) }
  if (grantType === PRE_AUTHORIZED) {
    const code = required(text('pre-authorized_code', 'preAuthorizedCode'), 'pre-authorized_code')
    const txCode = text('tx_code', 'txCode')
    return { grantType: 'pre-authorized_code', code, ...(txCode !== undefined && { txCode }), ...common }
  }
  if (grantType === 'refresh_token') {
    const refreshToken = required(text('refresh_token', 'refreshToken'), 'refresh_token')
    const scope = text('scope')
    return { grantType, refreshToken, ...(scope !== undefined && { scope }), ...common }
  }
  if (grantType !== 'authorization_code')
    throw walletRefusal('unsupported_grant_type', `The grant type is not supported: expected ${GRANTS}.`, [
      { path: 'grant_type', code: 'choice', message: `expected ${GRANTS}` },
    ])
  const code = required(text('code'), 'code')
  const codeVerifier = text('code_verifier', 'codeVerifier')
  // as one that does not fit (RFC 7636, section 4.6): who has the code alone learns nothing of it
  if (codeVerifier === undefined)
    throw refuseMember('invalid_grant', 'code_verifier', 'required', 'expected a code_verifier')
  const redirectUri = required(text('redirect_uri', 'redirectUri'), 'redirect_uri')
  if (!VERIFIER.test(codeVerifier))
    throw refuseMember('invalid_request', 'code_verifier', 'form', 'expected 43 to 128 unreserved characters')
  return { grantType, code, codeVerifier, redirectUri, ...common }
}

/** How a wallet names what it wants. */
export type Wanted =
  | { by: 'configuration'; id: string }
  | { by: 'identifier'; id: string }
  /** As the specification does: by format and types. */
  | { by: 'format'; format: string; types: string[] }

/** A JWT, with its place in the body. */
export interface SentProof {
  jwt: string
  at: string
}

export interface CredentialRequest {
  wanted: Wanted
  /** Of the type `jwt`. */
  proofs: SentProof[]
  /** Of the type `attestation`, in place of the others. */
  attestation?: SentProof
}

const BAD = 'invalid_credential_request' as const

function typesOf(value: unknown, at: string): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value]
  if (list.length === 0 || list.length > 50 || !list.every((each) => typeof each === 'string'))
    throw refuseMember(BAD, at, 'type', 'expected the types of the credential')
  return list as string[]
}

/** What the specification's four variants name (api.md, 2.13); the reference spells the member in three ways. */
function wantedByFormat(body: Json, format: string): Wanted {
  const definition = ['credential_definition', 'credentialDefinition', 'credentialDefination'].find(
    (name) => body[name] !== undefined,
  )
  if (definition !== undefined) {
    const value = body[definition]
    if (!isObject(value)) throw refuseMember(BAD, definition, 'type', 'expected an object with type')
    const at = `${definition}.type`
    return { by: 'format', format, types: typesOf(value.type, at).filter((type) => type !== 'VerifiableCredential') }
  }
  const member = ['type', 'types', 'doctype', 'docType', 'vct'].find((name) => body[name] !== undefined)
  if (member === undefined)
    throw refuseMember(
      BAD,
      'credential_definition',
      'required',
      'expected credential_definition, type, types, doctype or vct',
    )
  return { by: 'format', format, types: typesOf(body[member], member) }
}

function wantedOf(body: Json): Wanted {
  const id = textOf(body, ['credential_configuration_id', 'credentialConfigurationId'], BAD)
  const identifier = textOf(body, ['credential_identifier', 'credentialIdentifier'], BAD)
  const format = textOf(body, ['format'], BAD)
  if ([id, identifier, format].filter((each) => each !== undefined).length !== 1)
    throw refuseMember(
      BAD,
      '',
      'choice',
      'expected exactly one of credential_configuration_id, credential_identifier and format',
    )
  if (id !== undefined) return { by: 'configuration', id }
  if (identifier !== undefined) return { by: 'identifier', id: identifier }
  return wantedByFormat(body, format ?? '')
}

const invalidProof = (at: string, message: string) => refuseMember('invalid_proof', at, 'proof', message)

type Proofs = Pick<CredentialRequest, 'proofs' | 'attestation'>

/** An attestation of all keys, or proofs of each of them (appendix F). */
function proofsOfTypes(many: Json): Proofs {
  const types = Object.keys(many)
  const [type = ''] = types
  if (types.length !== 1 || !['jwt', 'attestation'].includes(type))
    throw invalidProof('proofs', 'expected one member, jwt or attestation')
  const list = many[type]
  const most = type === 'jwt' ? MAX_BATCH : 1
  if (!Array.isArray(list) || list.length === 0 || list.length > most)
    throw invalidProof(`proofs.${type}`, most === 1 ? 'expected one JWT' : `expected 1 to ${most} JWTs`)
  const sent = list.map((each: unknown, nth): SentProof => {
    if (typeof each !== 'string') throw invalidProof(`proofs.${type}.${nth}`, 'expected a JWT')
    return { jwt: each, at: `proofs.${type}.${nth}` }
  })
  const [attestation] = type === 'attestation' ? sent : []
  return attestation ? { proofs: [], attestation } : { proofs: sent }
}

/** `proof` with one JWT, of the specification and of older wallets, or `proofs` with several. */
function proofsOf({ proof, proofs }: Json): Proofs {
  const [one, many] = [proof ?? undefined, proofs ?? undefined]
  if (one !== undefined && many !== undefined)
    throw refuseMember(BAD, 'proof', 'repeated', 'expected one of proof and proofs')
  if (one !== undefined) {
    if (!isObject(one)) throw invalidProof('proof', 'expected an object')
    const type = one.proof_type ?? one.proofType
    if (type !== 'jwt') throw invalidProof('proof.proof_type', 'expected jwt')
    if (typeof one.jwt !== 'string') throw invalidProof('proof.jwt', 'expected a JWT')
    return { proofs: [{ jwt: one.jwt, at: 'proof.jwt' }] }
  }
  if (many === undefined) return { proofs: [] }
  if (!isObject(many)) throw invalidProof('proofs', 'expected an object')
  return proofsOfTypes(many)
}

/**
 * Reads a credential request in the form of OpenID4VCI 1.0, section 8.2, or of the specification. Throws
 * `wallet.invalid_credential_request`, `wallet.invalid_proof`.
 */
export function readCredentialRequest(given: Json): CredentialRequest {
  const body = isObject(given.request) ? given.request : given
  return { wanted: wantedOf(body), ...proofsOf(body) }
}

const NOTIFICATIONS = ['credential_accepted', 'credential_failure', 'credential_deleted'] as const
export type NotificationEvent = (typeof NOTIFICATIONS)[number]

/** Reads a notification (OpenID4VCI 1.0, section 11.1); its description is not kept, because people write it. */
export function readNotification(body: Json): { notificationId: string; event: NotificationEvent } {
  const { notification_id: notificationId, event, event_description: description } = body
  const refuse = (path: string, message: string) =>
    refuseMember('invalid_notification_request', path, 'notification', message)
  if (typeof notificationId !== 'string' || notificationId === '')
    throw refuse('notification_id', 'expected the notification_id of a credential response')
  const known = NOTIFICATIONS.find((each) => each === event)
  if (!known) throw refuse('event', `expected one of ${NOTIFICATIONS.join(', ')}`)
  if (description !== undefined && typeof description !== 'string') throw refuse('event_description', 'expected a text')
  return { notificationId, event: known }
}

export function readDeferredRequest(body: Json): string {
  const { transaction_id: transactionId } = body
  if (typeof transactionId === 'string' && transactionId !== '') return transactionId
  throw refuseMember(BAD, 'transaction_id', 'required', 'expected the transaction_id of a credential response')
}
