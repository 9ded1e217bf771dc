import { type BatchOptions, dataModelOf } from '../../../protocol/credentials/batches.ts'
import { PROOF_TYPES } from '../../../protocol/data-integrity/index.ts'
import { inTermsOf, Refusal } from '../../../protocol/errors.ts'
import { listOf } from '../../../protocol/json.ts'
import { dataModelOf as templateModelOf } from '../../../protocol/semantic-credentials/templates.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Issuers } from '../../dids/signers.ts'
import type { TenantContexts } from '../../semantic-credentials/contexts.ts'
import type { TemplateRef } from '../../semantic-credentials/issue.ts'
import { proofTypeOf } from '../../semantic-credentials/sign.ts'
import { inTemplateTerms, type TemplateSigning } from '../../semantic-credentials/templates.sign.ts'
import type { CredentialTemplates } from '../../semantic-credentials/templates.ts'
import { assertSuspendable } from '../status-lists/allocation.ts'

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

interface Parts extends Pick<Dependencies, 'documents'> {
  contexts: TenantContexts
  issuers: Issuers
  credentialTemplates: CredentialTemplates
  templateSigning: TemplateSigning
}

const needed = (path: string, message: string) =>
  new Refusal('request.invalid', `CSV needs the query parameter ${path}: no column stands for it.`, [
    { path, code: 'required', message },
  ])

/** What all rows would fail by is said before any is read. */
export function createBatchOptions({ documents, contexts, issuers, credentialTemplates, templateSigning }: Parts) {
  /** Fetched and pinned now: a host that is away later is away for no row. */
  async function settleContexts(tenantId: string, given: unknown[], path: string): Promise<void> {
    if (given.length === 0) return
    try {
      // something to process, whatever the contexts say: of an empty document nothing would be
      const document = { '@context': given, 'https://schema.org/name': 'contexts' }
      const from = { format: 'jsonld', document } as const
      await documents.convert({ from, to: 'jsonld' }, contexts.lookupFor(tenantId))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      throw new Refusal(error.code, error.message, [{ path, code: 'context', message: 'expected usable contexts' }])
    }
  }

  /** Rows of CSV have contexts and a status by the options alone; a JSON line may still bring its own. */
  async function forPayloads(tenantId: string, { source, options }: Given): Promise<SettledOptions> {
    const { issuer, proofType, revocable, suspendable } = options
    const proof = proofType === undefined ? undefined : proofTypeOf(proofType)
    if (source === 'csv' && issuer === undefined) throw needed('issuer', 'expected a DID of /v1/dids')
    if (source === 'csv' && proofType === undefined)
      throw needed('proofType', `expected one of ${PROOF_TYPES.join(', ')}`)
    if (suspendable && source === 'csv') assertSuspendable(revocable, dataModelOf(options))
    if (issuer !== undefined) {
      const found = await issuers.find(tenantId, issuer)
      if (proof) issuers.signer(tenantId, found, proof)
    }
    await settleContexts(tenantId, options.contexts, 'context')
    return { options }
  }

  /** The template's version and its issuer are settled here: what changes later is not of this batch (D-126). */
  async function forClaims(tenantId: string, { options }: Given, templateId: string): Promise<SettledOptions> {
    const { version, definition } = await credentialTemplates.readTemplate(tenantId, templateId)
    const { issuerDid, proofType } = await templateSigning.signerFor(tenantId, definition, options.issuer)
    issuers.signer(tenantId, await issuers.find(tenantId, issuerDid), proofTypeOf(proofType))
    if (options.suspendable) assertSuspendable(definition.revocable, templateModelOf(definition))
    await settleContexts(tenantId, listOf(definition.contexts ?? undefined), 'templateId')
    return { options: { ...options, issuer: issuerDid }, template: { id: templateId, version } }
  }

  return {
    /**
     * Throws `credential_template.not_found`, `credential_template.no_issuer`, `credential.issuer_*`,
     * `credential.proof_type_unsupported`, `status_list.purpose_unsupported`, `context.*`, `request.invalid`.
     */
    async settle(tenantId: string, given: Given): Promise<SettledOptions> {
      const { templateId } = given.options
      try {
        return await (templateId === undefined ? forPayloads(tenantId, given) : forClaims(tenantId, given, templateId))
      } catch (error) {
        throw templateId === undefined
          ? inTermsOf(error, { 'payload.issuer.id': 'issuer' })
          : inTemplateTerms(error, 'issuerDid')
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
