import { CONTEXT } from '../../contexts/urls.ts'
import type { CborMap } from '../../cose/cbor.ts'
import { HEADER, signCoseSign1 } from '../../cose/sign1.ts'
import type { Signer } from '../../data-integrity/index.ts'
import { type FieldError, Refusal } from '../../errors.ts'
import type { Json } from '../../json.ts'
import { jwsAlgorithm, signCompactJws } from '../../jws.ts'
import { type BuiltSdJwt, buildSdJwt, type DisclosurePlan } from '../../sd-jwt-credentials/build.ts'
import { claimErrors, MAX_ENCODED } from '../../sd-jwt-credentials/claims.ts'
import type { RandomBytes } from '../../sd-jwt-credentials/disclosures.ts'
import { leastLength, signSdJwt } from '../../sd-jwt-credentials/issue.ts'
import type { EnvelopeType, PresentationEnvelopeType } from '../proof-types.ts'

/** The key of an issuer, under assertionMethod. */
type EnvelopeSigner = Pick<Signer, 'keyType' | 'verificationMethod' | 'sign'>

/** What an envelope has beside the credential. */
export interface EnvelopeTerms {
  /** Of an SD-JWT: what its holder may leave out. */
  plan: DisclosurePlan
  randomBytes: RandomBytes
}

/** Of the `data:` URL: an envelope that is longer could not be sent for verification. */
const MAX_CHARACTERS: Record<EnvelopeType, number> = {
  'vc+jwt': 700_000,
  'vc+cose': 700_000,
  'vc+sd-jwt': MAX_ENCODED,
}

const utf8 = new TextEncoder()

/** Of a JWS: `type` with the suffix `+jwt`, and the type of what it contains (VC-JOSE-COSE 1.0, sections 3.1 and 4.1). */
async function asJws(type: 'vc' | 'vp', content: Json, signer: EnvelopeSigner): Promise<string> {
  const { keyType, verificationMethod, sign } = signer
  const header = { alg: jwsAlgorithm(keyType), typ: `${type}+jwt`, cty: type, kid: verificationMethod }
  return `data:application/${type}+jwt,${await signCompactJws(header, content, sign)}`
}

/** The same of a COSE_Sign1 (section 3.3). */
async function asCose(type: 'vc' | 'vp', content: Json, signer: EnvelopeSigner): Promise<string> {
  const { keyType, verificationMethod, sign } = signer
  const header: CborMap = new Map<number, string | Uint8Array>([
    [HEADER.typ, `application/${type}+cose`],
    [HEADER.contentType, `application/${type}`],
    [HEADER.kid, utf8.encode(verificationMethod)],
  ])
  const payload = utf8.encode(JSON.stringify(content))
  const message = await signCoseSign1({ protected: header, payload }, { keyType, sign })
  return `data:application/${type}+cose;base64,${Buffer.from(message).toString('base64')}`
}

/**
 * Of an SD-JWT without disclosures (section 3.2.2): a holder makes a presentation for one verifier, and leaves out what
 * that need not see (D-891).
 */
async function asWholeSdJwt(content: Json, { keyType, verificationMethod, sign }: EnvelopeSigner): Promise<string> {
  const header = { alg: jwsAlgorithm(keyType), typ: 'vp+sd-jwt', cty: 'vp', kid: verificationMethod }
  return `data:application/vp+sd-jwt,${await signSdJwt({ header, payload: content, disclosures: [] }, sign)}`
}

const SIGN_PRESENTATION: Record<PresentationEnvelopeType, (content: Json, signer: EnvelopeSigner) => Promise<string>> =
  {
    'vp+jwt': (content, signer) => asJws('vp', content, signer),
    'vp+cose': (content, signer) => asCose('vp', content, signer),
    'vp+sd-jwt': asWholeSdJwt,
  }

/** What is built before a credential is complete: of an SD-JWT, the digests and disclosures of its claims. */
export type PreparedEnvelope = BuiltSdJwt | undefined

type Sign = (credential: Json, signer: EnvelopeSigner, prepared: PreparedEnvelope) => Promise<string>

const SIGN: Record<EnvelopeType, Sign> = {
  'vc+jwt': (credential, signer) => asJws('vc', credential, signer),
  'vc+cose': (credential, signer) => asCose('vc', credential, signer),
  /** VC-JOSE-COSE 1.0, section 3.2.1. */
  async 'vc+sd-jwt'({ cnf, credentialStatus }, { keyType, verificationMethod, sign }, prepared) {
    if (!prepared) throw new Error('an SD-JWT is signed that was not prepared')
    const header = { alg: jwsAlgorithm(keyType), typ: 'vc+sd-jwt', cty: 'vc', kid: verificationMethod }
    const { payload, disclosures } = prepared
    const complete = {
      ...payload,
      ...(credentialStatus !== undefined && { credentialStatus }),
      ...(cnf !== undefined && { cnf }),
    }
    return `data:application/vc+sd-jwt,${await signSdJwt({ header, payload: complete, disclosures }, sign)}`
  },
}

/** Claims that a JWT has of its own (RFC 7519, section 4.1), and those of data model 1.1. */
const JWT_CLAIMS = ['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti', 'vc', 'vp']

