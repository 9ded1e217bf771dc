import { Refusal } from '../protocol/errors.ts'
import { type BatchOptions, dataModelOf } from '../protocol/semantic-credentials.batches.ts'
import { dataModelOf as templateModelOf } from '../protocol/semantic-credentials.templates.ts'
import { assertSuspendable } from './semantic-credentials.entries.ts'
import type { Issuers } from './semantic-credentials.issuers.ts'
import { proofTypeOf } from './semantic-credentials.sign.ts'
import { inTemplateTerms, type TemplateSigning } from './semantic-credentials.templates.sign.ts'
import type { CredentialTemplates } from './semantic-credentials.templates.ts'
import type { TemplateRef } from './semantic-credentials.ts'

/** The options of a batch as they hold until its end. */
export interface SettledOptions {
  options: BatchOptions
  /** The version that all rows are signed by. */
  template?: TemplateRef
}

interface Given {
  source: 'jsonl' | 'csv'
  options: BatchOptions
}

interface Parts {
  issuers: Issuers
  credentialTemplates: CredentialTemplates
  templateSigning: TemplateSigning
}

/** What all rows would fail by is said before any is read. */
export function createBatchOptions({ issuers, credentialTemplates, templateSigning }: Parts) {
  /** Rows of CSV have contexts and a status by the options alone; a JSON line may still bring its own. */
  async function forPayloads(tenantId: string, { source, options }: Given): Promise<SettledOptions> {
    const { issuer, proofType, revocable, suspendable } = options
    const proof = proofType === undefined ? undefined : proofTypeOf(proofType)
    if (suspendable && source === 'csv') assertSuspendable(revocable, dataModelOf(options))
    if (issuer === undefined) return { options }
    const found = await issuers.find(tenantId, issuer)
    if (proof) issuers.signer(tenantId, found, proof)
    return { options }
  }

  /** The template's version and its issuer are settled here: what changes later is not of this batch (D-126). */
  async function forClaims(tenantId: string, { options }: Given, templateId: string): Promise<SettledOptions> {
    const { version, definition } = await credentialTemplates.readTemplate(tenantId, templateId)
    const { issuerDid, proofType } = await templateSigning.signerFor(tenantId, definition, options.issuer)
    issuers.signer(tenantId, await issuers.find(tenantId, issuerDid), proofTypeOf(proofType))
    if (options.suspendable) assertSuspendable(definition.revocable, templateModelOf(definition))
    return { options: { ...options, issuer: issuerDid }, template: { id: templateId, version } }
  }

  return {
    /**
     * Throws `credential_template.not_found`, `credential_template.no_issuer`, `credential.issuer_*`,
     * `credential.proof_type_unsupported`, `status_list.purpose_unsupported`, `request.invalid`.
     */
    async settle(tenantId: string, given: Given): Promise<SettledOptions> {
      const { templateId } = given.options
      if (templateId === undefined) return forPayloads(tenantId, given)
      try {
        return await forClaims(tenantId, given, templateId)
      } catch (error) {
        throw inTemplateTerms(error, 'issuerDid')
      }
    },

    /** A deleted template never comes back. */
    async isTemplateGone(tenantId: string, templateId: string): Promise<boolean> {
      try {
        await credentialTemplates.readTemplate(tenantId, templateId)
        return false
      } catch (error) {
        if (error instanceof Refusal && error.code === 'credential_template.not_found') return true
        throw error
      }
    },
  }
}

export type BatchOptionsChecks = ReturnType<typeof createBatchOptions>
