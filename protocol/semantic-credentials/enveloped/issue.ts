import { CONTEXT } from '../../contexts/urls.ts'
import type { CborMap } from '../../cose/cbor.ts'
import { HEADER, signCoseSign1 } from '../../cose/sign1.ts'
import type { Signer } from '../../data-integrity/index.ts'
import { type FieldError, Refusal } from '../../errors.ts'
import type { Json } from '../../json.ts'
import { jwsAlgorithm, signCompactJws } from '../../jws.ts'
import type { EnvelopeType } from '../proof-types.ts'

/** The key of an issuer, under assertionMethod. */
type EnvelopeSigner = Pick<Signer, 'keyType' | 'verificationMethod' | 'sign'>

/** Of the `data:` URL: an envelope that is longer could not be sent for verification. */
const MAX_CHARACTERS = 700_000

const utf8 = new TextEncoder()

const SIGN: Record<EnvelopeType, (credential: Json, signer: EnvelopeSigner) => Promise<string>> = {
  /** VC-JOSE-COSE 1.0, sections 3.1.1 and 4.1. */
  async 'vc+jwt'(credential, { keyType, verificationMethod, sign }) {
    const header = { alg: jwsAlgorithm(keyType), typ: 'vc+jwt', cty: 'vc', kid: verificationMethod }
    return `data:application/vc+jwt,${await signCompactJws(header, credential, sign)}`
  },
  /** VC-JOSE-COSE 1.0, section 3.3.1. */
  async 'vc+cose'(credential, { keyType, verificationMethod, sign }) {
    const header: CborMap = new Map<number, string | Uint8Array>([
      [HEADER.typ, 'application/vc+cose'],
      [HEADER.contentType, 'application/vc'],
      [HEADER.kid, utf8.encode(verificationMethod)],
    ])
    const payload = utf8.encode(JSON.stringify(credential))
    const message = await signCoseSign1({ protected: header, payload }, { keyType, sign })
    return `data:application/vc+cose;base64,${Buffer.from(message).toString('base64')}`
  },
}

/** Claims that a JWT has of its own (RFC 7519, section 4.1), and those of data model 1.1. */
const JWT_CLAIMS = ['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti', 'vc', 'vp']

/** Errors of a complete credential that cannot be the payload of an envelope; `isOfModel2`: of data model 2.0. */
export function envelopedErrors(type: EnvelopeType, credential: Json, isOfModel2: boolean): FieldError[] {
  const claims = type === 'vc+jwt' ? JWT_CLAIMS.filter((name) => Object.hasOwn(credential, name)) : []
  return [
    ...(isOfModel2
      ? []
      : [
          {
            path: '/@context/0',
            code: 'credential.base_context',
            message: `must be ${CONTEXT.credentialsV2}: ${type} is for credentials of data model 2.0`,
          },
        ]),
    ...claims.map((name) => ({
      path: `/${name}`,
      code: 'credential.registered_claim',
      message: 'is a claim of JWTs, which verifiers would read as such: give the member another name',
    })),
  ]
}

/**
 * Signs a complete credential in an envelope; returns its `data:` URL. Throws `Refusal('credential.invalid')` for a
 * credential that is too long, and what the signer throws.
 */
export async function signEnvelope(type: EnvelopeType, credential: Json, signer: EnvelopeSigner): Promise<string> {
  const url = await SIGN[type](credential, signer)
  if (url.length <= MAX_CHARACTERS) return url
  throw new Refusal('credential.invalid', 'The credential is too long to be verified in its envelope.', [
    {
      path: '',
      code: 'credential.too_large',
      message: `must give an envelope of at most ${MAX_CHARACTERS} characters`,
    },
  ])
}

/** What a holder gets of a credential in an envelope (VC Data Model 2.0, section 4.12), by its `data:` URL. */
export const envelopedCredential = (url: string): Json => ({
  '@context': CONTEXT.credentialsV2,
  id: url,
  type: 'EnvelopedVerifiableCredential',
})

/** The compact JWS, or the COSE_Sign1 in base64, of a `data:` URL. */
export const encodedIn = (url: string): string => url.slice(url.indexOf(',') + 1)

/** What a caller gets beside an `envelopedCredential`. */
export const partsOf = (url: string, content: Json) => ({ encoded: encodedIn(url), decoded: content })
