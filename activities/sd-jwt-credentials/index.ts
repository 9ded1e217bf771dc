import { assertMapped } from '../../protocol/credentials/claim-paths.ts'
import { Refusal } from '../../protocol/errors.ts'
import type { Json } from '../../protocol/json.ts'
import { takenPaths } from '../../protocol/sd-jwt-credentials/templates.ts'
import type { TemplateRef } from '../credentials/format.ts'
import type { CredentialEngine } from '../credentials/index.ts'
import type { DidArea } from '../dids/index.ts'
import type { Frame } from '../frame/index.ts'
import type { Call } from '../frame/operations.ts'
import { type MobileSigners, notUsable } from '../mobile-credentials/signers.ts'
import { createSdJwtBatches } from './batches.sign.ts'
import { createSdJwtFormat } from './format.ts'
import { createIssuerKeys } from './issuer-keys.ts'
import { createSdJwtIssuers } from './issuers.ts'
import { createSdJwtPublished } from './published.ts'
import { createSdJwtSigning, type SignedSdJwtRow } from './sign.ts'
import { type SdJwtTemplateClaims, termsFrom } from './templates.sign.ts'
import { createSdJwtTemplates } from './templates.ts'
import { ofRequest, requestTerms, type SdJwtSignRequest, type SdJwtTerms } from './terms.ts'
import { createTypeMetadata } from './type-metadata.ts'
import { createSdJwtVerifier } from './verify.ts'
import { createSdJwtWallets } from './wallets.ts'

type Known = Frame & Pick<DidArea, 'didResolver' | 'signers'> & CredentialEngine & { mobileSigners: MobileSigners }

interface Signed {
  id: string
  encoded: string
  decoded: Json
}

interface SignedFromTemplate extends Signed {
  template: TemplateRef
}

/** Operations of SD-JWT VC credentials; `sdJwtFormat` is for the engine. */
export function composeSdJwtCredentials(known: Known) {
  const { issuing, signers, mobileSigners, now } = known
  const sdJwtIssuers = createSdJwtIssuers(known)
  const sdJwtSigning = createSdJwtSigning({ ...known, sdJwtIssuers })
  const sdJwtTemplates = createSdJwtTemplates(known)
  const sdJwtPublished = createSdJwtPublished({ ...known, sdJwtTemplates })
  const issuerKeys = createIssuerKeys({ ...known, sdJwtPublished })
  const typeMetadata = createTypeMetadata({ ...known, sdJwtPublished })

  /** Signs and records; a credential whose issuer went meanwhile is refused. `result`: what the caller gets of it. */
  function issue<Result>(
    call: Call,
    terms: SdJwtTerms,
    result: (signed: Signed) => Result,
    template?: TemplateRef,
  ): Promise<Result> {
    const issuerGone = ({ documentSignerId, issuer }: SignedSdJwtRow): Refusal => {
      if (documentSignerId !== undefined) {
        mobileSigners.forget(call.tenantId)
        return notUsable('it was revoked, deactivated or deleted while the credential was being signed')
      }
      signers.forget(call.tenantId, issuer)
      return new Refusal('credential.issuer_unknown', 'The issuer was deleted while the credential was being signed.')
    }
    const format = {
      name: 'sd-jwt-vc' as const,
      areIdsOurs: true,
      sign: (tenantId: string, id: string, given: SdJwtTerms) => sdJwtSigning.sign(tenantId, id, given),
      result: ({ id, document: { encoded, decoded } }: SignedSdJwtRow) => result({ id, encoded, decoded }),
      issuerGone,
    }
    return issuing.issueAs(call, format, terms, template)
  }

  return {
    sdJwtTemplates,
    sdJwtPublished,
    sdJwtVerifier: createSdJwtVerifier({ ...known, issuerKeys, typeMetadata }),
    sdJwtFormat: createSdJwtFormat({
      sdJwtSigning,
      wallets: createSdJwtWallets({ ...known, sdJwtSigning }),
      batches: createSdJwtBatches({ ...known, sdJwtSigning, sdJwtIssuers, sdJwtTemplates }),
    }),
    sdJwtCredentials: {
      /** Signs and records a credential; it is returned only if it was recorded. */
      signCredential: (call: Call, request: SdJwtSignRequest): Promise<Signed> =>
        ofRequest(async () => issue(call, requestTerms(request), (signed) => signed)),

      /** Signs claims with the template's current version, which the credential's row names. */
      async signFromTemplate(call: Call, templateId: string, input: SdJwtTemplateClaims): Promise<SignedFromTemplate> {
        const { idempotency } = call
        if (idempotency && 'effect' in idempotency) return idempotency.effect as SignedFromTemplate
        const { version, definition } = await sdJwtTemplates.readTemplate(call.tenantId, templateId)
        const template = { id: templateId, version }
        return ofRequest(async () => {
          assertMapped(takenPaths(definition), input.claims)
          const terms = termsFrom(definition, input, now())
          return issue(call, terms, (signed) => ({ ...signed, template }), template)
        })
      },
    },
  }
}
