import type { PublicJwk } from '../../protocol/dids/jwk.ts'
import type { Json } from '../../protocol/json.ts'
import { integrityOf } from '../../protocol/sd-jwt-credentials/integrity.ts'
import { isTypeName, TYPE_NAME } from '../../protocol/sd-jwt-credentials/templates.rules.ts'
import { claimsFromTemplate, planOf, type SdJwtTemplate } from '../../protocol/sd-jwt-credentials/templates.ts'
import { addDuration } from '../../protocol/time.ts'
import { invalid, type SdJwtTerms } from './terms.ts'

/** Claims for a template. */
export interface SdJwtTemplateClaims {
  claims: Json
  /** In place of the template's. */
  issuerDid?: string | null
  /** In place of the template's. */
  documentSignerId?: string | null
  holderKey?: PublicJwk
  tag?: string | null
  authenticationProvider?: { subjectId: string; url: string } | undefined
}

const FIELDS = { issuer: 'issuer_did', type: 'vct', holderKey: 'holder_key' } as const

/**
 * What a version of a template signs of claims. An issuer of the request takes the place of the template's. Throws
 * `Refusal('credential_template.claims_missing')`, `Refusal('credential.invalid')` for a type of an earlier release that is
 * too long to be recorded.
 */
export function termsFrom(definition: SdJwtTemplate, input: SdJwtTemplateClaims, at: Date): SdJwtTerms {
  const { claims, holderKey, tag = null, authenticationProvider } = input
  const { expiration, hosted, vct, issuedAs, revocable } = definition
  if (!isTypeName(vct)) throw invalid([{ path: 'vct', code: 'claim.type', message: `expected ${TYPE_NAME}` }])
  const integrity = hosted ? integrityOf(Buffer.from(hosted.document)) : definition.vctIntegrity
  const expiresAt = expiration && addDuration(at, expiration)
  const issuerDid = input.issuerDid ?? definition.issuerDid
  const documentSignerId = input.documentSignerId ?? definition.documentSignerId
  return {
    claims: claimsFromTemplate(definition, {
      claims,
      ...(authenticationProvider && { authenticationProvider }),
      credentialConfiguration: definition,
    }),
    plan: planOf(definition),
    vct,
    ...(integrity !== undefined && { vctIntegrity: integrity }),
    ...(expiresAt && { expiresAt: new Date(Math.floor(expiresAt.getTime() / 1_000) * 1_000) }),
    ...(holderKey && { holderKey }),
    revocable,
    tag,
    issuedAs,
    ...(issuerDid !== undefined && issuerDid !== null && { issuerDid }),
    ...(documentSignerId !== undefined && documentSignerId !== null && { documentSignerId }),
    fields: FIELDS,
  }
}
