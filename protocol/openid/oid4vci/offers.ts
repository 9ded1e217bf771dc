import { type FieldError, Refusal, within } from '../../errors.ts'
import { isObject, type Json } from '../../json.ts'
import { isReservedName } from '../../names.ts'
import { requestedFaults } from '../providers.ts'
import type { GrantType } from './session.ts'
import { PRE_AUTHORIZED } from './session.ts'

/** What the caller wants to offer. */
export interface OfferInput {
  /** Ids of templates, each once. */
  configurationIds: string[]
  /** Undefined: authorization_code, where the tenant has a provider and there are parameters for it (D-506). */
  grantType: GrantType | undefined
  /** Who logs the holder in; undefined: the provider that the tenant created first. */
  providerId: string | undefined
  /** Parameters that the authentication provider gets, in the authorization code grant. */
  parameters: Record<string, string>
  /** Claims about the holder. */
  claims: Json
  /** Whether the holder has to type a code, which reaches them in another way. */
  txCode: boolean
  /** Whether the credentials get a second status entry, for suspension. */
  suspendable: boolean
  /** Seconds until the offer ends. */
  lifetimeSeconds: number
}

const MAX_CONFIGURATIONS = 20
const MAX_CLAIMS_BYTES = 64 * 1024
const MAX_CLAIMS = 500
export const DEFAULT_LIFETIME_SECONDS = 24 * 60 * 60
export const MAX_LIFETIME_SECONDS = 90 * 24 * 60 * 60
/** Digits of a transaction code: with five tries, one in 200,000 is guessed. */
export const TX_CODE_DIGITS = 6
/** Wrong transaction codes after which a session ends. */
export const TX_CODE_TRIES = 5

/** Every breach of the rules of an offer. */
export function offerErrors(input: OfferInput): FieldError[] {
  const { configurationIds, grantType, parameters, claims, txCode, lifetimeSeconds } = input
  const error = (path: string, code: string, message: string): FieldError => ({ path, code, message })
  const names = Object.keys(claims)
  return [
    ...(configurationIds.length === 0 || configurationIds.length > MAX_CONFIGURATIONS
      ? [error('credentials', 'count', `expected 1 to ${MAX_CONFIGURATIONS} ids of templates`)]
      : configurationIds.flatMap((id, at) =>
          configurationIds.indexOf(id) < at ? [error(within('credentials', at), 'repeated', 'expected each once')] : [],
        )),
    ...(grantType === 'authorization_code' && txCode
      ? [error('txCode', 'unexpected', 'expected none: in the grant authorization_code the holder logs in')]
      : []),
    ...requestedFaults(parameters),
    ...names
      .filter((name) => name === '' || name.length > 255 || isReservedName(name))
      .map((name) => error(within('claims', name.slice(0, 255)), 'claim', 'expected the name of a claim')),
    ...(names.length > MAX_CLAIMS || Buffer.byteLength(JSON.stringify(claims)) > MAX_CLAIMS_BYTES
      ? [error('claims', 'too_large', `expected at most ${MAX_CLAIMS} claims and ${MAX_CLAIMS_BYTES} bytes`)]
      : []),
    ...(Number.isSafeInteger(lifetimeSeconds) && lifetimeSeconds >= 1 && lifetimeSeconds <= MAX_LIFETIME_SECONDS
      ? []
      : [error('expiresInSec', 'range', `expected 1 to ${MAX_LIFETIME_SECONDS} seconds`)]),
  ]
}

/** Throws `Refusal('openid_offer.invalid')`. */
export function checkOffer(input: OfferInput): void {
  const errors = offerErrors(input)
  if (errors.length > 0) throw new Refusal('openid_offer.invalid', 'The offer cannot be made; see errors.', errors)
}

/** `loginHint` and `login_hint` are the same parameter of the provider. */
const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Reads the parameters for the authentication provider: texts, or texts in the form `{Text: text}`. */
export function readParameters(given: Json): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]): [string, string][] => {
      if (value === null || value === undefined) return []
      const text = isObject(value) && Object.keys(value).length === 1 ? value.Text : value
      if (typeof text === 'string') return [[snake(name), text]]
      throw new Refusal('openid_offer.invalid', 'The offer cannot be made; see errors.', [
        { path: within('requestedParameters', name.slice(0, 100)), code: 'text', message: 'expected a text' },
      ])
    }),
  )
}

export interface OfferLink {
  issuer: string
  configurationIds: readonly string[]
  grantType: GrantType
  /** The pre-authorized code, or the issuer_state. */
  code: string
  txCode: boolean
}

/** The offer as wallets read it (OpenID4VCI 1.0, section 4.1.1), in the link of a QR code. */
export function offerUri({ issuer, configurationIds, grantType, code, txCode }: OfferLink): string {
  const grants =
    grantType === 'pre-authorized_code'
      ? {
          [PRE_AUTHORIZED]: {
            'pre-authorized_code': code,
            ...(txCode && { tx_code: { input_mode: 'numeric', length: TX_CODE_DIGITS } }),
          },
        }
      : { authorization_code: { issuer_state: code } }
  const offer = { credential_issuer: issuer, credential_configuration_ids: configurationIds, grants }
  return `openid-credential-offer://?credential_offer=${encodeURIComponent(JSON.stringify(offer))}`
}
