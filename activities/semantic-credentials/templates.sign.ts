import type { Json } from '../../protocol/data-integrity/index.ts'
import type { PublicJwk } from '../../protocol/dids/jwk.ts'
import { overDocument, Refusal, withArticle } from '../../protocol/errors.ts'
import { disclosureTerms } from '../../protocol/semantic-credentials/enveloped/disclosure.ts'
import {
  keyTypesFor,
  payloadFromTemplate,
  proofTypeFor,
  type TemplateDefinition,
} from '../../protocol/semantic-credentials/templates/index.ts'
import type { SignedCredential } from '../credentials/issue.ts'
import { refuseIssuer } from '../credentials/refusals.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Signers } from '../dids/signers.ts'
import type { Call } from '../frame/operations.ts'
import type { SemanticCredentials } from './issue.ts'
import type { SignRequest } from './sign.ts'
import type { CredentialTemplate, CredentialTemplates } from './templates.ts'

export interface TemplateClaims {
  claims: Json
  /** True for a row of a batch: its claims were checked when the batch was created (D-241). */
  areAccepted?: boolean
  /** A DID of the tenant; by default the default issuer, or the only one that fits (D-246). */
  issuerDid?: string | null
  /** Adds a second status entry, for suspension; only with a revocable template of data model 2.0. */
  suspendable?: boolean
  tag?: string | null
  /** Of the holder; only of a template with vc+sd-jwt. */
  holderKey?: PublicJwk
}

interface Parts extends Pick<Dependencies, 'now'> {
  signers: Signers
  credentialTemplates: CredentialTemplates
  semanticCredentials: SemanticCredentials
}

/** Field of the body that names the issuer. */
const ISSUER_FIELD = 'issuer_did'

/** Signs a credential from a template and the claims of a request or of a batch row. */
export function createTemplateSigning({ now, signers, credentialTemplates, semanticCredentials }: Parts) {
  /**
   * Returns the signer of the issuer and the kind of proof. Throws `credential_template.no_issuer` and
   * `credential.issuer_*`, naming `field`.
   */
  async function signerFor(
    tenantId: string,
    definition: TemplateDefinition,
    requestedDid: string | null | undefined,
    field = ISSUER_FIELD,
  ) {
    const issuerDid = requestedDid ?? (await signers.chosen(tenantId, keyTypesFor(definition), refuseIssuer(field)))
    if (issuerDid === undefined)
      throw new Refusal(
        'credential_template.no_issuer',
        'The tenant has no DID with a key that fits the template; create one.',
        [
          {
            path: field,
            code: 'issuer',
            message: `expected a DID with ${withArticle(keyTypesFor(definition).join(' or '))} key`,
          },
        ],
      )
    const issuer = await signers.signerOf(tenantId, issuerDid, refuseIssuer(field))
    return { issuer, proofType: proofTypeFor(definition, [...issuer.keyTypes]) }
  }

  /** Returns the sign request. Throws as `signerFor` and `payloadFromTemplate` do. */
  async function request(tenantId: string, template: CredentialTemplate, input: TemplateClaims): Promise<SignRequest> {
    const { definition } = template
    const { claims, areAccepted, suspendable, tag, holderKey } = input
    const { issuer, proofType } = await signerFor(tenantId, definition, input.issuerDid)
    const from = { issuerDid: issuer.did, claims, areAccepted, now: now() }
    return {
      payload: await overDocument(() => payloadFromTemplate(definition, from)),
      issuerField: ISSUER_FIELD,
      typeField: 'credential.type', // of the credential that the template makes
      proofType,
      revocable: definition.revocable,
      suspendable,
      tag,
      disclosure: disclosureTerms({ ...definition, holderKey }),
      areClaimsOptional: true,
      holderField: 'holder_key',
    }
  }

  return {
    signerFor,
    request,

    /** Signs claims with the template's current version, which the credential's row names. */
    async signFromTemplate(call: Call, id: string, input: TemplateClaims): Promise<Required<SignedCredential>> {
      const { tenantId, idempotency } = call
      if (idempotency && 'effect' in idempotency) return idempotency.effect as Required<SignedCredential>
      const source = await credentialTemplates.readTemplate(tenantId, id)
      const template = { id, version: source.version }
      const signed = await semanticCredentials.signCredential(call, await request(tenantId, source, input), template)
      return { ...signed, template }
    },
  }
}

export type TemplateSigning = ReturnType<typeof createTemplateSigning>
