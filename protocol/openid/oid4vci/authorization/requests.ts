import { isObject, type Json } from '../../../json.ts'
import { refuseMember, walletRefusal } from '../refusals.ts'
import { readDetails } from '../requests.ts'
import type { Target, WalletRequest } from './types.ts'

const MAX_TEXT = 2_000
/** Of all parameters that an authentication provider may get. */
const MAX_PARAMETERS = 8_000
const MAX_ISSUER_STATE = 500

/** Visible ASCII (RFC 6749, appendix A). */
const VISIBLE = /^[\x20-\x7e]+$/

/** SHA-256 in base64url (RFC 7636, section 4.2; RFC 9449, section 10). */
const DIGEST = /^[A-Za-z0-9_-]{43}$/

/** Parameters that are ours: a provider gets none of them, whatever it forwards. */
const OWN: ReadonlySet<string> = new Set([
  ...['response_type', 'response_mode', 'client_id', 'redirect_uri', 'state', 'scope', 'authorization_details'],
  ...['issuer_state', 'code_challenge', 'code_challenge_method', 'dpop_jkt', 'request', 'request_uri'],
  ...['client_assertion', 'client_assertion_type', 'client_secret', 'nonce', 'user_hint', 'wallet_issuer'],
])

/** The parameters of a query, each once (RFC 6749, section 3.1). An empty one counts as absent. */
export function parametersIn(query: URLSearchParams): Record<string, string> {
  const names = [...query.keys()]
  const repeated = names.find((name, at) => names.indexOf(name) < at)
  if (repeated !== undefined)
    throw refuseMember('invalid_request', repeated.slice(0, 100), 'repeated', 'expected each parameter once')
  return Object.fromEntries([...query].filter(([, value]) => value !== ''))
}

/** The parameters of a pushed request, a form or JSON. */
export function parametersOfBody(body: Json): Record<string, string> {
  return Object.fromEntries(
    Object.entries(body).flatMap(([name, value]): [string, string][] => {
      if (value === undefined || value === null || value === '') return []
      if (typeof value === 'string') return [[name, value]]
      if (name === 'authorization_details' && (isObject(value) || Array.isArray(value)))
        return [[name, JSON.stringify(value)]]
      throw refuseMember('invalid_request', name.slice(0, 100), 'type', 'expected a text')
    }),
  )
}

type Parameters = Readonly<Record<string, string>>

function textOf(parameters: Parameters, name: string, most = MAX_TEXT): string | undefined {
  const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined
  if (value === undefined) return undefined
  if (value.length > most || !VISIBLE.test(value))
    throw refuseMember('invalid_request', name, 'text', `expected 1 to ${most} characters of ASCII`)
  return value
}

function required(parameters: Parameters, name: string, most?: number): string {
  const value = textOf(parameters, name, most)
  if (value !== undefined) return value
  throw refuseMember('invalid_request', name, 'required', `expected ${name}`)
}

export const readClientId = (parameters: Parameters): string => required(parameters, 'client_id', 255)

/** Client and address, which are settled before anything is answered at that address. Throws `wallet.invalid_request`. */
export const readTarget = (parameters: Parameters): Target => ({
  clientId: readClientId(parameters),
  redirectUri: required(parameters, 'redirect_uri'),
})

/** The state of the wallet, which each answer at its address has; one that cannot be repeated has the request refused. */
export const readState = (parameters: Parameters): { state?: string } => {
  const state = textOf(parameters, 'state')
  return state === undefined ? {} : { state }
}

function readChallenge(parameters: Parameters): string {
  const challenge = required(parameters, 'code_challenge')
  // absent, it would be plain (RFC 7636, section 4.3)
  if (textOf(parameters, 'code_challenge_method') !== 'S256')
    throw refuseMember('invalid_request', 'code_challenge_method', 'choice', 'expected S256')
  if (!DIGEST.test(challenge))
    throw refuseMember('invalid_request', 'code_challenge', 'form', 'expected a SHA-256 in base64url')
  return challenge
}

function readOthers(parameters: Parameters): Record<string, string> {
  const others = Object.fromEntries(Object.entries(parameters).filter(([name]) => !OWN.has(name)))
  if (JSON.stringify(others).length <= MAX_PARAMETERS) return others
  throw refuseMember('invalid_request', '', 'too_large', `expected at most ${MAX_PARAMETERS} characters of parameters`)
}

/**
 * Reads the rest of an authorization request, whose errors go to the wallet. Throws `wallet.invalid_request`,
 * `wallet.unsupported_response_type`, `wallet.request_not_supported`, `wallet.invalid_authorization_details`.
 */
export function readWalletRequest(parameters: Parameters, target: Target): WalletRequest {
  if (parameters.request !== undefined)
    throw walletRefusal('request_not_supported', 'Request objects are not supported: push the parameters instead.')
  if (required(parameters, 'response_type') !== 'code')
    throw walletRefusal('unsupported_response_type', 'The response type is not supported: expected code.')
  if ((textOf(parameters, 'response_mode') ?? 'query') !== 'query')
    throw refuseMember('invalid_request', 'response_mode', 'choice', 'expected query')
  const codeChallenge = readChallenge(parameters)
  const scope = textOf(parameters, 'scope')
  const issuerState = textOf(parameters, 'issuer_state', MAX_ISSUER_STATE)
  const configurationIds = readDetails(parameters.authorization_details)
  const dpopJkt = textOf(parameters, 'dpop_jkt')
  if (dpopJkt !== undefined && !DIGEST.test(dpopJkt))
    throw refuseMember('invalid_request', 'dpop_jkt', 'form', 'expected the SHA-256 thumbprint of a key')
  return {
    ...target,
    ...readState(parameters),
    codeChallenge,
    ...(scope !== undefined && { scope }),
    ...(configurationIds && { configurationIds }),
    ...(issuerState !== undefined && { issuerState }),
    ...(dpopJkt !== undefined && { dpopJkt }),
    parameters: readOthers(parameters),
  }
}

/** `urn:ietf:params:oauth:request_uri:` and a secret (RFC 9126, section 2.2). */
const REQUEST_URI = 'urn:ietf:params:oauth:request_uri:'

export const requestUriOf = (secret: string): string => `${REQUEST_URI}${secret}`

/** The secret of a request_uri; undefined for one that is none of ours. */
export const secretOfRequestUri = (uri: string): string | undefined =>
  uri.startsWith(REQUEST_URI) && uri.length <= 200 ? uri.slice(REQUEST_URI.length) : undefined
