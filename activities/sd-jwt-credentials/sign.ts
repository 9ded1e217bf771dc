import type { PolicyGate } from '../../protocol/credentials/policy.ts'
import { overDocument, Refusal } from '../../protocol/errors.ts'
import type { Json } from '../../protocol/json.ts'
import { jwsAlgorithm } from '../../protocol/jws.ts'
import { buildSdJwt } from '../../protocol/sd-jwt-credentials/build.ts'
import { MAX_ENCODED } from '../../protocol/sd-jwt-credentials/claims.ts'
import {
  type IssuanceTerms,
  leastLength,
  signSdJwt,
  termClaims,
  withTerms,
} from '../../protocol/sd-jwt-credentials/issue.ts'
import { holderKeyErrors } from '../../protocol/sd-jwt-credentials/keys.ts'
import type { SignedRow } from '../credentials/record.ts'
import type { Dependencies } from '../dependencies.ts'
import { createSmallDraws } from '../frame/secrets.ts'
import type { SdJwtIssuers } from './issuers.ts'
import { invalid, type SdJwtTerms } from './terms.ts'

/** As the API returns it. */
export interface SignedSdJwt extends Json {
  encoded: string
  decoded: Json
}

export type SignedSdJwtRow = SignedRow & { document: SignedSdJwt }

interface Parts extends Pick<Dependencies, 'now'> {
  sdJwtIssuers: SdJwtIssuers
  policyGate: Pick<PolicyGate, 'assertMayIssue'>
}

function assertShort(length: number): void {
  if (length <= MAX_ENCODED) return
  throw new Refusal('credential.invalid', 'The credential is too long to be verified.', [
    { path: '', code: 'too_long', message: `expected a credential of at most ${MAX_ENCODED} characters` },
  ])
}

/** Signs the claims of a request, of a template or of a batch row; the caller records the credential. */
export function createSdJwtSigning({ now, sdJwtIssuers, policyGate }: Parts) {
  const randomBytes = createSmallDraws()
  return {
    /**
     * `together`: how many credentials the caller signs in a row; `at`: when they count as issued. Throws `Refusal` with
     * `credential.*` and `document_signer.*`, what the policy of the tenant forbids, `Unavailable('keys')`.
     */
    async sign(tenantId: string, id: string, terms: SdJwtTerms, together = 1, at = now()): Promise<SignedSdJwtRow> {
      const { claims, plan, vct, vctIntegrity, validFrom, fields, tag } = terms
      const unfit = await overDocument(() => holderKeyErrors(terms.holderKey, fields.holderKey))
      if (unfit.length > 0) throw invalid(unfit)
      const issuer = await sdJwtIssuers.issuerOf(tenantId, terms, fields.issuer)
      await policyGate.assertMayIssue(
        tenantId,
        { format: 'sd-jwt-vc', issuer: issuer.judged, types: [vct] },
        { issuer: fields.issuer, type: fields.type },
      )
      const expiresAt = issuer.endOf(terms.expiresAt, at)
      const issuedAt = issuer.notBefore && at < issuer.notBefore ? issuer.notBefore : at
      const alg = jwsAlgorithm(issuer.keyType)
      const header = { alg, ...issuer.header }
      // an entry of a status list is never given back: what cannot be signed takes none
      const built = await overDocument(() => buildSdJwt(claims, plan, { randomBytes }))
      assertShort(leastLength(built))
      const entry = terms.revocable ? await issuer.takeEntry(together) : undefined
      const said: IssuanceTerms = {
        vct,
        ...(vctIntegrity !== undefined && { vctIntegrity }),
        ...(issuer.iss !== undefined && { issuer: issuer.iss }),
        issuedAt,
        ...(validFrom && { validFrom }),
        ...(expiresAt && { expiresAt }),
        ...(terms.holderKey && { holder: terms.holderKey }),
        ...(entry && { status: { index: entry.index, url: entry.url } }),
      }
      const encoded = await signSdJwt(withTerms(built, said, header), issuer.sign)
      assertShort(encoded.length)
      return {
        id,
        format: 'sd-jwt-vc',
        document: { encoded, decoded: { ...termClaims(said), ...claims } },
        didId: issuer.didId,
        ...(issuer.documentSignerId !== undefined && { documentSignerId: issuer.documentSignerId }),
        issuer: issuer.name,
        proofType: alg,
        tag,
        types: [vct],
        issuanceDate: (validFrom ?? issuedAt).toISOString(),
        expirationDate: expiresAt?.toISOString() ?? null,
        statusListId: entry?.listId ?? null,
        statusIndex: entry?.index ?? null,
        suspensionListId: null,
        suspensionIndex: null,
      }
    },
  }
}

export type SdJwtSigning = ReturnType<typeof createSdJwtSigning>
