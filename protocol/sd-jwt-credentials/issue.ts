import type { PublicJwk } from '../dids/jwk.ts'
import type { Json } from '../json.ts'
import { type JwsHeader, signCompactJws } from '../jws.ts'
import type { TokenEntry } from '../status-list/token.ts'
import { type BuiltSdJwt, buildSdJwt, type DisclosurePlan } from './build.ts'
import type { HashAlgorithm, RandomBytes } from './disclosures.ts'
import { confirmationOf } from './keys.ts'

/** `typ` of an SD-JWT VC (draft-ietf-oauth-sd-jwt-vc-19, section 2.2.1). */
export const TYPE = 'dc+sd-jwt'
/** The same before November 2024. */
export const OLD_TYPE = 'vc+sd-jwt'
/** Media type (section 2.1). */
export const MEDIA_TYPE = 'application/dc+sd-jwt'

/** What the issuance says of a credential, beside the subject's claims. None of it can be hidden, but for `iat`. */
export interface IssuanceTerms {
  vct: string
  /** Of the type metadata at `vct`, as `sha256-…`. */
  vctIntegrity?: string
  /** Further types of the credential. */
  akaVcts?: readonly string[]
  /** Absent where the certificate in the header says who the issuer is. */
  issuer?: string
  issuedAt?: Date
  validFrom?: Date
  expiresAt?: Date
  /** The holder's key; without it nobody can prove that the credential is theirs. */
  holder?: PublicJwk
  status?: TokenEntry
}

/** Which key signs, and how a verifier finds it. */
export interface IssuerHeader {
  alg: JwsHeader['alg']
  /** A DID URL, or the name of a key in the issuer's metadata. */
  kid?: string
  /** Certificates in DER as base64, the signer's own first. */
  x5c?: string[]
}

const seconds = (time: Date): number => Math.floor(time.getTime() / 1_000)

/** Claims of the terms, in the order of the specification's list. */
export function termClaims(terms: IssuanceTerms): Json {
  const { vct, vctIntegrity, akaVcts, issuer, issuedAt, validFrom, expiresAt, holder, status } = terms
  return {
    ...(issuer !== undefined && { iss: issuer }),
    ...(issuedAt && { iat: seconds(issuedAt) }),
    ...(validFrom && { nbf: seconds(validFrom) }),
    ...(expiresAt && { exp: seconds(expiresAt) }),
    vct,
    ...(vctIntegrity !== undefined && { 'vct#integrity': vctIntegrity }),
    ...(akaVcts && akaVcts.length > 0 && { aka_vcts: [...akaVcts] }),
    ...(status && { status: { status_list: { idx: status.index, uri: status.url } } }),
    ...(holder && { cnf: confirmationOf(holder) }),
  }
}

export interface UnsignedSdJwt extends BuiltSdJwt {
  header: JwsHeader
}

/** An SD-JWT VC that is not signed yet, of the subject's claims as they are built. */
export const withTerms = (
  { payload, disclosures }: BuiltSdJwt,
  terms: IssuanceTerms,
  { alg, kid, x5c }: IssuerHeader,
): UnsignedSdJwt => ({
  header: { alg, typ: TYPE, ...(kid !== undefined && { kid }), ...(x5c && { x5c }) },
  payload: { ...termClaims(terms), ...payload },
  disclosures,
})

/**
 * Makes an SD-JWT VC that is not signed yet, from the subject's claims (draft-ietf-oauth-sd-jwt-vc-19, section 2.2). Throws
 * `Refusal('credential.invalid')`; see `buildSdJwt`.
 */
export const unsignedSdJwt = (
  claims: Json,
  plan: DisclosurePlan,
  terms: IssuanceTerms,
  header: IssuerHeader,
  entropy: { randomBytes: RandomBytes; algorithm?: HashAlgorithm },
): UnsignedSdJwt => withTerms(buildSdJwt(claims, plan, entropy), terms, header)

/** Characters that an SD-JWT will have at least: without its header, its signature, and what is still added to it. */
export const leastLength = ({ payload, disclosures }: BuiltSdJwt): number =>
  disclosures.reduce(
    (sum, { encoded }) => sum + encoded.length + 1,
    Math.ceil((Buffer.byteLength(JSON.stringify(payload)) * 4) / 3),
  )

/** The compact serialization (RFC 9901, section 4): the issuer-signed JWT and what follows it, each with its tilde. */
export const combined = (jwt: string, disclosures: readonly string[], keyBinding = ''): string =>
  [jwt, ...disclosures, keyBinding].join('~')

/** Signs. Returns `<jwt>~<disclosure>~…~`. `sign` takes the bytes that are signed. */
export async function signSdJwt(
  { header, payload, disclosures }: UnsignedSdJwt,
  sign: (input: Uint8Array) => Promise<Uint8Array>,
): Promise<string> {
  const jwt = await signCompactJws(header, payload, sign)
  return combined(
    jwt,
    disclosures.map(({ encoded }) => encoded),
  )
}
