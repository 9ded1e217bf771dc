import type { PublicJwk } from '../../protocol/dids/jwk.ts'
import { errorsWithin, type FieldError, Refusal, within } from '../../protocol/errors.ts'
import type { Json } from '../../protocol/json.ts'
import { type DisclosurePlan, planErrors } from '../../protocol/sd-jwt-credentials/build.ts'
import { type ClaimPath, claimErrors, unnameable } from '../../protocol/sd-jwt-credentials/claims.ts'
import { isIntegrity } from '../../protocol/sd-jwt-credentials/integrity.ts'
import { unfitting } from '../../protocol/sd-jwt-credentials/plan-fit.ts'
import { isTypeName, TYPE_NAME } from '../../protocol/sd-jwt-credentials/templates.rules.ts'
import type { IssuedAs } from '../../protocol/sd-jwt-credentials/templates.ts'
import { momentOfSeconds } from '../../protocol/time.ts'

interface SharedTerms {
  holderKey?: PublicJwk
  revocable: boolean
  tag: string | null
  issuedAs: IssuedAs
  issuerDid?: string
  documentSignerId?: string
}

/** A request to sign claims. */
export interface SdJwtSignRequest extends SharedTerms {
  /** vct, and the claims beside it. */
  payload: Json
  /** Default: every claim at the root. */
  selectively?: unknown[][]
  decoys: number
}

/** What is signed, whoever asks for it. */
export interface SdJwtTerms extends SharedTerms {
  claims: Json
  plan: DisclosurePlan
  vct: string
  vctIntegrity?: string
  validFrom?: Date
  expiresAt?: Date
  /** Fields of the request, for refusals. */
  fields: { issuer: string; type: string; holderKey: string }
}

/** The end of the year 9999, after which a date has no text. */
const LAST_SECOND = 253_402_300_799

export const invalid = (errors: FieldError[]) =>
  new Refusal('credential.invalid', 'The credential is not valid; see errors.', errors)

/** Reads the payload of a sign request. Throws `Refusal('credential.invalid')` with JSON pointers into it. */
export function readPayload({
  payload,
  selectively,
  decoys,
}: Pick<SdJwtSignRequest, 'payload' | 'selectively' | 'decoys'>): Pick<
  SdJwtTerms,
  'claims' | 'plan' | 'vct' | 'vctIntegrity' | 'validFrom' | 'expiresAt'
> {
  const { vct, 'vct#integrity': integrity, nbf, exp, ...claims } = payload
  const errors: FieldError[] = []
  const report = (path: string, code: string, message: string) => errors.push({ path, code: `claim.${code}`, message })
  const timeOf = (name: string, value: unknown): Date | undefined => {
    if (value === undefined || value === null) return undefined
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= LAST_SECOND)
      return momentOfSeconds(value)
    report(`/${name}`, 'time', 'expected whole seconds since 1970-01-01T00:00:00Z')
    return undefined
  }
  if (typeof vct !== 'string' || !isTypeName(vct)) report('/vct', 'type', `expected a type of ${TYPE_NAME}`)
  if (integrity !== undefined && integrity !== null && !isIntegrity(integrity))
    report('/vct#integrity', 'integrity', 'expected sha256-, sha384- or sha512- and a digest in base64')
  const [validFrom, expiresAt] = [timeOf('nbf', nbf), timeOf('exp', exp)]
  if (validFrom && expiresAt && expiresAt <= validFrom) report('/exp', 'time_order', 'expected a time after nbf')
  const asked = selectively as ClaimPath[] | undefined
  if (asked) {
    // the paths are followed only into claims that are not too many
    const wrong = [...claimErrors(claims), ...planErrors({ selective: asked, decoys })]
    errors.push(...(wrong.length > 0 ? wrong : unfitting(claims, { selective: asked })))
  } else errors.push(...unnameable(claims)) // the paths are ours, and no places in the request
  if (errors.length > 0) throw invalid(errors)
  return {
    claims,
    plan: { selective: asked ?? Object.keys(claims).map((name) => [name]), decoys },
    vct: String(vct),
    ...(typeof integrity === 'string' && { vctIntegrity: integrity }),
    ...(validFrom && { validFrom }),
    ...(expiresAt && { expiresAt }),
  }
}

/** What a sign request asks for. Throws `Refusal('credential.invalid')` with JSON pointers into the payload. */
export const requestTerms = (request: SdJwtSignRequest): SdJwtTerms => ({
  ...readPayload(request),
  revocable: request.revocable,
  tag: request.tag,
  issuedAs: request.issuedAs,
  ...(request.holderKey && { holderKey: request.holderKey }),
  ...(request.issuerDid !== undefined && { issuerDid: request.issuerDid }),
  ...(request.documentSignerId !== undefined && { documentSignerId: request.documentSignerId }),
  fields: { issuer: 'issuer_did', type: 'payload.vct', holderKey: 'holder_key' },
})

/** Where a request's document breaks a rule: pointers into the payload, or paths into its plan. */
function requestPath(path: string): string {
  if (path === 'selective') return 'selectively'
  if (path.startsWith('selective.')) return within('selectively', path.slice('selective.'.length))
  return path === 'documentSignerId' ? 'document_signer_id' : path
}

/** Refusals of the work name fields of the request, or of the batch's row, which has the same ones. */
export async function ofRequest<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Refusal) || error.errors.length === 0) throw error
    const errors = errorsWithin('payload', error.errors).map((each) => ({ ...each, path: requestPath(each.path) }))
    throw new Refusal(error.code, error.message, errors, { cause: error.cause })
  }
}