/** Errors of a complete credential that cannot be the payload of an envelope; `isOfModel2`: of data model 2.0. */
export function envelopedErrors(type: EnvelopeType, credential: Json, isOfModel2: boolean): FieldError[] {
  const claims = type === 'vc+cose' ? [] : JWT_CLAIMS.filter((name) => Object.hasOwn(credential, name))
  const isNamed = ({ path }: FieldError) => claims.some((name) => path === `/${name}`)
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
    ...(type === 'vc+sd-jwt' ? claimErrors(credential).filter((error) => !isNamed(error)) : []),
  ]
}

function assertShort(type: EnvelopeType, length: number): void {
  const most = MAX_CHARACTERS[type]
  if (length <= most) return
  throw new Refusal('credential.invalid', 'The credential is too long to be verified in its envelope.', [
    {
      path: '',
      code: 'credential.too_large',
      message: `must give an envelope of at most ${most} characters`,
    },
  ])
}

/**
 * Builds what `signEnvelope` takes of a credential that has no `credentialStatus` and no `cnf` of the platform yet: neither
 * can be hidden. Throws `Refusal('credential.invalid')` for one that cannot be signed, or whose envelope would be too long.
 */
export function prepareEnvelope(
  type: EnvelopeType,
  credential: Json,
  { plan, randomBytes }: EnvelopeTerms,
): PreparedEnvelope {
  const built = type === 'vc+sd-jwt' ? buildSdJwt(credential, plan, { randomBytes }) : undefined
  assertShort(type, leastLength(built ?? { payload: credential, disclosures: [] }))
  return built
}

/**
 * Signs a complete credential in an envelope; returns its `data:` URL. In an SD-JWT its member `cnf` is the holder's key.
 * Throws `Refusal('credential.invalid')` for a credential that is too long, and what the signer throws.
 */
export async function signEnvelope(
  type: EnvelopeType,
  credential: Json,
  signer: EnvelopeSigner,
  prepared?: PreparedEnvelope,
): Promise<string> {
  const url = await SIGN[type](credential, signer, prepared)
  assertShort(type, url.length)
  return url
}

/** What a verifier asked for: in an envelope, `nonce` and `aud` (D-951). */
export interface PresentationTerms {
  challenge?: string
  domain?: string
}

/** Members that an envelope has of its own, beside those of the presentation in it. */
const OWN_CLAIMS = [...JWT_CLAIMS, 'nonce', 'cnf']

/** Errors of a presentation that cannot be the content of an envelope; `isOfModel2`: of data model 2.0. */
export function envelopedPresentationErrors(
  type: PresentationEnvelopeType,
  presentation: Json,
  isOfModel2: boolean,
): FieldError[] {
  const model = `must be ${CONTEXT.credentialsV2}: ${type} is for presentations of data model 2.0`
  const own = OWN_CLAIMS.filter((name) => Object.hasOwn(presentation, name))
  const isOwn = ({ path }: FieldError) => own.some((name) => path === `/${name}`)
  return [
    ...(isOfModel2 ? [] : [{ path: '/@context/0', code: 'presentation.base_context', message: model }]),
    ...own.map((name) => ({
      path: `/${name}`,
      code: 'presentation.registered_claim',
      message: 'is a claim of JWTs, which verifiers would read as such: give the member another name',
    })),
    ...(type === 'vp+sd-jwt' ? claimErrors(presentation).filter((error) => !isOwn(error)) : []),
  ]
}

/**
 * Signs a presentation in an envelope; returns the object with its `data:` URL. Throws `Refusal('presentation.invalid')`
 * for one that is too long, and what the signer throws.
 */
export async function signPresentationEnvelope(
  type: PresentationEnvelopeType,
  presentation: Json,
  signer: EnvelopeSigner,
  { challenge, domain }: PresentationTerms,
): Promise<Json> {
  const said = {
    ...presentation,
    ...(challenge !== undefined && { nonce: challenge }),
    ...(domain !== undefined && { aud: domain }),
  }
  const url = await SIGN_PRESENTATION[type](said, signer)
  if (type === 'vp+sd-jwt' && url.length > MAX_ENCODED)
    throw new Refusal('presentation.invalid', 'The presentation is too long to be verified in its envelope.', [
      {
        path: '',
        code: 'presentation.too_large',
        message: `must give an envelope of at most ${MAX_ENCODED} characters`,
      },
    ])
  return { '@context': CONTEXT.credentialsV2, id: url, type: 'EnvelopedVerifiablePresentation' }
}

/** What a holder gets of a credential in an envelope (VC Data Model 2.0, section 4.12), by its `data:` URL. */
export const envelopedCredential = (url: string): Json => ({
  '@context': CONTEXT.credentialsV2,
  id: url,
  type: 'EnvelopedVerifiableCredential',
})

/** The compact JWS, the SD-JWT, or the COSE_Sign1 in base64, of a `data:` URL. */
export const encodedIn = (url: string): string => url.slice(url.indexOf(',') + 1)

/** What a caller gets beside an `envelopedCredential`. */
export const partsOf = (url: string, content: Json) => ({ encoded: encodedIn(url), decoded: content })
