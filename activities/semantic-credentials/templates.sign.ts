import type { Json } from '../../protocol/data-integrity/index.ts'
import { inTermsOf, overDocument, Refusal } from '../../protocol/errors.ts'
import {
  keyTypesFor,
  payloadFromTemplate,
  proofTypeFor,
  type TemplateDefinition,
} from '../../protocol/semantic-credentials/templates.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Issuers } from '../dids/signers.ts'
import type { Call } from '../frame/operations.ts'
import type { SemanticCredentials, SignedCredential } from './issue.ts'
import type { SignRequest } from './sign.ts'
import type { CredentialTemplate, CredentialTemplates } from './templates.ts'

export interface TemplateClaims {
  claims: Json
  /** A DID of the tenant; without one, the newest that holds a fitting key (D-062). */
  issuerDid?: string | null
  /** Gives it a second entry, to suspend it by: of a revocable template of data model 2.0 alone. */
  suspendable?: boolean
  tag?: string | null
}

interface Parts extends Pick<Dependencies, 'now'> {
  issuers: Issuers
  credentialTemplates: CredentialTemplates
  semanticCredentials: SemanticCredentials
}

/** Refusals of signing name the issuer as the free payload does; from a template it is named by `member`. */
export const inTemplateTerms = <Thrown>(error: Thrown, member = 'issuer_did'): Thrown | Refusal =>
  inTermsOf(error, { 'payload.issuer.id': member, issuer_did: member })

/** From a template and claims to a credential, for one request and for a row of a batch alike. */
export function createTemplateSigning({ now, issuers, credentialTemplates, semanticCredentials }: Parts) {
  /** The DID that signs and the kind of proof. Throws `credential_template.no_issuer`, `credential.issuer_*`. */
  async function signerFor(tenantId: string, definition: TemplateDefinition, given: string | null | undefined) {
    const issuerDid = given ?? (await issuers.newest(tenantId, keyTypesFor(definition)))
    if (issuerDid === undefined)
      throw new Refusal('credential_template.no_issuer', 'The tenant has no DID with a key that can sign this.', [
        { path: 'issuer_did', code: 'issuer', message: `expected a DID with a ${keyTypesFor(definition)[0]} key` },
      ])
    const { keys } = await issuers.find(tenantId, issuerDid)
    const held = keys.map(({ keyType }) => keyType)
    return { issuerDid, proofType: proofTypeFor(definition, held) }
  }

  /** What signing takes. Throws as `signerFor` does, and `credential_template.claims_missing`. */
  async function request(tenantId: string, template: CredentialTemplate, given: TemplateClaims): Promise<SignRequest> {
    const { definition } = template
    const { claims, suspendable, tag } = given
    const { issuerDid, proofType } = await signerFor(tenantId, definition, given.issuerDid)
    return {
      payload: await overDocument(() => payloadFromTemplate(definition, { issuerDid, claims, now: now() })),
      proofType,
      revocable: definition.revocable,
      suspendable,
      tag,
    }
  }

  return {
    signerFor,
    request,

    /** Signs claims by the template's current version, which the credential's row remembers. */
    async signFromTemplate(call: Call, id: string, given: TemplateClaims): Promise<Required<SignedCredential>> {
      const { tenantId, idempotency } = call
      if (idempotency && 'effect' in idempotency) return idempotency.effect as Required<SignedCredential>
      const found = await credentialTemplates.readTemplate(tenantId, id)
      const template = { id, version: found.version }
      try {
        const signed = await semanticCredentials.signCredential(call, await request(tenantId, found, given), template)
        return { ...signed, template }
      } catch (error) {
        throw inTemplateTerms(error)
      }
    },
  }
}

export type TemplateSigning = ReturnType<typeof createTemplateSigning>
