import { type BatchOptions, completeClaims, type RowInput } from '../../protocol/credentials/batches.ts'
import { overDocument, Refusal } from '../../protocol/errors.ts'
import { listOf } from '../../protocol/json.ts'
import { completeRow, issuerOf, rowModelOf } from '../../protocol/semantic-credentials/batches.ts'
import { CREDENTIAL_PROOF_TYPES, credentialKeyFor } from '../../protocol/semantic-credentials/proof-types.ts'
import { checkColumns } from '../../protocol/semantic-credentials/templates/columns.ts'
import {
  dataModelOf,
  subjectOf,
  type TemplateDefinition,
  takenBy,
} from '../../protocol/semantic-credentials/templates/index.ts'
import type { BatchFormat, BatchTerms, SettledOptions } from '../credentials/format.ts'
import { refuseIssuer } from '../credentials/refusals.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Signers } from '../dids/signers.ts'
import type { TenantContexts } from './contexts.ts'
import { assertSuspendable, proofTypeOf, type Signing } from './sign.ts'
import type { TemplateSigning } from './templates.sign.ts'
import type { CredentialTemplates } from './templates.ts'

interface BatchUpload {
  source: 'jsonl' | 'csv'
  options: BatchOptions
}

interface Parts extends Pick<Dependencies, 'documents' | 'selfTest'> {
  contexts: TenantContexts
  signers: Signers
  signing: Signing
  credentialTemplates: CredentialTemplates
  templateSigning: TemplateSigning
}

const needed = (path: string, message: string) =>
  new Refusal('request.invalid', `A CSV upload needs the query parameter ${path}, because CSV has no column for it.`, [
    { path, code: 'required', message },
  ])

/** Batches of W3C credentials: rows are sign requests, or claims for a credential template. */
export function createSemanticBatches(parts: Parts): BatchFormat {
  const { documents, selfTest, contexts, signers, signing, credentialTemplates, templateSigning } = parts

  /** Fetches and pins the contexts now, so that a host that is unavailable later affects no row. */
  async function settleContexts(tenantId: string, references: unknown[], path: string): Promise<void> {
    if (references.length === 0) return
    try {
      // a member to process: the contexts of an empty document would not be read
      const document = { '@context': references, 'https://schema.org/name': 'contexts' }
      const from = { format: 'jsonld', document } as const
      await documents.convert({ from, to: 'jsonld' }, contexts.lookupFor(tenantId))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      throw new Refusal(error.code, error.message, [
        { path, code: 'context', message: 'expected contexts that can be fetched and processed' },
      ])
    }
  }

  /** CSV rows get contexts and status only from the options; a JSON line may have its own. */
  async function forPayloads(tenantId: string, { source, options }: BatchUpload): Promise<SettledOptions> {
    const { issuer, proofType, revocable, suspendable } = options
    const proof = proofType === undefined ? undefined : proofTypeOf(proofType)
    if (source === 'csv' && issuer === undefined) throw needed('issuer', 'expected a DID of /v1/dids')
    if (source === 'csv' && proofType === undefined)
      throw needed('proofType', `expected one of ${CREDENTIAL_PROOF_TYPES.join(', ')}`)
    if (suspendable && source === 'csv') assertSuspendable(revocable, rowModelOf(options))
    if (issuer !== undefined) {
      const signer = await signers.signerOf(tenantId, issuer, refuseIssuer('issuer'))
      if (proof) signer.withKey(credentialKeyFor(proof))
    }
    await settleContexts(tenantId, options.contexts, 'context')
    return { options }
  }

  /** Fixes the template's version and issuer for the batch: later changes do not affect it (D-126). */
  async function forClaims(tenantId: string, { options }: BatchUpload, templateId: string): Promise<SettledOptions> {
    const { version, definition } = await credentialTemplates.readTemplate(tenantId, templateId)
    const { issuer, proofType } = await templateSigning.signerFor(tenantId, definition, options.issuer, 'issuerDid')
    issuer.withKey(credentialKeyFor(proofTypeOf(proofType)))
    if (options.suspendable) assertSuspendable(definition.revocable, dataModelOf(definition))
    await settleContexts(tenantId, listOf(definition.contexts ?? undefined), 'templateId')
    const taken = takenBy(definition)
    return {
      options: { ...options, issuer: issuer.did },
      template: { id: templateId, version },
      checkColumns: (columns) => checkColumns(definition, columns),
      checkRow(input) {
        if ('claims' in input) subjectOf(definition, input.claims, taken)
      },
    }
  }

  async function requestOf(tenantId: string, input: RowInput, { options, template }: BatchTerms) {
    if (!('claims' in input)) return overDocument(() => completeRow(input, options))
    if (!template) throw new Error('a row holds claims, but its batch has no template')
    const definition = template.definition as TemplateDefinition
    return templateSigning.request(
      tenantId,
      { ...template, definition },
      {
        ...completeClaims(input, options),
        areAccepted: true,
      },
    )
  }

  return {
    /**
     * Throws `credential_template.not_found`, `credential_template.no_issuer`, `credential.issuer_*`,
     * `credential.proof_type_unsupported`, `status_list.purpose_unsupported`, `context.*`, `request.invalid`.
     */
    async settle(tenantId, upload) {
      const { templateId } = upload.options
      return templateId === undefined ? forPayloads(tenantId, upload) : forClaims(tenantId, upload, templateId)
    },

    issuerOf,

    signRow: async (tenantId, id, input, terms, together) =>
      signing.sign(tenantId, id, await requestOf(tenantId, input, terms), together),

    prove: selfTest.prove,
  }
}
